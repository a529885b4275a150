package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Delete implements store.Tx.
func (t *transaction) Delete(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (kept []catalogue.ID, err error) {
	err = t.doing(func() (err error) {
		if kind == catalogue.KindVideo {
			return t.deleteVideos(ctx, once(ids))
		}
		kept, err = t.deleteEntities(ctx, kind, once(ids))
		return err
	})
	if err != nil {
		return nil, err
	}
	return kept, nil
}

var (
	deleteBodies = define(`DELETE FROM video_bodies WHERE seq IN (SELECT value FROM json_each(?))`)
	deleteVideos = define(`DELETE FROM videos WHERE seq IN (SELECT value FROM json_each(?))`)
)

// deleteVideos removes videos with all that is theirs. Nothing keeps a video: that another is
// retired into it is no link.
func (t *transaction) deleteVideos(ctx context.Context, ids []catalogue.ID) error {
	stored, err := t.storedVideos(ctx, ids)
	if err != nil {
		return err
	}
	var (
		seqs  []int64
		items []catalogue.Item
	)
	log := &batch{insertion: insertOutbox}
	for _, id := range ids {
		if row, ok := stored[id]; ok {
			video, err := row.video()
			if err != nil {
				return err
			}
			seqs = append(seqs, row.seq)
			items = append(items, video)
			t.entry(log, catalogue.KindVideo, id, true)
		}
	}
	if err := t.unlinkAll(ctx, deleteVideoLinks, items, seqs); err != nil {
		return err
	}
	return t.deleteRows(ctx, log, seqs, deleteTranscripts, deleteBodies, deleteVideos)
}

var (
	selectReferred = define(`
		SELECT asked.value FROM json_each(?) AS asked
		WHERE EXISTS (SELECT 1 FROM video_links WHERE target = asked.value)
			OR EXISTS (SELECT 1 FROM entity_links WHERE target = asked.value)`)
	deleteEntities = define(`DELETE FROM entities WHERE number IN (SELECT value FROM json_each(?))`)
)

// deleteEntities removes things to which nothing refers. A fan-out that one of them still has finds no
// videos, and ends.
func (t *transaction) deleteEntities(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (kept []catalogue.ID, err error) {
	stored, err := t.storedEntities(ctx, ids)
	if err != nil {
		return nil, err
	}
	referred, err := t.referred(ctx, stored)
	if err != nil {
		return nil, err
	}
	var (
		numbers []int64
		items   []catalogue.Item
	)
	log := &batch{insertion: insertOutbox}
	for _, id := range ids {
		entity, ok := stored[thing{kind, id}]
		switch {
		case !ok:
		case referred[entity.number]:
			kept = append(kept, id)
		default:
			numbers = append(numbers, entity.number)
			items = append(items, entity.item)
			t.entry(log, kind, id, true)
		}
	}
	if err := t.unlinkAll(ctx, deleteEntityLinks, items, numbers); err != nil {
		return nil, err
	}
	return kept, t.deleteRows(ctx, log, numbers, deleteEntities)
}

// referred tells which of the things others refer to.
func (t *transaction) referred(ctx context.Context, stored map[thing]*storedEntity) (map[int64]bool, error) {
	var asked []int64
	for _, entity := range stored {
		asked = append(asked, entity.number)
	}
	referred := map[int64]bool{}
	err := t.query(ctx, selectReferred, func(rows *sql.Rows) error {
		var number int64
		err := rows.Scan(&number)
		referred[number] = true
		return err
	}, jsonList(asked))
	return referred, err
}

// unlinkAll removes every link of items, which links know by these numbers.
func (t *transaction) unlinkAll(ctx context.Context, st *statement, items []catalogue.Item, numbers []int64) error {
	var links []catalogue.Link
	for _, item := range items {
		links = append(links, item.Links()...)
	}
	known, err := t.numbersOf(ctx, links)
	if err != nil {
		return err
	}
	gone := pairs{}
	for i, item := range items {
		for _, target := range known.targets(item.Links()) {
			gone[target] = append(gone[target], numbers[i])
		}
	}
	return t.unlink(ctx, st, gone)
}

// deleteRows runs statements that take a list of numbers, and writes the log.
func (t *transaction) deleteRows(ctx context.Context, log *batch, numbers []int64, statements ...*statement) error {
	for _, st := range statements {
		if _, err := t.exec(ctx, st, jsonList(numbers)); err != nil {
			return err
		}
	}
	return log.flush(ctx, t.session)
}

// once drops repetitions, keeping the order.
func once(ids []catalogue.ID) []catalogue.ID {
	met := make(map[catalogue.ID]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id catalogue.ID) bool {
		again := met[id]
		met[id] = true
		return again
	})
}
