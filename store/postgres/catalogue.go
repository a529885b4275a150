package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Catalogue is a store.Catalogue in a PostgreSQL database. It also implements leases and the lineage of the database.
type Catalogue struct {
	engine
	*sqlstore.Leases
	*sqlstore.CatalogueAudit
}

var (
	_ store.Catalogue = (*Catalogue)(nil)
	_ store.Leases    = (*Catalogue)(nil)
	_ store.Historian = (*Catalogue)(nil)
)

// Catalogue returns the catalogue of the database. Closing the last engine on a database closes the database.
func (d *Database) Catalogue() *Catalogue {
	e := d.engine()
	db := shared{engine: e, reads: d.reading}
	return &Catalogue{e, sqlstore.NewLeases(db), sqlstore.NewCatalogueAudit(db)}
}

var selectVideos = define(`
	SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body
	FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
	JOIN videos AS v ON v.id = asked.id
	JOIN video_bodies AS b ON b.seq = v.seq
	ORDER BY asked.place`)

// Videos implements store.Catalogue.
func (c *Catalogue) Videos(ctx context.Context, ids []catalogue.ID) (videos []*catalogue.Video, err error) {
	err = c.readLagging(ctx, func(p *pipeline) {
		videos = make([]*catalogue.Video, 0, len(ids))
		p.ask(selectVideos, func(rows pgx.Rows) error {
			video, err := scanVideo(rows)
			videos = append(videos, video)
			return err
		}, idList(ids))
	})
	if err != nil {
		return nil, err
	}
	return videos, nil
}

// A video takes its privacy from its channel and has the channel's categories. The statement joins the channel at read
// time, so a channel that becomes private hides its videos in the same moment.
var selectStates = define(`
	SELECT v.id, v.version, v.seq, v.updated_at, v.available_until, e.private, v.retired, v.retired_into, b.body, e.body
	FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
	JOIN videos AS v ON v.id = asked.id
	JOIN entities AS e ON e.number = v.channel
	JOIN video_bodies AS b ON b.seq = v.seq
	ORDER BY asked.place`)

// States implements store.Catalogue.
func (c *Catalogue) States(ctx context.Context, ids []catalogue.ID) (states []catalogue.State, err error) {
	err = c.readLagging(ctx, func(p *pipeline) {
		states = make([]catalogue.State, 0, len(ids))
		var row stateRow
		p.ask(selectStates, func(rows pgx.Rows) error {
			state, err := row.scan(rows)
			states = append(states, state)
			return err
		}, idList(ids))
	})
	if err != nil {
		return nil, err
	}
	return states, nil
}

var selectTranscripts = define(`
	SELECT v.id, t.text
	FROM unnest($1::text[]) AS asked(id)
	JOIN videos AS v ON v.id = asked.id
	JOIN video_transcripts AS t ON t.seq = v.seq`)

// Transcripts implements store.Catalogue.
func (c *Catalogue) Transcripts(ctx context.Context, ids []catalogue.ID) (texts map[catalogue.ID]string, err error) {
	err = c.readLagging(ctx, func(p *pipeline) {
		texts = map[catalogue.ID]string{}
		p.ask(selectTranscripts, func(rows pgx.Rows) error {
			var (
				id   string
				text pgtype.DriverBytes
			)
			err := rows.Scan(&id, &text)
			texts[catalogue.ID(id)] = string(text)
			return err
		}, idList(ids))
	})
	if err != nil {
		return nil, err
	}
	return texts, nil
}

var selectAliases = define(`
	SELECT v.legacy_id, v.id FROM unnest($1::bytea[]) AS asked(legacy_id) JOIN videos AS v ON v.legacy_id = asked.legacy_id`)

// Aliases implements store.Catalogue.
func (c *Catalogue) Aliases(ctx context.Context, legacy []string) (ids map[string]catalogue.ID, err error) {
	err = c.readLagging(ctx, func(p *pipeline) {
		ids = map[string]catalogue.ID{}
		p.aliases(legacy, ids)
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// aliases adds to ids the video ID of each legacy identifier.
func (p *pipeline) aliases(legacy []string, ids map[string]catalogue.ID) {
	p.ask(selectAliases, func(rows pgx.Rows) error {
		var (
			alias pgtype.DriverBytes
			id    string
		)
		err := rows.Scan(&alias, &id)
		ids[string(alias)] = catalogue.ID(id)
		return err
	}, bytesOf(legacy))
}

var selectEntities = define(`SELECT id, version, updated_at, source, reference, kind, body FROM entities`)

// Directory implements store.Catalogue.
func (c *Catalogue) Directory(ctx context.Context, atLeast store.Position) (*catalogue.Directory, error) {
	var (
		position int64
		items    []catalogue.Item
	)
	err := c.readTogether(ctx, func(p *pipeline) {
		items = nil
		p.number(selectHead, &position)
		p.ask(selectEntities, func(rows pgx.Rows) error {
			item, err := scanEntity(rows)
			items = append(items, item)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	c.learn(position)
	if position < atLeast {
		return nil, fault.Errorf(fault.Unavailable, "the catalogue has not reached position %d", atLeast)
	}
	return catalogue.NewDirectory(position, items), nil
}

var selectScan = define(`
	SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body, t.text
	FROM videos AS v
	JOIN video_bodies AS b ON b.seq = v.seq
	LEFT JOIN video_transcripts AS t ON t.seq = v.seq
	WHERE v.seq > $1 ORDER BY v.seq LIMIT $2`)

// Scan implements store.Catalogue.
func (c *Catalogue) Scan(ctx context.Context, after int64, limit int) (videos []*catalogue.Video, err error) {
	err = c.readLagging(ctx, func(p *pipeline) {
		videos = nil
		p.ask(selectScan, func(rows pgx.Rows) error {
			var transcript pgtype.DriverBytes
			video, err := scanVideo(rows, &transcript)
			if err == nil && transcript != nil {
				text := string(transcript)
				video.Transcript = &text
			}
			videos = append(videos, video)
			return err
		}, after, max(0, limit))
	})
	if err != nil {
		return nil, err
	}
	return videos, nil
}

var countVideos = define(`SELECT videos FROM head WHERE one`)

// CountVideos implements store.Catalogue.
func (c *Catalogue) CountVideos(ctx context.Context) (int, error) {
	var n int64
	err := c.readLagging(ctx, func(p *pipeline) { p.number(countVideos, &n) })
	return int(n), err
}
