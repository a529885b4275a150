package typesense

import (
	"context"
	"errors"
	"time"
)

// A follower in a cluster applies writes after the leader, in one queue per collection. A follower may therefore have a
// state before the documents that the state describes, and caches would store its results under the position of the
// state. The last document of a write, the witness, is in the same queue as the other documents: a node that has the
// witness has all of them.

// witnessPatience limits the wait for the witness. The document may be missing for another reason: a process removed it
// and died before it wrote the next state.
const witnessPatience = 2 * time.Second

// isShownHere reports whether the preferred node has everything that a snapshot describes. A node that has just become
// the preferred one may lack documents that its predecessor had; until it catches up, searches fail.
func (x *Index) isShownHere(ctx context.Context, seen *snapshot) (bool, error) {
	node := x.server.transport.preferred.Load()
	elsewhere := node != x.node.Load()
	if seen.known && (elsewhere || !x.current.Load().isSame(seen)) {
		if shown, err := x.isShown(ctx, &seen.state); err != nil || !shown {
			if elsewhere {
				x.doubt.CompareAndSwap(certain, loading)
			}
			return false, err
		}
	}
	x.node.Store(node)
	return true, nil
}

// isShown reports whether the preferred node has the witness of a state, or witnessPatience has passed.
func (x *Index) isShown(ctx context.Context, s *state) (bool, error) {
	shown, err := x.showsWitness(ctx, s)
	if err != nil || shown {
		x.awaitedSince = time.Time{}
		return shown, err
	}
	if x.awaitedSince.IsZero() {
		x.awaitedSince = time.Now()
	}
	if time.Since(x.awaitedSince) < witnessPatience {
		return false, nil
	}
	x.logger.Warn("the last document that was written to the search index is not seen", "collection", s.Collection)
	x.awaitedSince = time.Time{}
	return true, nil
}

// pollUntilShown polls until the preferred node has everything that the last state describes. A write that started from
// an older build would overwrite that state.
func (x *Index) pollUntilShown(ctx context.Context) error {
	return await(ctx, func() (bool, error) {
		if err := x.poll(ctx); err != nil {
			return false, err
		}
		if err := x.polling.begin(ctx); err != nil {
			return false, err
		}
		defer x.polling.finish()
		return x.awaitedSince.IsZero(), nil
	})
}

func (x *Index) showsWitness(ctx context.Context, s *state) (bool, error) {
	if s.Witness == "" {
		return true, nil
	}
	answer, err := x.server.searchOne(ctx, s.Collection, searchRequest{
		Q: "*", FilterBy: "id:[" + s.Witness + "]", PerPage: 1, IncludeFields: "id," + fieldVersion,
	})
	switch {
	case errors.Is(err, errGone): // a node that has not received the collection yet
		return false, unavailable("has not loaded its documents yet", err)
	case err != nil:
		return false, err
	}
	seen, err := documentsOf[searchHitDocument](answer.Hits)
	if len(seen) == 0 {
		return s.WitnessVersion == 0, err
	}
	return s.WitnessVersion > 0 && seen[0].Version >= s.WitnessVersion, nil
}
