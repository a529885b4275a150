// Package sqlite is the default store: one file for the catalogue and one for the accounts, apart,
// because each file has one writer at a time. It serves one machine; several processes may use the
// same files at once.
package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/writing"
)

// Catalogue is a store.Catalogue in one SQLite file.
type Catalogue struct{ *database }

var _ store.Catalogue = (*Catalogue)(nil)

// OpenCatalogue opens the catalogue in a file, creating it or bringing its schema up to date first
// (MigrateCatalogue). The folder must be there.
func OpenCatalogue(ctx context.Context, path string, options ...Option) (*Catalogue, error) {
	d, err := open(ctx, path, migrationsOf("catalogue"), options)
	if err != nil {
		return nil, err
	}
	return &Catalogue{d}, nil
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

// A video is private where its channel is: looked up when it is read, so that a channel that
// becomes private hides its videos in the same moment.
var selectStates = define(`
	SELECT v.id, v.version, v.seq, v.updated_at, v.available_until,
		v.channel IN (SELECT number FROM entities WHERE private = 1), v.retired, v.retired_into
	FROM json_each(?) AS asked
	CROSS JOIN videos AS v ON v.id = asked.value`)

// States implements store.Catalogue.
func (c *Catalogue) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	states := make([]catalogue.State, 0, len(ids))
	err := c.read(ctx, func(s *session) error {
		var row stateRow
		targets := row.targets()
		return s.query(ctx, selectStates, func(rows *sql.Rows) error {
			err := rows.Scan(targets...)
			states = append(states, row.state())
			return err
		}, idList(ids))
	})
	if err != nil {
		return nil, err
	}
	return states, nil
}

// stateRow takes the columns of selectStates, in types that need no conversion: states are read by
// the hundred, and converting would be a good part of the cost.
type stateRow struct {
	id                         string
	version, sequence, updated int64
	until                      sql.NullInt64
	private, retired           int64
	into                       sql.NullString
}

func (r *stateRow) targets() []any {
	return []any{&r.id, &r.version, &r.sequence, &r.updated, &r.until, &r.private, &r.retired, &r.into}
}

func (r *stateRow) state() catalogue.State {
	state := catalogue.State{
		Ref: catalogue.Ref{ID: catalogue.ID(r.id), Version: r.version}, Sequence: r.sequence,
		UpdatedAt: instant(r.updated), Private: r.private == 1, Retired: r.retired == 1,
	}
	if r.until.Valid {
		date := catalogue.Date(r.until.Int64)
		state.AvailableUntil = &date
	}
	if r.into.Valid {
		twin := catalogue.ID(r.into.String)
		state.RetiredInto = &twin
	}
	return state
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

// aliases adds the IDs behind legacy identifiers.
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
				return catalogue.Errorf(catalogue.Unavailable, "the catalogue has not reached position %d", atLeast)
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
	return writing.DecodeEntity(kind, meta, body)
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
