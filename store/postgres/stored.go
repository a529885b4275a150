package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectVideoItems  = selectVideos
	selectEntityItems = define(`
		SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.body
		FROM unnest($1::text[]) AS asked(id) JOIN entities AS e ON e.id = asked.id AND e.kind = $2`)
	selectRecordItems = selectOwnedItems
)

// Items implements storelogic.Engine.
func (t *transaction) Items(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]catalogue.Item, error) {
	items := make(map[catalogue.ID]catalogue.Item, len(ids))
	st := selectEntityItems
	if kind.IsRecord() {
		st = selectRecordItems
	}
	err := t.send(ctx, func(p *pipeline) {
		if kind == catalogue.KindVideo {
			p.ask(selectVideoItems, func(rows pgx.Rows) error {
				video, err := scanVideo(rows)
				if err == nil {
					items[video.ID] = video
				}
				return err
			}, idList(ids))
			return
		}
		p.ask(st, func(rows pgx.Rows) error {
			item, err := scanEntity(rows)
			if err == nil {
				items[item.Head().ID] = item
			}
			return err
		}, idList(ids), string(kind))
	})
	return items, err
}

var (
	selectVideosOf        = define(`SELECT id FROM videos WHERE source = $1 AND id > $2 ORDER BY id LIMIT $3`)
	selectEntitiesOf      = define(`SELECT id FROM entities WHERE kind = $1 AND source = $2 AND id > $3 ORDER BY id LIMIT $4`)
	selectRecordsOfSource = define(`SELECT id FROM catalogue_records WHERE kind = $1 AND source = $2 AND id > $3 ORDER BY id LIMIT $4`)
)

// Of implements storelogic.Engine.
func (t *transaction) Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) (ids []catalogue.ID, err error) {
	collect := func(rows pgx.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, catalogue.ID(id))
		return err
	}
	err = t.send(ctx, func(p *pipeline) {
		switch {
		case kind == catalogue.KindVideo:
			p.ask(selectVideosOf, collect, []byte(source), string(after), limit)
		case kind.IsRecord():
			p.ask(selectRecordsOfSource, collect, string(kind), []byte(source), string(after), limit)
		default:
			p.ask(selectEntitiesOf, collect, string(kind), []byte(source), string(after), limit)
		}
	})
	return ids, err
}

var (
	selectStoredEntities = define(`
		SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.number, e.body
		FROM unnest($1::text[]) AS asked(id) JOIN entities AS e ON e.id = asked.id`)
	selectStoredVideos = define(`
		SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body, t.sum
		FROM unnest($1::text[]) AS asked(id)
		JOIN videos AS v ON v.id = asked.id
		JOIN video_bodies AS b ON b.seq = v.seq
		LEFT JOIN video_transcripts AS t ON t.seq = v.seq`)
)

// Stored implements storelogic.Engine.
func (t *transaction) Stored(ctx context.Context, asked storelogic.Requested) (storelogic.Stored, error) {
	stored := storelogic.Stored{
		Entities: map[storelogic.Thing]*storelogic.Entity{}, Videos: map[catalogue.ID]*storelogic.Video{},
		Records: map[storelogic.Thing]*storelogic.Record{},
	}
	err := t.send(ctx, func(p *pipeline) {
		if len(asked.Entities) > 0 {
			p.ask(selectStoredEntities, func(rows pgx.Rows) error { return scanStoredEntity(rows, stored.Entities) }, idList(asked.Entities))
		}
		if len(asked.Records) > 0 {
			p.ask(selectStoredOwnedItems, func(rows pgx.Rows) error { return scanStoredOwnedItem(rows, stored.Records) }, idList(asked.Records))
		}
		if len(asked.Videos) > 0 {
			p.ask(selectStoredVideos, func(rows pgx.Rows) error {
				video := &storelogic.Video{}
				err := scanMeta(rows, &video.Meta, &video.Sequence, &video.Body, &video.Transcript)
				stored.Videos[video.Meta.ID] = video
				return err
			}, idList(asked.Videos))
		}
	})
	return stored, err
}

func scanStoredEntity(rows pgx.Rows, stored map[storelogic.Thing]*storelogic.Entity) error {
	var (
		meta   catalogue.Meta
		kind   string
		entity storelogic.Entity
	)
	err := scanMeta(rows, &meta, &kind, &entity.Number, &entity.Body)
	if err == nil {
		entity.Item, err = storelogic.DecodeEntity(catalogue.Kind(kind), meta, entity.Body)
	}
	stored[storelogic.Thing{Kind: catalogue.Kind(kind), ID: meta.ID}] = &entity
	return err
}

var (
	selectNumbers = define(`
		SELECT e.kind, e.id, e.number FROM unnest($1::text[]) AS asked(id) JOIN entities AS e ON e.id = asked.id`)
	selectVideoNumbers = define(`
		SELECT 'video', v.id, v.seq FROM unnest($1::text[]) AS asked(id) JOIN videos AS v ON v.id = asked.id`)
	selectRecordNumbers = define(`
		SELECT cr.kind, cr.id, cr.number FROM unnest($1::text[]) AS asked(id)
		CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE id = asked.id OFFSET 0) AS cr`)
	selectNames = define(`
		SELECT e.kind, e.folded, e.id FROM unnest($1::bytea[]) AS asked(folded) JOIN entities AS e ON e.folded = asked.folded`)
)

// Claimed implements storelogic.Engine.
func (t *transaction) Claimed(ctx context.Context, claims storelogic.Claims) (storelogic.Claimed, error) {
	claimed := storelogic.NewClaimed()
	err := t.send(ctx, func(p *pipeline) {
		p.numbers(selectNumbers, claims.Targets.Entities, claimed.Numbers)
		p.numbers(selectVideoNumbers, claims.Targets.Videos, claimed.Numbers)
		p.numbers(selectRecordNumbers, claims.Targets.Records, claimed.Numbers)
		if len(claims.Names) > 0 {
			p.ask(selectNames, func(rows pgx.Rows) error {
				var (
					kind, id string
					folded   pgtype.DriverBytes
				)
				err := rows.Scan(&kind, &folded, &id)
				claimed.Names[storelogic.Name{Kind: catalogue.Kind(kind), Folded: string(folded)}] = catalogue.ID(id)
				return err
			}, bytesOf(claims.Names))
		}
		if len(claims.Aliases) > 0 {
			p.aliases(claims.Aliases, claimed.Aliases)
		}
	})
	return claimed, err
}

// numbers adds to numbers the number of each item with one of these IDs that the statement finds.
func (p *pipeline) numbers(st *statement, ids []catalogue.ID, numbers storelogic.Numbers) {
	if len(ids) == 0 {
		return
	}
	p.ask(st, func(rows pgx.Rows) error {
		var (
			kind, id string
			number   int64
		)
		err := rows.Scan(&kind, &id, &number)
		numbers[storelogic.Thing{Kind: catalogue.Kind(kind), ID: catalogue.ID(id)}] = number
		return err
	}, idList(ids))
}

var selectReferred = define(`
	SELECT asked.target FROM unnest($1::bigint[]) AS asked(target)
	WHERE EXISTS (SELECT 1 FROM video_links AS l WHERE l.target = asked.target)
		OR EXISTS (SELECT 1 FROM entity_links AS l WHERE l.target = asked.target)`)

// Referred implements storelogic.Engine.
func (t *transaction) Referred(ctx context.Context, numbers []int64) (map[int64]bool, error) {
	referred := map[int64]bool{}
	err := t.send(ctx, func(p *pipeline) {
		p.ask(selectReferred, func(rows pgx.Rows) error {
			var number int64
			err := rows.Scan(&number)
			referred[number] = true
			return err
		}, numbers)
	})
	return referred, err
}

var selectReplacements = define(`
	SELECT v.id, v.retired_into FROM unnest($1::text[]) AS asked(id)
	JOIN videos AS v ON v.retired_into = asked.id COLLATE "C"`)

// Replacements implements storelogic.Engine.
func (t *transaction) Replacements(ctx context.Context, ids []catalogue.ID) (replacements []storelogic.Replacement, err error) {
	err = t.send(ctx, func(p *pipeline) {
		p.ask(selectReplacements, func(rows pgx.Rows) error {
			var id, into string
			err := rows.Scan(&id, &into)
			replacements = append(replacements, storelogic.Replacement{ID: catalogue.ID(id), Into: catalogue.ID(into)})
			return err
		}, idList(ids))
	})
	return replacements, err
}
