package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// CatalogueTx implements storelogic.Engine in one transaction.
type CatalogueTx struct{ c Conn }

var _ storelogic.Engine = CatalogueTx{}

// NewCatalogueTx returns the CatalogueTx of a connection with an open transaction.
func NewCatalogueTx(c Conn) CatalogueTx { return CatalogueTx{c} }

var (
	selectEntityItems = DefinePer(`
		SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.body
		FROM json_each(?) AS asked
		CROSS JOIN entities AS e ON e.id = asked.value AND e.kind = ?`, `
		SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.body
		FROM unnest($1::text[]) AS asked(id) JOIN entities AS e ON e.id = asked.id AND e.kind = $2`)

	selectReferring = define(`
		SELECT v.id FROM entities AS e
		JOIN video_links AS l ON l.target = e.number
		JOIN videos AS v ON v.seq = l.seq
		WHERE e.kind = $1 AND e.id = $2 LIMIT $3`)
	selectVideosOf        = define(`SELECT id FROM videos WHERE source = $1 AND id > $2 ORDER BY id LIMIT $3`)
	selectItemsOf         = define(`SELECT id FROM entities WHERE kind = $1 AND source = $2 AND id > $3 ORDER BY id LIMIT $4`)
	selectRecordsOfSource = define(`SELECT id FROM catalogue_records WHERE kind = $1 AND source = $2 AND id > $3 ORDER BY id LIMIT $4`)
)

// Items implements storelogic.Engine.
func (t CatalogueTx) Items(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]catalogue.Item, error) {
	items := make(map[catalogue.ID]catalogue.Item, len(ids))
	if kind == catalogue.KindVideo {
		return items, t.c.Query(ctx, selectVideos, func(row Row) error {
			video, err := scanVideo(row)
			if err == nil {
				items[video.ID] = video
			}
			return err
		}, IDs(ids))
	}
	st := selectEntityItems
	if kind.IsRecord() {
		st = selectOwnedItems
	}
	return items, t.c.Query(ctx, st, func(row Row) error {
		item, err := scanItem(row)
		if err == nil {
			items[item.Head().ID] = item
		}
		return err
	}, IDs(ids), string(kind))
}

// Referring implements storelogic.Engine.
func (t CatalogueTx) Referring(ctx context.Context, kind catalogue.Kind, id catalogue.ID, limit int) ([]catalogue.ID, error) {
	return selectAll(ctx, t.c, scanID, selectReferring, string(kind), string(id), limit)
}

// Of implements storelogic.Engine.
func (t CatalogueTx) Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) ([]catalogue.ID, error) {
	switch {
	case kind == catalogue.KindVideo:
		return selectAll(ctx, t.c, scanID, selectVideosOf, source, string(after), limit)
	case kind.IsRecord():
		return selectAll(ctx, t.c, scanID, selectRecordsOfSource, string(kind), source, string(after), limit)
	}
	return selectAll(ctx, t.c, scanID, selectItemsOf, string(kind), source, string(after), limit)
}

var selectLastRemoval = define(`SELECT at FROM removals ORDER BY at DESC LIMIT 1`).
	scanning("the last removal is at the end of an index")

// LastRemoval implements storelogic.Engine.
func (t CatalogueTx) LastRemoval(ctx context.Context) (time.Time, error) {
	return selectOne(ctx, t.c, func(row Row) (time.Time, error) {
		at, err := number(row)
		return instant(at), err
	}, selectLastRemoval)
}

// AddEntries implements storelogic.Engine.
func (t CatalogueTx) AddEntries(ctx context.Context, entries []store.CatalogueAuditEntry) error {
	for _, entry := range entries {
		t.c.Do(ctx, insertCatalogueEntry, micros(entry.At), entry.Actor.Client, entry.Actor.User,
			string(entry.Kind), string(entry.ID), entry.Before, entry.After)
	}
	return t.c.Send(ctx)
}

var (
	selectOwning = DefinePer(`
		SELECT asked.value FROM json_each(?) AS asked
		WHERE EXISTS (SELECT 1 FROM catalogue_records AS cr WHERE cr.owner = asked.value AND cr.owner_kind = ?)`, `
		SELECT asked.id FROM unnest($1::text[]) AS asked(id)
		WHERE EXISTS (SELECT 1 FROM catalogue_records AS cr WHERE cr.owner = asked.id AND cr.owner_kind = $2)`)
	selectOwnedRefs = DefinePer(`
		SELECT cr.kind, cr.id, cr.number, cr.owner
		FROM json_each(?) AS asked
		CROSS JOIN catalogue_records AS cr ON cr.owner = asked.value AND cr.owner_kind = ?`, `
		SELECT cr.kind, cr.id, cr.number, cr.owner
		FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
		CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE owner = asked.id AND owner_kind = $2 OFFSET 0) AS cr
		ORDER BY asked.place, cr.kind, cr.id`)
	selectNaming = DefinePer(`
		SELECT cr.id FROM catalogue_records AS cr
		WHERE cr.number IN (SELECT tv.theme FROM json_each(?) AS asked CROSS JOIN theme_videos AS tv ON tv.video = asked.value)`, `
		SELECT cr.id
		FROM (
			SELECT DISTINCT tv.theme FROM unnest($1::text[]) AS asked(id)
			CROSS JOIN LATERAL (SELECT theme FROM theme_videos WHERE video = asked.id OFFSET 0) AS tv
		) AS naming
		CROSS JOIN LATERAL (SELECT id FROM catalogue_records WHERE number = naming.theme OFFSET 0) AS cr
		ORDER BY cr.id`)
)

// Owning implements storelogic.Engine.
func (t CatalogueTx) Owning(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	owning := map[catalogue.ID]bool{}
	return owning, t.c.Query(ctx, selectOwning, func(row Row) error {
		id, err := scanID(row)
		owning[id] = true
		return err
	}, IDs(ids), string(kind))
}

// Naming implements storelogic.Engine.
func (t CatalogueTx) Naming(ctx context.Context, videos []catalogue.ID) ([]catalogue.ID, error) {
	themes, err := selectAll(ctx, t.c, scanID, selectNaming, IDs(videos))
	slices.Sort(themes)
	return themes, err
}

// Owned implements storelogic.Engine.
func (t CatalogueTx) Owned(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]storelogic.RecordRef, error) {
	return selectAll(ctx, t.c, func(row Row) (owned storelogic.RecordRef, err error) {
		err = row.Scan((*string)(&owned.Kind), (*string)(&owned.ID), &owned.Number, (*string)(&owned.Owner))
		return owned, err
	}, selectOwnedRefs, IDs(ids), string(kind))
}

var (
	selectReferred = DefinePer(`
		SELECT asked.value FROM json_each(?) AS asked
		WHERE EXISTS (SELECT 1 FROM video_links WHERE target = asked.value)
			OR EXISTS (SELECT 1 FROM entity_links WHERE target = asked.value)`, `
		SELECT asked.target FROM unnest($1::bigint[]) AS asked(target)
		WHERE EXISTS (SELECT 1 FROM video_links AS l WHERE l.target = asked.target)
			OR EXISTS (SELECT 1 FROM entity_links AS l WHERE l.target = asked.target)`)
	selectReplacements = DefinePer(`
		SELECT v.id, v.retired_into FROM json_each(?) AS asked
		CROSS JOIN videos AS v WHERE v.retired_into = asked.value`, `
		SELECT v.id, v.retired_into FROM unnest($1::text[]) AS asked(id)
		JOIN videos AS v ON v.retired_into = asked.id COLLATE "C"`)
)

// Referred implements storelogic.Engine.
func (t CatalogueTx) Referred(ctx context.Context, numbers []int64) (map[int64]bool, error) {
	referred := map[int64]bool{}
	return referred, t.c.Query(ctx, selectReferred, func(row Row) error {
		target, err := number(row)
		referred[target] = true
		return err
	}, numbers)
}

// Replacements implements storelogic.Engine.
func (t CatalogueTx) Replacements(ctx context.Context, ids []catalogue.ID) ([]storelogic.Replacement, error) {
	return selectAll(ctx, t.c, func(row Row) (replacement storelogic.Replacement, err error) {
		err = row.Scan((*string)(&replacement.ID), (*string)(&replacement.Into))
		return replacement, err
	}, selectReplacements, IDs(ids))
}

// The videos get positions in the order of the list.
var (
	logFanned = DefinePer(`
		INSERT INTO outbox (position, kind, id, deleted)
		SELECT ?1 + listed.key, 'video', v.id, 0
		FROM json_each(?2) AS listed CROSS JOIN videos AS v ON v.seq = listed.value`, `
		INSERT INTO outbox (position, kind, id, deleted)
		SELECT $1::bigint + listed.place - 1, 'video', v.id, false
		FROM unnest($2::bigint[]) WITH ORDINALITY AS listed(seq, place) JOIN videos AS v ON v.seq = listed.seq`)
	bumpFanned = DefinePer(`
		UPDATE videos SET version = ?1 + listed.key, updated_at = IFNULL(?3, updated_at)
		FROM json_each(?2) AS listed WHERE videos.seq = listed.value`, `
		UPDATE videos AS v SET version = $1::bigint + listed.place - 1, updated_at = COALESCE($3::bigint, v.updated_at)
		FROM unnest($2::bigint[]) WITH ORDINALITY AS listed(seq, place) WHERE v.seq = listed.seq`)

	advanceFanOut = define(`UPDATE fan_outs SET after = $1 WHERE target = $2`)
	deleteFanOut  = define(`DELETE FROM fan_outs WHERE target = $1`)
	hasFanOut     = DefinePer(
		`SELECT EXISTS (SELECT 1 FROM fan_outs)`,
		`SELECT COUNT(*) FROM (SELECT position FROM fan_outs ORDER BY position LIMIT 1) AS oldest`).
		scanning("one job is enough")
)

// Bump implements storelogic.Engine.
func (t CatalogueTx) Bump(ctx context.Context, videos []int64, first store.Position, updated *time.Time) error {
	var at *int64
	if updated != nil {
		at = new(int64)
		*at = micros(*updated)
	}
	t.c.Do(ctx, logFanned, first, videos)
	t.c.Do(ctx, bumpFanned, first, videos, at)
	return t.c.Send(ctx)
}

// Advance implements storelogic.Engine.
func (t CatalogueTx) Advance(ctx context.Context, target, after int64) error {
	_, err := t.c.Exec(ctx, advanceFanOut, after, target)
	return err
}

// End implements storelogic.Engine.
func (t CatalogueTx) End(ctx context.Context, target int64) error {
	_, err := t.c.Exec(ctx, deleteFanOut, target)
	return err
}

// HasJob implements storelogic.Engine.
func (t CatalogueTx) HasJob(ctx context.Context) (bool, error) {
	n, err := selectOne(ctx, t.c, number, hasFanOut)
	return n > 0, err
}
