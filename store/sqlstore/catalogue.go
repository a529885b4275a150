package sqlstore

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// CatalogueDatabase is the database of a catalogue. The functions gather only ask statements. They must forget previous
// results, because the database may run them again.
type CatalogueDatabase interface {
	Database
	// ReadLagging runs the statements that gather asks. A replica may answer.
	ReadLagging(ctx context.Context, gather func(c Conn)) error
	// ReadTogether runs the statements that gather asks. All of them see the same snapshot of the database.
	ReadTogether(ctx context.Context, gather func(c Conn)) error
	// Change is like Write, in a transaction that excludes other writers of the catalogue. head is the last position.
	Change(ctx context.Context, fn func(ctx context.Context, c Conn, head store.Position) error) error
	// Learn notes a position that the catalogue has reached.
	Learn(position store.Position)
}

// Catalogue implements the reads of store.Catalogue that need no engine-specific code. It is safe for concurrent use.
type Catalogue struct{ db CatalogueDatabase }

// NewCatalogue returns the catalogue in a database.
func NewCatalogue(db CatalogueDatabase) *Catalogue { return &Catalogue{db} }

// Rows of the statements for SQLite have the order of the list that json_each reads, then of the index.
var (
	selectVideos = DefinePer(`
		SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body
		FROM json_each(?) AS asked
		CROSS JOIN videos AS v ON v.id = asked.value
		CROSS JOIN video_bodies AS b ON b.seq = v.seq`, `
		SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body
		FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
		JOIN videos AS v ON v.id = asked.id
		JOIN video_bodies AS b ON b.seq = v.seq
		ORDER BY asked.place`)
	selectTranscripts = DefinePer(`
		SELECT v.id, t.text
		FROM json_each(?) AS asked
		CROSS JOIN videos AS v ON v.id = asked.value
		CROSS JOIN video_transcripts AS t ON t.seq = v.seq`, `
		SELECT v.id, t.text
		FROM unnest($1::text[]) AS asked(id)
		JOIN videos AS v ON v.id = asked.id
		JOIN video_transcripts AS t ON t.seq = v.seq`)
	selectAliases = DefinePer(`
		SELECT v.legacy_id, v.id
		FROM json_each(?) AS asked
		CROSS JOIN videos AS v ON v.legacy_id = asked.value`, `
		SELECT v.legacy_id, v.id FROM unnest($1::bytea[]) AS asked(legacy_id) JOIN videos AS v ON v.legacy_id = asked.legacy_id`)
	selectItems = define(`SELECT id, version, updated_at, source, reference, kind, body FROM entities`).
			scanning("a directory is everything that is small")
	selectScan = DefinePer(`
		SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body, t.text
		FROM videos AS v
		CROSS JOIN video_bodies AS b ON b.seq = v.seq
		LEFT JOIN video_transcripts AS t ON t.seq = v.seq
		WHERE v.seq > ? ORDER BY v.seq LIMIT ?`, `
		SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body, t.text
		FROM videos AS v
		JOIN video_bodies AS b ON b.seq = v.seq
		LEFT JOIN video_transcripts AS t ON t.seq = v.seq
		WHERE v.seq > $1 ORDER BY v.seq LIMIT $2`)
	countVideos = DefinePer(`SELECT COUNT(*) FROM videos`, `SELECT videos FROM head WHERE one`).
			scanning("the number of videos is asked for at start-up and by readiness, and reads an index")
)

// Videos implements store.Catalogue.
func (c *Catalogue) Videos(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error) {
	return readLagging(ctx, c.db, make([]*catalogue.Video, 0, len(ids)), scanVideo, selectVideos, IDs(ids))
}

// readLagging fills list with the result of scan for each row of a statement that a replica may answer.
func readLagging[T any](ctx context.Context, db CatalogueDatabase, list []T, scan func(Row) (T, error), st *Statement, args ...any) ([]T, error) {
	err := db.ReadLagging(ctx, func(c Conn) { askAll(ctx, c, &list, scan, st, args...) })
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Transcripts implements store.Catalogue.
func (c *Catalogue) Transcripts(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]string, error) {
	return readPairs[catalogue.ID, string](ctx, c.db, selectTranscripts, IDs(ids))
}

// Aliases implements store.Catalogue.
func (c *Catalogue) Aliases(ctx context.Context, legacy []string) (map[string]catalogue.ID, error) {
	return readPairs[string, catalogue.ID](ctx, c.db, selectAliases, List(legacy))
}

// readPairs returns the rows of two texts of a statement that a replica may answer.
func readPairs[K, V ~string](ctx context.Context, db CatalogueDatabase, st *Statement, args ...any) (map[K]V, error) {
	pairs := map[K]V{}
	err := db.ReadLagging(ctx, func(c Conn) {
		clear(pairs)
		askPairs(ctx, c, pairs, st, args...)
	})
	if err != nil {
		return nil, err
	}
	return pairs, nil
}

// askPairs asks a statement that returns rows of two texts, and adds them to pairs.
func askPairs[K, V ~string](ctx context.Context, c Conn, pairs map[K]V, st *Statement, args ...any) {
	c.Ask(ctx, st, func(row Row) error {
		var key, value string
		err := row.Scan(&key, &value)
		pairs[K(key)] = V(value)
		return err
	}, args...)
}

// Directory implements store.Catalogue.
func (c *Catalogue) Directory(ctx context.Context, atLeast store.Position) (*catalogue.Directory, error) {
	var (
		head  store.Position
		items []catalogue.Item
	)
	err := c.db.ReadTogether(ctx, func(c Conn) {
		askNumber(ctx, c, &head, SelectHead)
		askAll(ctx, c, &items, scanItem, selectItems)
	})
	if err != nil {
		return nil, err
	}
	c.db.Learn(head)
	if head < atLeast {
		return nil, fault.Errorf(fault.Unavailable, "the catalogue has not reached position %d", atLeast)
	}
	return catalogue.NewDirectory(head, items), nil
}

// Scan implements store.Catalogue.
func (c *Catalogue) Scan(ctx context.Context, after int64, limit int) ([]*catalogue.Video, error) {
	return readLagging(ctx, c.db, nil, scanVideoWithTranscript, selectScan, after, max(0, limit))
}

// CountVideos implements store.Catalogue.
func (c *Catalogue) CountVideos(ctx context.Context) (int, error) {
	var n int64
	err := c.db.ReadLagging(ctx, func(c Conn) { askNumber(ctx, c, &n, countVideos) })
	return int(n), err
}

// scanMeta scans the columns id, version, updated_at, source and reference, and then others.
func scanMeta(row Row, meta *catalogue.Meta, others ...any) error {
	var updated int64
	targets := append([]any{(*string)(&meta.ID), &meta.Version, &updated, &meta.Source, &meta.Reference}, others...)
	if err := row.Scan(targets...); err != nil {
		return err
	}
	meta.UpdatedAt = instant(updated)
	return nil
}

func scanVideo(row Row) (*catalogue.Video, error) { return scanVideoAnd(row) }

// scanVideoAnd scans the columns of scanMeta, then seq and body, and then others.
func scanVideoAnd(row Row, others ...any) (*catalogue.Video, error) {
	var (
		meta catalogue.Meta
		seq  int64
		body sql.RawBytes
	)
	if err := scanMeta(row, &meta, append([]any{&seq, &body}, others...)...); err != nil {
		return nil, err
	}
	return storelogic.DecodeVideo(meta, seq, body)
}

func scanVideoWithTranscript(row Row) (*catalogue.Video, error) {
	var transcript []byte
	video, err := scanVideoAnd(row, &transcript)
	if err == nil && transcript != nil {
		text := string(transcript)
		video.Transcript = &text
	}
	return video, err
}

var (
	scanItem      = scanBody(storelogic.DecodeEntity)
	scanOwnedItem = scanBody(storelogic.DecodeRecord)
)

// scanBody returns a function that scans the columns of scanMeta, then kind and body.
func scanBody[T any](decode func(catalogue.Kind, catalogue.Meta, []byte) (T, error)) func(Row) (T, error) {
	return func(row Row) (item T, err error) {
		var (
			meta catalogue.Meta
			kind string
			body sql.RawBytes
		)
		if err := scanMeta(row, &meta, &kind, &body); err != nil {
			return item, err
		}
		return decode(catalogue.Kind(kind), meta, body)
	}
}

func scanID(row Row) (id catalogue.ID, err error) {
	err = row.Scan((*string)(&id))
	return id, err
}
