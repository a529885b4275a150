package sqlstore

import (
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	putEntities = defineUpsert("entities", 3, "number", "kind", "id", "version", "updated_at", "source", "reference",
		"folded", "private", "body")
	putVideos = defineUpsert("videos", 2, "seq", "id", "version", "updated_at", "channel", "available_until", "retired",
		"retired_into", "legacy_id", "source", "reference")
	putBodies      = defineUpsert("video_bodies", 1, "seq", "body")
	putTranscripts = defineUpsert("video_transcripts", 1, "seq", "sum", "text")
	putOwnedItems  = defineUpsert("catalogue_records", 3, "number", "kind", "id", "version", "updated_at", "source",
		"reference", "owner_kind", "owner", "body")
	putRemovals     = defineUpsert("removals", 1, "id", "at", "position", "reason")
	addEntityLinks  = defineInsertion(2, `INSERT INTO entity_links (target, number)`, ``)
	addVideoLinks   = defineInsertion(2, `INSERT INTO video_links (target, seq)`, ``)
	addLog          = defineInsertion(4, `INSERT INTO outbox (position, kind, id, deleted)`, ``)
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
	deleteRemovals    = definePer(
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

// Apply implements storelogic.Engine. It writes rows in the order in which storelogic decided them, after deletions, so
// that a name is free before another row takes it.
func (t CatalogueTx) Apply(ctx context.Context, changes *storelogic.Changes) error {
	t.delete(ctx, changes)
	t.put(ctx, changes)
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

// put writes the rows of each table together.
func (t CatalogueTx) put(ctx context.Context, changes *storelogic.Changes) {
	var entities, entityLinks, videos, bodies, videoLinks, transcripts, items, log, removals []any
	for _, row := range changes.Entities {
		entities = append(appendMeta(entities, row.Number, row.Kind, row.Meta), optional(row.Folded), row.Private, row.Body)
	}
	for _, link := range changes.EntityLinks {
		entityLinks = append(entityLinks, link.Target, link.From)
	}
	for _, row := range changes.Videos {
		v := row.Video
		videos = append(videos, v.Sequence, string(v.ID), v.Version, micros(v.UpdatedAt), row.Channel, optionalDay(v.AvailableUntil),
			v.Retired, optionalID(v.RetiredInto), optional(v.LegacyID), v.Source, v.Reference)
		bodies = append(bodies, v.Sequence, row.Body)
	}
	for _, row := range changes.Bodies {
		bodies = append(bodies, row.Sequence, row.Body)
	}
	for _, link := range changes.VideoLinks {
		videoLinks = append(videoLinks, link.Target, link.From)
	}
	for _, row := range changes.Transcripts {
		transcripts = append(transcripts, row.Sequence, row.Sum, row.Text)
	}
	for _, row := range changes.Records {
		items = append(appendMeta(items, row.Number, row.Kind, row.Meta), optional(row.Owner.Kind), optional(row.Owner.ID), row.Body)
	}
	for _, entry := range changes.Log {
		log = append(log, entry.Position, string(entry.Kind), string(entry.ID), entry.Deleted)
	}
	for _, row := range changes.Removals {
		removals = append(removals, string(row.ID), micros(row.At), row.Position, string(row.Reason))
	}
	for _, table := range []struct {
		*insertion
		values []any
	}{
		{putEntities, entities}, {addEntityLinks, entityLinks}, {putVideos, videos}, {putBodies, bodies}, {addVideoLinks, videoLinks},
		{putTranscripts, transcripts}, {putOwnedItems, items}, {addLog, log}, {putRemovals, removals},
	} {
		table.insert(ctx, t.c, table.values)
	}
}

func appendMeta(row []any, number int64, kind catalogue.Kind, meta *catalogue.Meta) []any {
	return append(row, number, string(kind), string(meta.ID), meta.Version, micros(meta.UpdatedAt), meta.Source, meta.Reference)
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

// Job implements storelogic.Propagator.
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
