package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Stored implements storelogic.Engine.
func (t *transaction) Stored(ctx context.Context, asked storelogic.Requested) (stored storelogic.Stored, err error) {
	if len(asked.Entities) > 0 {
		if stored.Entities, err = t.storedEntities(ctx, asked.Entities); err != nil {
			return stored, err
		}
	}
	if len(asked.Videos) > 0 {
		if stored.Videos, err = t.storedVideos(ctx, asked.Videos); err != nil {
			return stored, err
		}
	}
	if len(asked.Records) > 0 {
		stored.Records, err = t.storedRecords(ctx, asked.Records)
	}
	return stored, err
}

var selectStoredEntities = define(`
	SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.number, e.body
	FROM json_each(?) AS asked
	CROSS JOIN entities AS e ON e.id = asked.value`)

func (t *transaction) storedEntities(ctx context.Context, ids []catalogue.ID) (map[storelogic.Thing]*storelogic.Entity, error) {
	stored := make(map[storelogic.Thing]*storelogic.Entity)
	err := t.query(ctx, selectStoredEntities, func(rows *sql.Rows) error {
		var (
			meta   catalogue.Meta
			kind   catalogue.Kind
			entity storelogic.Entity
		)
		err := scanMeta(rows, &meta, &kind, &entity.Number, &entity.Body)
		if err == nil {
			entity.Item, err = storelogic.DecodeEntity(kind, meta, entity.Body)
		}
		stored[storelogic.Thing{Kind: kind, ID: meta.ID}] = &entity
		return err
	}, idList(ids))
	return stored, err
}

var selectStoredVideos = define(`
	SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body, t.sum
	FROM json_each(?) AS asked
	CROSS JOIN videos AS v ON v.id = asked.value
	CROSS JOIN video_bodies AS b ON b.seq = v.seq
	LEFT JOIN video_transcripts AS t ON t.seq = v.seq`)

func (t *transaction) storedVideos(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]*storelogic.Video, error) {
	stored := make(map[catalogue.ID]*storelogic.Video)
	err := t.query(ctx, selectStoredVideos, func(rows *sql.Rows) error {
		video := &storelogic.Video{}
		err := scanMeta(rows, &video.Meta, &video.Sequence, &video.Body, &video.Transcript)
		stored[video.Meta.ID] = video
		return err
	}, idList(ids))
	return stored, err
}

var (
	selectNumbers = define(`
		SELECT e.kind, e.id, e.number FROM json_each(?) AS asked CROSS JOIN entities AS e ON e.id = asked.value`)
	selectVideoNumbers = define(`
		SELECT 'video', v.id, v.seq FROM json_each(?) AS asked CROSS JOIN videos AS v ON v.id = asked.value`)
	selectRecordNumbers = define(`
		SELECT cr.kind, cr.id, cr.number FROM json_each(?) AS asked CROSS JOIN catalogue_records AS cr ON cr.id = asked.value`)
	selectNames = define(`
		SELECT e.kind, e.folded, e.id FROM json_each(?) AS asked CROSS JOIN entities AS e ON e.folded = asked.value`)
)

// Claimed implements storelogic.Engine.
func (t *transaction) Claimed(ctx context.Context, claims storelogic.Claims) (storelogic.Claimed, error) {
	claimed := storelogic.NewClaimed()
	for _, of := range []struct {
		*statement
		ids []catalogue.ID
	}{
		{selectNumbers, claims.Targets.Entities}, {selectVideoNumbers, claims.Targets.Videos},
		{selectRecordNumbers, claims.Targets.Records},
	} {
		if err := t.numbers(ctx, of.statement, of.ids, claimed.Numbers); err != nil {
			return claimed, err
		}
	}
	if len(claims.Names) > 0 {
		err := t.query(ctx, selectNames, func(rows *sql.Rows) error {
			var (
				taken storelogic.Name
				id    catalogue.ID
			)
			err := rows.Scan(&taken.Kind, &taken.Folded, &id)
			claimed.Names[taken] = id
			return err
		}, jsonList(claims.Names))
		if err != nil {
			return claimed, err
		}
	}
	if len(claims.Aliases) == 0 {
		return claimed, nil
	}
	return claimed, t.aliases(ctx, claims.Aliases, claimed.Aliases)
}

// numbers adds to numbers those that a statement finds for these IDs.
func (t *transaction) numbers(ctx context.Context, st *statement, ids []catalogue.ID, numbers storelogic.Numbers) error {
	if len(ids) == 0 {
		return nil
	}
	return t.query(ctx, st, func(rows *sql.Rows) error {
		var (
			thing  storelogic.Thing
			number int64
		)
		err := rows.Scan(&thing.Kind, &thing.ID, &number)
		numbers[thing] = number
		return err
	}, idList(ids))
}

var selectReferred = define(`
	SELECT asked.value FROM json_each(?) AS asked
	WHERE EXISTS (SELECT 1 FROM video_links WHERE target = asked.value)
		OR EXISTS (SELECT 1 FROM entity_links WHERE target = asked.value)`)

// Referred implements storelogic.Engine.
func (t *transaction) Referred(ctx context.Context, numbers []int64) (map[int64]bool, error) {
	referred := map[int64]bool{}
	err := t.query(ctx, selectReferred, func(rows *sql.Rows) error {
		var number int64
		err := rows.Scan(&number)
		referred[number] = true
		return err
	}, jsonList(numbers))
	return referred, err
}

var selectReplacements = define(`
	SELECT v.id, v.retired_into FROM json_each(?) AS asked
	CROSS JOIN videos AS v WHERE v.retired_into = asked.value`)

// Replacements implements storelogic.Engine.
func (t *transaction) Replacements(ctx context.Context, ids []catalogue.ID) (replacements []storelogic.Replacement, err error) {
	err = t.query(ctx, selectReplacements, func(rows *sql.Rows) error {
		var replacement storelogic.Replacement
		err := rows.Scan(&replacement.ID, &replacement.Into)
		replacements = append(replacements, replacement)
		return err
	}, idList(ids))
	return replacements, err
}
