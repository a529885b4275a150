package sqlite

import (
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	insertEntities = defineInsertion(10,
		`INSERT INTO entities (number, kind, id, version, updated_at, source, reference, folded, private, body)`,
		`ON CONFLICT (number) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at,
			source = excluded.source, reference = excluded.reference, folded = excluded.folded,
			private = excluded.private, body = excluded.body`)
	insertVideos = defineInsertion(11,
		`INSERT INTO videos (seq, id, version, updated_at, channel, available_until, retired, retired_into,
			legacy_id, source, reference)`,
		`ON CONFLICT (seq) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at,
			channel = excluded.channel, available_until = excluded.available_until, retired = excluded.retired,
			retired_into = excluded.retired_into, legacy_id = excluded.legacy_id, source = excluded.source,
			reference = excluded.reference`)
	insertBodies = defineInsertion(2, `INSERT INTO video_bodies (seq, body)`,
		`ON CONFLICT (seq) DO UPDATE SET body = excluded.body`)
	insertTranscripts = defineInsertion(3, `INSERT INTO video_transcripts (seq, sum, text)`,
		`ON CONFLICT (seq) DO UPDATE SET sum = excluded.sum, text = excluded.text`)
	insertEntityLinks = defineInsertion(2, `INSERT INTO entity_links (target, number)`, ``)
	insertVideoLinks  = defineInsertion(2, `INSERT INTO video_links (target, seq)`, ``)
	insertOutbox      = defineInsertion(4, `INSERT INTO outbox (position, kind, id, deleted)`, ``)

	deleteEntityLinks = define(`DELETE FROM entity_links WHERE target = ? AND number IN (SELECT value FROM json_each(?))`)
	deleteVideoLinks  = define(`DELETE FROM video_links WHERE target = ? AND seq IN (SELECT value FROM json_each(?))`)
	deleteTranscripts = define(`DELETE FROM video_transcripts WHERE seq IN (SELECT value FROM json_each(?))`)
	deleteBodies      = define(`DELETE FROM video_bodies WHERE seq IN (SELECT value FROM json_each(?))`)
	deleteVideos      = define(`DELETE FROM videos WHERE seq IN (SELECT value FROM json_each(?))`)
	deleteEntities    = define(`DELETE FROM entities WHERE number IN (SELECT value FROM json_each(?))`)
)

// Apply implements storelogic.Engine.
func (t *transaction) Apply(ctx context.Context, changes *storelogic.Changes) error {
	if err := t.takeAway(ctx, changes); err != nil {
		return err
	}
	t.gather(changes)
	for _, rows := range []*batch{
		&t.entities, &t.entityLinks, &t.videos, &t.bodies, &t.videoLinks, &t.transcripts, &t.records, &t.log,
	} {
		if err := rows.flush(ctx, t.session); err != nil {
			return err
		}
	}
	if err := t.countRecords(ctx, changes.MoreRecords); err != nil {
		return err
	}
	if err := t.writeRemovals(ctx, changes); err != nil {
		return err
	}
	return t.writeFanOuts(ctx, changes.FanOuts)
}

func (t *transaction) takeAway(ctx context.Context, changes *storelogic.Changes) error {
	if err := t.unlink(ctx, deleteEntityLinks, changes.NoEntityLinks); err != nil {
		return err
	}
	if err := t.unlink(ctx, deleteVideoLinks, changes.NoVideoLinks); err != nil {
		return err
	}
	for _, step := range []struct {
		*statement
		numbers []int64
	}{
		{deleteTranscripts, changes.NoTranscripts}, {deleteBodies, changes.NoVideos}, {deleteVideos, changes.NoVideos},
		{deleteEntities, changes.NoEntities}, {deleteOwnedItems, changes.NoRecords},
	} {
		if len(step.numbers) == 0 {
			continue
		}
		if _, err := t.exec(ctx, step.statement, jsonList(step.numbers)); err != nil {
			return err
		}
	}
	return nil
}

// unlink deletes links with one statement for each target.
func (t *transaction) unlink(ctx context.Context, st *statement, links map[int64][]int64) error {
	for _, target := range slices.Sorted(maps.Keys(links)) {
		if _, err := t.exec(ctx, st, target, jsonList(links[target])); err != nil {
			return err
		}
	}
	return nil
}

// gather adds the changed rows to the batches.
func (t *transaction) gather(changes *storelogic.Changes) {
	for _, row := range changes.Entities {
		meta := row.Meta
		t.entities.add(row.Number, string(row.Kind), string(meta.ID), meta.Version, micros(meta.UpdatedAt),
			meta.Source, meta.Reference, optional(&row.Folded), flag(row.Private), row.Body)
	}
	for _, link := range changes.EntityLinks {
		t.entityLinks.add(link.Target, link.From)
	}
	for _, row := range changes.Videos {
		v := row.Video
		t.videos.add(v.Sequence, string(v.ID), v.Version, micros(v.UpdatedAt), row.Channel, days(v.AvailableUntil),
			flag(v.Retired), optional(v.RetiredInto), optional(&v.LegacyID), v.Source, v.Reference)
		t.bodies.add(v.Sequence, row.Body)
	}
	for _, row := range changes.Bodies {
		t.bodies.add(row.Sequence, row.Body)
	}
	t.gatherRecords(changes.Records)
	for _, link := range changes.VideoLinks {
		t.videoLinks.add(link.Target, link.From)
	}
	for _, row := range changes.Transcripts {
		t.transcripts.add(row.Sequence, row.Sum, row.Text)
	}
	for _, entry := range changes.Log {
		t.log.add(entry.Position, string(entry.Kind), string(entry.ID), flag(entry.Deleted))
	}
}
