package sqlstore

import (
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	entityTable = defineTable("entities", 3, "number", "kind", "id", "version", "updated_at", "source", "reference",
		"folded", "private", "body")
	videoTable = defineTable("videos", 2, "seq", "id", "version", "updated_at", "channel", "available_until", "retired",
		"retired_into", "legacy_id", "source", "reference")
	bodyTable       = defineTable("video_bodies", 1, "seq", "body")
	transcriptTable = defineTable("video_transcripts", 1, "seq", "sum", "text")
	ownedItemTable  = defineTable("catalogue_records", 3, "number", "kind", "id", "version", "updated_at", "source",
		"reference", "owner_kind", "owner", "body")
	removalTable    = defineTable("removals", 1, "id", "at", "position", "reason")
	entityLinkTable = defineTable("entity_links", 2, "target", "number")
	videoLinkTable  = defineTable("video_links", 2, "target", "seq")
	outboxTable     = defineTable("outbox", 4, "position", "kind", "id", "deleted")
	addToItemCounts = define(`
		INSERT INTO catalogue_record_counts AS n (kind, count) VALUES ($1, $2)
		ON CONFLICT (kind) DO UPDATE SET count = n.count + excluded.count`)

	deleteItemLinks   = define(`DELETE FROM entity_links WHERE target = $1 AND number IN NUMBERS ($2)`)
	deleteVideoLinks  = define(`DELETE FROM video_links WHERE target = $1 AND seq IN NUMBERS ($2)`)
	deleteTranscripts = define(`DELETE FROM video_transcripts WHERE seq IN NUMBERS ($1)`)
	deleteBodies      = define(`DELETE FROM video_bodies WHERE seq IN NUMBERS ($1)`)
	deleteVideos      = define(`DELETE FROM videos WHERE seq IN NUMBERS ($1)`)
	deleteEntities    = define(`DELETE FROM entities WHERE number IN NUMBERS ($1)`)
	deleteOwnedItems  = define(`DELETE FROM catalogue_records WHERE number IN NUMBERS ($1)`)
	deleteRemovals    = DefinePer(
		`DELETE FROM removals WHERE id IN (SELECT value FROM json_each($1))`, `DELETE FROM removals WHERE id = ANY ($1::text[])`)

	// If a target changes again, its job starts again at the first video and never does less than before.
	putFanOut        = define(`INSERT INTO fan_outs AS f (target, position, shown, after) VALUES ($1, $2, $3, 0) ` + jobAgain)
	putChannelFanOut = define(`
		INSERT INTO fan_outs AS f (target, position, shown, after)
		SELECT number, $2, $3, 0 FROM entity_links WHERE target = $1 ` + jobAgain)
)

const jobAgain = `
	ON CONFLICT (target) DO UPDATE
	SET shown = CASE WHEN f.shown > excluded.shown THEN f.shown ELSE excluded.shown END, after = 0`

// Apply implements storelogic.Engine. It deletes rows, replaces rows in the order in which storelogic decided them, and then
// adds rows, so that a name is free before another row takes it.
func (t CatalogueTx) Apply(ctx context.Context, changes *storelogic.Changes) error {
	t.delete(ctx, changes)
	if err := t.put(ctx, changes); err != nil {
		return err
	}
	for kind, more := range changes.MoreRecords {
		t.c.Do(ctx, addToItemCounts, string(kind), more)
	}
	for _, f := range changes.FanOuts {
		st := putFanOut
		if f.ThroughChannels {
			st = putChannelFanOut
		}
		t.c.Do(ctx, st, f.Target, f.Position, int64(f.Shown))
	}
	return t.c.Send(ctx)
}

func (t CatalogueTx) delete(ctx context.Context, changes *storelogic.Changes) {
	t.unlink(ctx, deleteItemLinks, changes.NoEntityLinks)
	t.unlink(ctx, deleteVideoLinks, changes.NoVideoLinks)
	for _, step := range []struct {
		*Statement
		numbers []int64
	}{
		{deleteTranscripts, changes.NoTranscripts}, {deleteBodies, changes.NoVideos}, {deleteVideos, changes.NoVideos},
		{deleteEntities, changes.NoEntities}, {deleteOwnedItems, changes.NoRecords},
	} {
		if len(step.numbers) > 0 {
			t.c.Do(ctx, step.Statement, step.numbers)
		}
	}
	if len(changes.NoRemovals) > 0 {
		t.c.Do(ctx, deleteRemovals, IDs(changes.NoRemovals))
	}
}

// unlink deletes links in the order of their targets, so that all transactions lock rows in the same order.
func (t CatalogueTx) unlink(ctx context.Context, st *Statement, links map[int64][]int64) {
	for _, target := range slices.Sorted(maps.Keys(links)) {
		t.c.Do(ctx, st, target, links[target])
	}
}

// rows are values of rows of a table, one row after the other.
type rows struct {
	*table
	fresh, stored []any
}

func (r *rows) put(isNew bool, values ...any) {
	if isNew {
		r.fresh = append(r.fresh, values...)
	} else {
		r.stored = append(r.stored, values...)
	}
}

// put writes the rows of each table together.
func (t CatalogueTx) put(ctx context.Context, changes *storelogic.Changes) error {
	entities, videos, bodies := rows{table: entityTable}, rows{table: videoTable}, rows{table: bodyTable}
	entityLinks, videoLinks, log := rows{table: entityLinkTable}, rows{table: videoLinkTable}, rows{table: outboxTable}
	transcripts, items, removals := rows{table: transcriptTable}, rows{table: ownedItemTable}, rows{table: removalTable}
	for _, row := range changes.Entities {
		entities.put(row.New, append(metaOf(row.Number, row.Kind, row.Meta), optional(row.Folded), row.Private, row.Body)...)
	}
	for _, link := range changes.EntityLinks {
		entityLinks.put(true, link.Target, link.From)
	}
	for _, row := range changes.Videos {
		v := row.Video
		videos.put(row.New, v.Sequence, string(v.ID), v.Version, micros(v.UpdatedAt), row.Channel, optionalDay(v.AvailableUntil),
			v.Retired, optionalID(v.RetiredInto), optional(v.LegacyID), v.Source, v.Reference)
		bodies.put(row.New, v.Sequence, row.Body)
	}
	for _, row := range changes.Bodies {
		bodies.put(false, row.Sequence, row.Body)
	}
	for _, link := range changes.VideoLinks {
		videoLinks.put(true, link.Target, link.From)
	}
	for _, row := range changes.Transcripts {
		transcripts.put(row.New, row.Sequence, row.Sum, row.Text)
	}
	for _, row := range changes.Records {
		items.put(row.New, append(metaOf(row.Number, row.Kind, row.Meta), optional(row.Owner.Kind), optional(row.Owner.ID), row.Body)...)
	}
	for _, entry := range changes.Log {
		log.put(true, entry.Position, string(entry.Kind), string(entry.ID), entry.Deleted)
	}
	for _, row := range changes.Removals {
		removals.put(false, string(row.ID), micros(row.At), row.Position, string(row.Reason))
	}
	all := []*rows{&entities, &entityLinks, &videos, &bodies, &videoLinks, &transcripts, &items, &log, &removals}
	for _, one := range all {
		if len(one.stored) > 0 {
			one.replace.Insert(ctx, t.c, one.stored)
		}
	}
	for _, one := range all {
		if err := one.add(ctx, t.c, one.fresh); err != nil {
			return err
		}
	}
	return nil
}

func metaOf(number int64, kind catalogue.Kind, meta *catalogue.Meta) []any {
	return []any{number, string(kind), string(meta.ID), meta.Version, micros(meta.UpdatedAt), meta.Source, meta.Reference}
}

// optional returns nil, for NULL, if a text is empty.
func optional[T ~string](text T) any {
	if text == "" {
		return nil
	}
	return string(text)
}

func optionalID(id *catalogue.ID) any {
	if id == nil {
		return nil
	}
	return string(*id)
}

func optionalDay(date *catalogue.Date) any {
	if date == nil {
		return nil
	}
	return int64(*date)
}

var (
	selectFanOut = define(`SELECT target, shown, after FROM fan_outs ORDER BY position, target LIMIT 1`).scanning(oldestJob)
	// selectFanned finds the job again, so that one round trip is enough.
	selectFanned = define(`
		SELECT seq FROM video_links
		WHERE target = (SELECT target FROM fan_outs ORDER BY position, target LIMIT 1)
			AND seq > (SELECT after FROM fan_outs ORDER BY position, target LIMIT 1)
		ORDER BY seq LIMIT $1`).scanning(oldestJob)
)

const oldestJob = "the oldest job is the first of an index"

// Job implements storelogic.Engine.
func (t CatalogueTx) Job(ctx context.Context, limit int) (job storelogic.Job, videos []int64, found bool, err error) {
	t.c.Ask(ctx, selectFanOut, func(row Row) error {
		var shown int64
		err := row.Scan(&job.Target, &shown, &job.After)
		job.Shown, found = catalogue.Shown(shown), true
		return err
	})
	askAll(ctx, t.c, &videos, number, selectFanned, limit)
	return job, videos, found, t.c.Send(ctx)
}
