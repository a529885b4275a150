package sqlstore

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectStoredEntities = DefinePer(`
		SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.number, e.body
		FROM json_each(?) AS asked
		CROSS JOIN entities AS e ON e.id = asked.value`, `
		SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.number, e.body
		FROM unnest($1::text[]) AS asked(id) JOIN entities AS e ON e.id = asked.id`)
	selectStoredVideos = DefinePer(`
		SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body, t.sum
		FROM json_each(?) AS asked
		CROSS JOIN videos AS v ON v.id = asked.value
		CROSS JOIN video_bodies AS b ON b.seq = v.seq
		LEFT JOIN video_transcripts AS t ON t.seq = v.seq`, `
		SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body, t.sum
		FROM unnest($1::text[]) AS asked(id)
		JOIN videos AS v ON v.id = asked.id
		JOIN video_bodies AS b ON b.seq = v.seq
		LEFT JOIN video_transcripts AS t ON t.seq = v.seq`)
	selectStoredOwnedItems = DefinePer(`
		SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.number,
			IFNULL(cr.owner_kind, ''), IFNULL(cr.owner, ''), cr.body
		FROM json_each(?) AS asked
		CROSS JOIN catalogue_records AS cr ON cr.id = asked.value`, `
		SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.number,
			COALESCE(cr.owner_kind, ''), COALESCE(cr.owner, ''), cr.body
		FROM unnest($1::text[]) AS asked(id)
		CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE id = asked.id OFFSET 0) AS cr`)
)

// Stored implements storelogic.Engine.
func (t CatalogueTx) Stored(ctx context.Context, asked storelogic.Requested) (storelogic.Stored, error) {
	stored := storelogic.Stored{
		Entities: map[storelogic.Thing]*storelogic.Entity{}, Videos: map[catalogue.ID]*storelogic.Video{},
		Records: map[storelogic.Thing]*storelogic.Record{},
	}
	if len(asked.Entities) > 0 {
		t.c.Ask(ctx, selectStoredEntities, func(row Row) error { return scanStoredEntity(row, stored.Entities) }, IDs(asked.Entities))
	}
	if len(asked.Records) > 0 {
		t.c.Ask(ctx, selectStoredOwnedItems, func(row Row) error { return scanStoredOwnedItem(row, stored.Records) }, IDs(asked.Records))
	}
	if len(asked.Videos) > 0 {
		t.c.Ask(ctx, selectStoredVideos, func(row Row) error { return scanStoredVideo(row, stored.Videos) }, IDs(asked.Videos))
	}
	return stored, t.c.Send(ctx)
}

func scanStoredEntity(row Row, stored map[storelogic.Thing]*storelogic.Entity) error {
	var (
		meta   catalogue.Meta
		kind   string
		entity storelogic.Entity
	)
	err := scanMeta(row, &meta, &kind, &entity.Number, &entity.Body)
	if err == nil {
		entity.Item, err = storelogic.DecodeEntity(catalogue.Kind(kind), meta, entity.Body)
	}
	stored[storelogic.Thing{Kind: catalogue.Kind(kind), ID: meta.ID}] = &entity
	return err
}

func scanStoredOwnedItem(row Row, stored map[storelogic.Thing]*storelogic.Record) error {
	var kind string
	record := &storelogic.Record{}
	err := scanMeta(row, &record.Meta, &kind, &record.Number, (*string)(&record.Owner.Kind), (*string)(&record.Owner.ID), &record.Body)
	stored[storelogic.Thing{Kind: catalogue.Kind(kind), ID: record.Meta.ID}] = record
	return err
}

func scanStoredVideo(row Row, stored map[catalogue.ID]*storelogic.Video) error {
	video := &storelogic.Video{}
	err := scanMeta(row, &video.Meta, &video.Sequence, &video.Body, &video.Transcript)
	stored[video.Meta.ID] = video
	return err
}

var (
	selectNumbers = DefinePer(
		`SELECT e.kind, e.id, e.number FROM json_each(?) AS asked CROSS JOIN entities AS e ON e.id = asked.value`,
		`SELECT e.kind, e.id, e.number FROM unnest($1::text[]) AS asked(id) JOIN entities AS e ON e.id = asked.id`)
	selectVideoNumbers = DefinePer(
		`SELECT 'video', v.id, v.seq FROM json_each(?) AS asked CROSS JOIN videos AS v ON v.id = asked.value`,
		`SELECT 'video', v.id, v.seq FROM unnest($1::text[]) AS asked(id) JOIN videos AS v ON v.id = asked.id`)
	selectRecordNumbers = DefinePer(`
		SELECT cr.kind, cr.id, cr.number FROM json_each(?) AS asked CROSS JOIN catalogue_records AS cr ON cr.id = asked.value`, `
		SELECT cr.kind, cr.id, cr.number FROM unnest($1::text[]) AS asked(id)
		CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE id = asked.id OFFSET 0) AS cr`)
	selectNames = DefinePer(
		`SELECT e.kind, e.folded, e.id FROM json_each(?) AS asked CROSS JOIN entities AS e ON e.folded = asked.value`,
		`SELECT e.kind, e.folded, e.id FROM unnest($1::bytea[]) AS asked(folded) JOIN entities AS e ON e.folded = asked.folded`)
)

// Claimed implements storelogic.Engine.
func (t CatalogueTx) Claimed(ctx context.Context, claims storelogic.Claims) (storelogic.Claimed, error) {
	claimed := storelogic.NewClaimed()
	t.askNumbers(ctx, selectNumbers, claims.Targets.Entities, claimed.Numbers)
	t.askNumbers(ctx, selectVideoNumbers, claims.Targets.Videos, claimed.Numbers)
	t.askNumbers(ctx, selectRecordNumbers, claims.Targets.Records, claimed.Numbers)
	if len(claims.Names) > 0 {
		t.c.Ask(ctx, selectNames, func(row Row) error {
			var (
				name storelogic.Name
				id   catalogue.ID
			)
			err := row.Scan((*string)(&name.Kind), &name.Folded, (*string)(&id))
			claimed.Names[name] = id
			return err
		}, List(claims.Names))
	}
	if len(claims.Aliases) > 0 {
		askPairs(ctx, t.c, claimed.Aliases, selectAliases, List(claims.Aliases))
	}
	return claimed, t.c.Send(ctx)
}

// askNumbers adds to numbers the number of each item with one of these IDs that the statement finds.
func (t CatalogueTx) askNumbers(ctx context.Context, st *Statement, ids []catalogue.ID, numbers storelogic.Numbers) {
	if len(ids) == 0 {
		return
	}
	t.c.Ask(ctx, st, func(row Row) error {
		var (
			thing  storelogic.Thing
			number int64
		)
		err := row.Scan((*string)(&thing.Kind), (*string)(&thing.ID), &number)
		numbers[thing] = number
		return err
	}, IDs(ids))
}
