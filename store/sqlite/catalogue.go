// Package sqlite is the default storage engine. The catalogue, the accounts, the event log, the usage counts, the
// collections and the search log have one file each, because a file has one writer at a time. The engine serves one
// machine. Several processes may use the same files concurrently.
package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Catalogue is a store.Catalogue, a store.Leases and a store.Historian in one SQLite file.
type Catalogue struct {
	*database
	*sqlstore.Leases
	*sqlstore.CatalogueAudit
}

var (
	_ store.Catalogue = (*Catalogue)(nil)
	_ store.Leases    = (*Catalogue)(nil)
	_ store.Historian = (*Catalogue)(nil)
)

// OpenCatalogue opens the catalogue in a file, after creating it or bringing its schema up to date (MigrateCatalogue).
// The folder must exist.
func OpenCatalogue(ctx context.Context, path string, options ...Option) (*Catalogue, error) {
	d, err := open(ctx, path, migrationsOf("catalogue"), options)
	if err != nil {
		return nil, err
	}
	return &Catalogue{d, sqlstore.NewLeases(shared{d}), sqlstore.NewCatalogueAudit(shared{d})}, nil
}

var selectVideos = define(`
	SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body
	FROM json_each(?) AS asked
	CROSS JOIN videos AS v ON v.id = asked.value
	CROSS JOIN video_bodies AS b ON b.seq = v.seq`)

// Videos implements store.Catalogue.
func (c *Catalogue) Videos(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error) {
	videos := make([]*catalogue.Video, 0, len(ids))
	err := c.read(ctx, func(s *session) error {
		return s.query(ctx, selectVideos, func(rows *sql.Rows) error {
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

// A video inherits whether it is private, and its categories, from its channel. The statement reads the channel with
// the video, so that a channel that becomes private hides its videos at once.
var selectStates = define(`
	SELECT v.id, v.version, v.seq, v.updated_at, v.available_until, e.private, v.retired, v.retired_into, b.body, e.body
	FROM json_each(?) AS asked
	CROSS JOIN videos AS v ON v.id = asked.value
	CROSS JOIN entities AS e ON e.number = v.channel
	CROSS JOIN video_bodies AS b ON b.seq = v.seq`)

// States implements store.Catalogue.
func (c *Catalogue) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	states := make([]catalogue.State, 0, len(ids))
	err := c.read(ctx, func(s *session) error {
		var row stateRow
		return s.query(ctx, selectStates, func(rows *sql.Rows) error {
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
	FROM json_each(?) AS asked
	CROSS JOIN videos AS v ON v.id = asked.value
	CROSS JOIN video_transcripts AS t ON t.seq = v.seq`)

// Transcripts implements store.Catalogue.
func (c *Catalogue) Transcripts(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]string, error) {
	texts := map[catalogue.ID]string{}
	err := c.read(ctx, func(s *session) error {
		return s.query(ctx, selectTranscripts, func(rows *sql.Rows) error {
			var (
				id   catalogue.ID
				text string
			)
			err := rows.Scan(&id, &text)
			texts[id] = text
			return err
		}, idList(ids))
	})
	if err != nil {
		return nil, err
	}
	return texts, nil
}

var selectAliases = define(`
	SELECT v.legacy_id, v.id
	FROM json_each(?) AS asked
	CROSS JOIN videos AS v ON v.legacy_id = asked.value`)

// Aliases implements store.Catalogue.
func (c *Catalogue) Aliases(ctx context.Context, legacy []string) (map[string]catalogue.ID, error) {
	ids := map[string]catalogue.ID{}
	if err := c.read(ctx, func(s *session) error { return s.aliases(ctx, legacy, ids) }); err != nil {
		return nil, err
	}
	return ids, nil
}

// aliases adds the video IDs of legacy identifiers to ids.
func (s *session) aliases(ctx context.Context, legacy []string, ids map[string]catalogue.ID) error {
	return s.query(ctx, selectAliases, func(rows *sql.Rows) error {
		var (
			alias string
			id    catalogue.ID
		)
		err := rows.Scan(&alias, &id)
		ids[alias] = id
		return err
	}, jsonList(legacy))
}

var selectEntities = define(`SELECT id, version, updated_at, source, reference, kind, body FROM entities`)

// Directory implements store.Catalogue.
func (c *Catalogue) Directory(ctx context.Context, atLeast store.Position) (*catalogue.Directory, error) {
	var (
		head  store.Position
		items []catalogue.Item
	)
	err := c.read(ctx, func(s *session) error {
		return s.reading(ctx, func() (err error) {
			if head, err = s.number(ctx, selectHead); err != nil {
				return err
			}
			if head < atLeast {
				return fault.Errorf(fault.Unavailable, "the catalogue has not reached position %d", atLeast)
			}
			return s.query(ctx, selectEntities, func(rows *sql.Rows) error {
				item, err := scanEntity(rows)
				items = append(items, item)
				return err
			})
		})
	})
	if err != nil {
		return nil, err
	}
	return catalogue.NewDirectory(head, items), nil
}

// scanEntity reads the columns of scanMeta, then kind and body.
func scanEntity(rows *sql.Rows) (catalogue.Item, error) {
	var (
		meta catalogue.Meta
		kind catalogue.Kind
		body sql.RawBytes
	)
	if err := scanMeta(rows, &meta, &kind, &body); err != nil {
		return nil, err
	}
	return storelogic.DecodeEntity(kind, meta, body)
}

var selectScan = define(`
	SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body, t.text
	FROM videos AS v
	CROSS JOIN video_bodies AS b ON b.seq = v.seq
	LEFT JOIN video_transcripts AS t ON t.seq = v.seq
	WHERE v.seq > ? ORDER BY v.seq LIMIT ?`)

// Scan implements store.Catalogue.
func (c *Catalogue) Scan(ctx context.Context, after int64, limit int) ([]*catalogue.Video, error) {
	var videos []*catalogue.Video
	err := c.read(ctx, func(s *session) error {
		return s.query(ctx, selectScan, func(rows *sql.Rows) error {
			var transcript *string
			video, err := scanVideo(rows, &transcript)
			if err == nil {
				video.Transcript = transcript
				videos = append(videos, video)
			}
			return err
		}, after, max(0, limit))
	})
	if err != nil {
		return nil, err
	}
	return videos, nil
}

var countVideos = define(`SELECT COUNT(*) FROM videos`)

// CountVideos implements store.Catalogue.
func (c *Catalogue) CountVideos(ctx context.Context) (n int, err error) {
	err = c.read(ctx, func(s *session) error {
		count, err := s.number(ctx, countVideos)
		n = int(count)
		return err
	})
	return n, err
}
