package typesense

import (
	"context"
	"encoding/json"
	"time"
)

// A node of a cluster does what it is told in a queue for each collection, a while after the leader. So a
// state may be there before the documents of which it speaks, and answers found meanwhile would be
// remembered as those of its position. The last document of a write is in the same queue as the others:
// where it is seen, all are.

// witnessPatience is how long that document is waited for. It may have gone for other reasons: whoever
// was removing it died before the next state was written.
const witnessPatience = 2 * time.Second

// isShownHere reports whether the node that is asked shows all of a sight. One that was not asked before may
// not even show what another did: until it does, searches are refused.
func (x *Index) isShownHere(ctx context.Context, seen *sight) (bool, error) {
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

// isShown reports whether the node that is asked shows what a state speaks of, or has been waited for long
// enough.
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

// lookUntilShown looks what is there, and waits until it is shown: who goes on from less writes over it.
func (x *Index) lookUntilShown(ctx context.Context) error {
	return await(ctx, func() (bool, error) {
		if err := x.look(ctx); err != nil {
			return false, err
		}
		if err := x.looking.take(ctx); err != nil {
			return false, err
		}
		defer x.looking.leave()
		return x.awaitedSince.IsZero(), nil
	})
}

func (x *Index) showsWitness(ctx context.Context, s *state) (bool, error) {
	if s.Witness == "" {
		return true, nil
	}
	answers, err := x.server.searchIn(ctx, s.Collection, []searchRequest{
		{Q: "*", FilterBy: "id:[" + s.Witness + "]", PerPage: 1, IncludeFields: "id," + fieldVersion},
	})
	if err != nil {
		return false, err
	}
	if len(answers[0].Hits) == 0 {
		return s.WitnessVersion == 0, nil
	}
	var seen struct {
		Version int64 `json:"version"`
	}
	if err := json.Unmarshal(answers[0].Hits[0].Document, &seen); err != nil {
		return false, unavailable("keeps what is no document", err)
	}
	return s.WitnessVersion > 0 && seen.Version >= s.WitnessVersion, nil
}
