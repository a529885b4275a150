package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/writing"
)

// Stored implements writing.Engine.
func (t *transaction) Stored(ctx context.Context, entities, videos []catalogue.ID) (stored writing.Stored, err error) {
	if len(entities) > 0 {
		if stored.Entities, err = t.storedEntities(ctx, entities); err != nil {
			return stored, err
		}
	}
	if len(videos) > 0 {
		stored.Videos, err = t.storedVideos(ctx, videos)
	}
	return stored, err
}

var selectStoredEntities = define(`
	SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.number, e.body
	FROM json_each(?) AS asked
	CROSS JOIN entities AS e ON e.id = asked.value`)

func (t *transaction) storedEntities(ctx context.Context, ids []catalogue.ID) (map[writing.Thing]*writing.Entity, error) {
	stored := make(map[writing.Thing]*writing.Entity)
	err := t.query(ctx, selectStoredEntities, func(rows *sql.Rows) error {
		var (
			meta   catalogue.Meta
			kind   catalogue.Kind
			entity writing.Entity
		)
		err := scanMeta(rows, &meta, &kind, &entity.Number, &entity.Body)
		if err == nil {
			entity.Item, err = writing.DecodeEntity(kind, meta, entity.Body)
		}
		stored[writing.Thing{Kind: kind, ID: meta.ID}] = &entity
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

func (t *transaction) storedVideos(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]*writing.Video, error) {
	stored := make(map[catalogue.ID]*writing.Video)
	err := t.query(ctx, selectStoredVideos, func(rows *sql.Rows) error {
		video := &writing.Video{}
		err := scanMeta(rows, &video.Meta, &video.Sequence, &video.Body, &video.Transcript)
		stored[video.Meta.ID] = video
		return err
	}, idList(ids))
	return stored, err
}

var (
	selectNumbers = define(`
		SELECT e.kind, e.id, e.number FROM json_each(?) AS asked CROSS JOIN entities AS e ON e.id = asked.value`)
	selectNames = define(`
		SELECT e.kind, e.folded, e.id FROM json_each(?) AS asked CROSS JOIN entities AS e ON e.folded = asked.value`)
)

// Claimed implements writing.Engine.
func (t *transaction) Claimed(ctx context.Context, claims writing.Claims) (writing.Claimed, error) {
	claimed := writing.NewClaimed()
	if len(claims.Targets) > 0 {
		err := t.query(ctx, selectNumbers, func(rows *sql.Rows) error {
			var (
				thing  writing.Thing
				number int64
			)
			err := rows.Scan(&thing.Kind, &thing.ID, &number)
			claimed.Numbers[thing] = number
			return err
		}, idList(claims.Targets))
		if err != nil {
			return claimed, err
		}
	}
	if len(claims.Names) > 0 {
		err := t.query(ctx, selectNames, func(rows *sql.Rows) error {
			var (
				taken writing.Name
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

var selectReferred = define(`
	SELECT asked.value FROM json_each(?) AS asked
	WHERE EXISTS (SELECT 1 FROM video_links WHERE target = asked.value)
		OR EXISTS (SELECT 1 FROM entity_links WHERE target = asked.value)`)

// Referred implements writing.Engine.
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
