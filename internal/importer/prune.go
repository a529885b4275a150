package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// pruneBatch is the number of things that one transaction looks at.
const pruneBatch = 1_000

// prune deletes what the run did not mention, where that was asked for: videos first and then the
// other kinds in the reverse order of references, so that what only pruned things refer to goes too.
func (r *run) prune(ctx context.Context, write func(context.Context, func(context.Context, store.Tx) error) error) error {
	if !r.Prune {
		return nil
	}
	if n := r.counts.rejected(); n > 0 {
		r.pruneRefused = fmt.Sprintf("%d lines were rejected, so what they speak of would be taken for gone", n)
		return nil
	}
	for _, from := range r.origins() {
		if err := r.pruneOrigin(ctx, from, write); err != nil {
			return err
		}
	}
	return nil
}

// origins lists where the run brought things from, in the order in which they are pruned.
func (r *run) origins() []origin {
	var list []origin
	for from := range r.seen {
		list = append(list, from)
	}
	slices.SortFunc(list, func(a, b origin) int {
		if order := rank[b.kind] - rank[a.kind]; order != 0 {
			return order
		}
		return strings.Compare(a.source, b.source)
	})
	return list
}

func (r *run) pruneOrigin(ctx context.Context, from origin, write func(context.Context, func(context.Context, store.Tx) error) error) error {
	seen := r.seen[from]
	slices.SortFunc(seen, compareRaw)
	seen = slices.Compact(seen)
	for after, more := catalogue.ID(""), true; more; {
		var gone, kept []catalogue.ID
		last := after
		err := write(ctx, func(ctx context.Context, tx store.Tx) error {
			ids, err := tx.Of(ctx, from.kind, from.source, after, pruneBatch)
			if err != nil || len(ids) == 0 {
				more = false
				return err
			}
			last = ids[len(ids)-1]
			gone = unseen(ids, seen)
			kept, err = tx.Delete(ctx, from.kind, gone)
			return err
		})
		if err != nil {
			return err
		}
		after = last
		r.countPruned(from.kind, gone, kept)
	}
	return nil
}

// unseen returns those of the IDs that the run did not mention; seen is sorted.
func unseen(ids []catalogue.ID, seen []rawID) (gone []catalogue.ID) {
	for _, id := range ids {
		if _, mentioned := slices.BinarySearchFunc(seen, rawIDOf(id), compareRaw); !mentioned {
			gone = append(gone, id)
		}
	}
	return gone
}

func compareRaw(a, b rawID) int { return slices.Compare(a[:], b[:]) }

func (r *run) countPruned(kind catalogue.Kind, gone, kept []catalogue.ID) {
	counts := r.counts.of(kind)
	counts.Pruned += len(gone) - len(kept)
	counts.Kept += len(kept)
	for _, id := range kept {
		r.Report(Fault{Kind: kind, ID: id, Problem: "not pruned: something still refers to it"})
	}
}
