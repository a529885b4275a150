package storelogic

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Delete implements store.Tx.
func (t *Transaction) Delete(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (kept []catalogue.ID, err error) {
	err = t.doing(func() (err error) {
		switch {
		case kind == catalogue.KindVideo:
			kept, err = t.deleteVideos(ctx, once(ids))
		case kind.IsRecord():
			kept, err = t.deleteRecords(ctx, kind, once(ids))
		default:
			kept, err = t.deleteEntities(ctx, kind, once(ids))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// deleteVideos deletes videos with their owned items and removes them from themes. It keeps and returns a video that is
// the replacement of a video that is not deleted, because requests for the retired video are redirected to it.
func (t *Transaction) deleteVideos(ctx context.Context, ids []catalogue.ID) (kept []catalogue.ID, err error) {
	replacements, err := t.engine.Replacements(ctx, ids)
	if err != nil {
		return nil, err
	}
	ids, kept = withoutReplacements(ids, replacements)
	return kept, t.removeVideos(ctx, ids)
}

// withoutReplacements splits the IDs of videos into those that can be deleted together and those that must be kept.
func withoutReplacements(ids []catalogue.ID, replacements []Replacement) (gone, kept []catalogue.ID) {
	removed := make(map[catalogue.ID]bool, len(ids))
	for _, id := range ids {
		removed[id] = true
	}
	for again := true; again; { // a kept video may itself have a replacement
		again = false
		for _, one := range replacements {
			if removed[one.Into] && !removed[one.ID] {
				removed[one.Into], again = false, true
			}
		}
	}
	for _, id := range ids {
		if removed[id] {
			gone = append(gone, id)
		} else {
			kept = append(kept, id)
		}
	}
	return gone, kept
}

func (t *Transaction) removeVideos(ctx context.Context, ids []catalogue.ID) error {
	stored, err := t.engine.Stored(ctx, Requested{Videos: ids})
	if err != nil {
		return err
	}
	owned, err := t.engine.Owned(ctx, catalogue.KindVideo, ids)
	if err != nil {
		return err
	}
	changes, items, gone := Changes{MoreRecords: map[catalogue.Kind]int64{}}, []catalogue.Item(nil), []catalogue.ID(nil)
	for _, record := range owned {
		t.removeRecord(&changes, record.Thing, record.Number)
	}
	for _, id := range ids {
		if row, ok := stored.Videos[id]; ok {
			video, err := row.video()
			if err != nil {
				return err
			}
			changes.NoVideos = append(changes.NoVideos, row.Sequence)
			items, gone = append(items, video), append(gone, id)
			position := t.entry(&changes, catalogue.KindVideo, id, true)
			changes.Removals = append(changes.Removals, RemovalRow{ID: id, Position: position, Reason: catalogue.Deleted})
		}
	}
	changes.NoTranscripts = changes.NoVideos
	if changes.NoVideoLinks, err = t.linksOf(ctx, items, changes.NoVideos); err != nil {
		return err
	}
	if err := t.dropFromThemes(ctx, &changes, gone); err != nil {
		return err
	}
	if err := t.dateRemovals(ctx, &changes); err != nil {
		return err
	}
	return t.engine.Apply(ctx, &changes)
}

// deleteEntities deletes items that no item refers to. A pending fan-out of a deleted item finds no videos and ends.
func (t *Transaction) deleteEntities(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (kept []catalogue.ID, err error) {
	stored, err := t.engine.Stored(ctx, Requested{Entities: ids})
	if err != nil {
		return nil, err
	}
	owning, err := t.owning(ctx, kind, ids)
	if err != nil {
		return nil, err
	}
	var asked []int64
	for _, entity := range stored.Entities {
		asked = append(asked, entity.Number)
	}
	referred, err := t.engine.Referred(ctx, asked)
	if err != nil {
		return nil, err
	}
	var (
		changes Changes
		items   []catalogue.Item
	)
	for _, id := range ids {
		entity, ok := stored.Entities[Thing{kind, id}]
		switch {
		case !ok:
		case referred[entity.Number] || owning[id]:
			kept = append(kept, id)
		default:
			changes.NoEntities = append(changes.NoEntities, entity.Number)
			items = append(items, entity.Item)
			t.entry(&changes, kind, id, true)
		}
	}
	if changes.NoEntityLinks, err = t.linksOf(ctx, items, changes.NoEntities); err != nil {
		return nil, err
	}
	return kept, t.engine.Apply(ctx, &changes)
}

// linksOf returns all links of items by target. numbers are the numbers of the items in links.
func (t *Transaction) linksOf(ctx context.Context, items []catalogue.Item, numbers []int64) (map[int64][]int64, error) {
	var links []catalogue.Link
	for _, item := range items {
		links = append(links, item.Links()...)
	}
	claimed, err := t.engine.Claimed(ctx, Claims{Targets: targetsOf(links)})
	if err != nil {
		return nil, err
	}
	gone := map[int64][]int64{}
	for i, item := range items {
		for _, target := range claimed.Numbers.targets(item.Links()) {
			gone[target] = append(gone[target], numbers[i])
		}
	}
	return gone, nil
}

// once removes repetitions and keeps the order.
func once(ids []catalogue.ID) []catalogue.ID {
	met := make(map[catalogue.ID]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id catalogue.ID) bool {
		again := met[id]
		met[id] = true
		return again
	})
}
