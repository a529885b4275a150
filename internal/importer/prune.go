package importer

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// pruneBatch is the number of items per transaction.
const pruneBatch = 1_000

// prune deletes, if requested, the items that the run did not mention: kind by kind in the reverse order of references,
// so that items that only pruned ones refer to are deleted as well.
func (r *run) prune(ctx context.Context, write func(context.Context, func(context.Context, store.Tx) error) error) error {
	if !r.mayPrune() {
		return nil
	}
	for kind := range r.mentioned {
		r.sortMentioned(kind)
	}
	plan, refused, err := r.planPrune(ctx, write)
	if r.pruneRefused = refused; err != nil || refused != "" {
		return err
	}
	for _, from := range r.sortedOrigins() {
		for some := range slices.Chunk(plan[from], pruneBatch) {
			if err := r.pruneSome(ctx, from, some, write); err != nil {
				return err
			}
		}
	}
	return nil
}

// DefaultPruneLimit is the share of the items of one kind, in percent, that pruning deletes without confirmation.
const DefaultPruneLimit = 10

// alwaysPruned is how many items of one kind pruning deletes without confirmation, regardless of their share.
const alwaysPruned = 10

// planPrune lists the items to delete, and returns why they must not be deleted, or "". Items that another writer adds
// later are not in the list, which would otherwise exceed the limit that it was compared with.
func (r *run) planPrune(ctx context.Context, write func(context.Context, func(context.Context, store.Tx) error) error) (plan map[origin][]rawID, refused string, err error) {
	plan = map[origin][]rawID{}
	gone, all := map[catalogue.Kind]int{}, map[catalogue.Kind]int{}
	for from := range r.origins {
		for after := catalogue.ID(""); ; {
			var ids []catalogue.ID
			err := write(ctx, func(ctx context.Context, tx store.Tx) (err error) {
				ids, err = tx.Of(ctx, from.kind, from.source, after, pruneBatch)
				return err
			})
			if err != nil {
				return nil, "", err
			}
			if len(ids) == 0 {
				break
			}
			after = ids[len(ids)-1]
			all[from.kind] += len(ids)
			for _, id := range unmentioned(ids, r.mentioned[from.kind]) {
				plan[from] = append(plan[from], rawIDOf(id))
				gone[from.kind]++
			}
		}
	}
	var reasons []string
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		if reason := r.tooMany(kind, gone[kind], all[kind]); reason != "" {
			reasons = append(reasons, reason)
		}
	}
	return plan, strings.Join(reasons, "; "), nil
}

// tooMany returns why so many items of one kind must not be deleted without confirmation, or "".
func (r *run) tooMany(kind catalogue.Kind, gone, all int) string {
	if r.ConfirmPrune || gone <= alwaysPruned || gone*100 <= r.PruneLimit*all {
		return ""
	}
	return fmt.Sprintf("%d of %d things of kind %s would go, which is more than %d and more than %d %%; if the input is complete, repeat the import with --confirm-prune",
		gone, all, kind, alwaysPruned, r.PruneLimit)
}

// mayPrune reports whether pruning was requested and no line has been rejected.
func (r *run) mayPrune() bool {
	if n := r.counts.rejected(); r.Prune && n > 0 {
		r.pruneRefused = fmt.Sprintf("%d lines were rejected, so their items would be pruned as missing", n)
	}
	return r.Prune && r.pruneRefused == ""
}

// sortMentioned sorts the mentioned items of a kind for unmentioned.
func (r *run) sortMentioned(kind catalogue.Kind) {
	ids := r.mentioned[kind]
	slices.SortFunc(ids, compareRaw)
	r.mentioned[kind] = slices.Compact(ids)
}

// sortedOrigins lists the sources and kinds of the run, in the order of pruning.
func (r *run) sortedOrigins() []origin {
	return slices.SortedFunc(maps.Keys(r.origins), func(a, b origin) int {
		return cmp.Or(rank[b.kind]-rank[a.kind], strings.Compare(a.source, b.source))
	})
}

// pruneSome deletes planned items that still exist and come from the same source.
func (r *run) pruneSome(ctx context.Context, from origin, planned []rawID, write func(context.Context, func(context.Context, store.Tx) error) error) error {
	ids := make([]catalogue.ID, len(planned))
	for i, raw := range planned {
		ids[i] = raw.id()
	}
	var gone, kept, held, retired []catalogue.ID
	err := write(ctx, func(ctx context.Context, tx store.Tx) error {
		items, err := tx.Items(ctx, from.kind, ids)
		if err != nil {
			return err
		}
		present := slices.DeleteFunc(slices.Clone(ids), func(id catalogue.ID) bool {
			return items[id] == nil || items[id].Head().Source != from.source
		})
		if gone, held, retired, err = r.retireHeld(ctx, tx, present, items); err != nil {
			return err
		}
		if kept, err = tx.Delete(ctx, from.kind, gone); err != nil {
			return err
		}
		if err := r.noteDeleted(ctx, tx, items, deletedOf(gone, kept)); err != nil {
			return err
		}
		return r.forgetBeforehand(ctx, from.kind, gone, kept)
	})
	if err != nil {
		return err
	}
	r.countPruned(from.kind, gone, kept)
	r.countHeld(from.kind, held, retired)
	return nil
}

// retireHeld takes the items with held fields out of those to delete. It retires the videos among them, unless somebody
// restored them, until a line mentions them again.
func (r *run) retireHeld(ctx context.Context, tx store.Tx, ids []catalogue.ID, items map[catalogue.ID]catalogue.Item) (gone, held, retired []catalogue.ID, err error) {
	var (
		videos  []catalogue.Item
		changes []itemChange
	)
	for _, id := range ids {
		if items[id] == nil || len(items[id].Head().Held) == 0 {
			gone = append(gone, id)
			continue
		}
		held = append(held, id)
		video, ok := items[id].(*catalogue.Video)
		if ok && !video.Retired && !video.Holds("retired") {
			before := *video
			video.Retired, video.Pruned = true, true
			retired, videos, changes = append(retired, id), append(videos, video), append(changes, itemChange{&before, video})
		}
	}
	if len(retired) == 0 {
		return gone, held, nil, nil
	}
	if _, err := tx.Put(ctx, videos); err != nil {
		return nil, nil, nil, err
	}
	if note := r.noteItems(); note != nil {
		err = note(ctx, tx, changes)
	}
	return gone, held, retired, err
}

// noteDeleted logs the deletion of items.
func (r *run) noteDeleted(ctx context.Context, tx store.Tx, items map[catalogue.ID]catalogue.Item, deleted []catalogue.ID) error {
	note := r.noteItems()
	if note == nil {
		return nil
	}
	var changes []itemChange
	for _, id := range deleted {
		if item := items[id]; item != nil {
			changes = append(changes, itemChange{before: item})
		}
	}
	return note(ctx, tx, changes)
}

func (r *run) countHeld(kind catalogue.Kind, held, retired []catalogue.ID) {
	r.counts.of(kind).Kept += len(held)
	for _, id := range held {
		problem := "not pruned: fields of it are held"
		if slices.Contains(retired, id) {
			problem = "retired instead of pruned: fields of it are held"
		}
		r.Report(Fault{Kind: kind, ID: id, Problem: problem, Held: true})
	}
}

// forgetBeforehand removes videos from collections while their deletion can still be undone: if that fails, or the
// process dies before the catalogue's commit, the next run prunes the videos.
func (r *run) forgetBeforehand(ctx context.Context, kind catalogue.Kind, gone, kept []catalogue.ID) error {
	deleted := deletedOf(gone, kept)
	if r.DryRun || r.Collections == nil || kind != catalogue.KindVideo || len(deleted) == 0 {
		return nil
	}
	if err := r.Collections.Store.ForgetVideos(ctx, deleted); err != nil {
		return fmt.Errorf("videos are not pruned, for they cannot be taken out of collections: %w", err)
	}
	return nil
}

// deletedOf returns the deleted items.
func deletedOf(gone, kept []catalogue.ID) []catalogue.ID {
	return slices.DeleteFunc(slices.Clone(gone), func(id catalogue.ID) bool { return slices.Contains(kept, id) })
}

// forgetVideos removes pruned videos from the collections that lines of this run have added them to.
func (r *run) forgetVideos(ctx context.Context) error {
	if r.Collections == nil {
		return nil
	}
	for some := range slices.Chunk(r.prunedVideos, pruneBatch) {
		if err := r.patiently(ctx, func() error { return r.Collections.Store.ForgetVideos(ctx, some) }); err != nil {
			return fmt.Errorf("pruned videos stay in collections, which do not show them: %w", err)
		}
	}
	return nil
}

// unmentioned returns the ids that are not among the mentioned ones, which must be sorted.
func unmentioned(ids []catalogue.ID, mentioned []rawID) (gone []catalogue.ID) {
	for _, id := range ids {
		if _, found := slices.BinarySearchFunc(mentioned, rawIDOf(id), compareRaw); !found {
			gone = append(gone, id)
		}
	}
	return gone
}

// rawID is an id in binary form, at half the size.
type rawID [catalogue.IDLength / 2]byte

func rawIDOf(id catalogue.ID) (raw rawID) {
	_, _ = hex.Decode(raw[:], []byte(id)) // the store and the decoder accept only hexadecimal ids
	return raw
}

func (raw rawID) id() catalogue.ID { return catalogue.ID(hex.EncodeToString(raw[:])) }

func compareRaw(a, b rawID) int { return slices.Compare(a[:], b[:]) }

func (r *run) countPruned(kind catalogue.Kind, gone, kept []catalogue.ID) {
	counts := r.counts.of(kind)
	counts.Pruned += len(gone) - len(kept)
	counts.Kept += len(kept)
	if kind == catalogue.KindVideo {
		r.prunedVideos = append(r.prunedVideos, deletedOf(gone, kept)...)
	}
	for _, id := range kept {
		r.Report(Fault{Kind: kind, ID: id, Problem: "not pruned: something still refers to it"})
	}
}
