package postgres

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store/storelogic"
)

// table describes a table that the store writes rows to. The first column is the row's key.
type table struct {
	name    string
	columns []string
	insert  *statement
	// update sets every column of a row except the fixed ones, which never change.
	update *statement
}

// copyFrom is the number of new rows of a table from which Apply uses COPY. Apply inserts fewer rows one by one, in the
// round trip that the transaction makes anyway.
const copyFrom = 50

func defineTable(name string, fixed int, columns ...string) *table {
	values, set := make([]string, len(columns)), make([]string, 0, len(columns))
	for i, column := range columns {
		values[i] = "$" + strconv.Itoa(i+1)
		if i >= fixed {
			set = append(set, column+" = "+values[i])
		}
	}
	t := &table{name: name, columns: columns}
	t.insert = define(`INSERT INTO ` + name + ` (` + strings.Join(columns, ", ") + `) VALUES (` + strings.Join(values, ", ") + `)`)
	if len(set) > 0 {
		t.update = define(`UPDATE ` + name + ` SET ` + strings.Join(set, ", ") + ` WHERE ` + columns[0] + ` = $1`)
	}
	return t
}

var (
	entityTable = defineTable("entities", 1, "number", "kind", "id", "version", "updated_at", "source", "reference",
		"folded", "private", "body")
	videoTable = defineTable("videos", 1, "seq", "id", "version", "updated_at", "channel", "available_until", "retired",
		"retired_into", "legacy_id", "source", "reference")
	bodyTable       = defineTable("video_bodies", 1, "seq", "body")
	transcriptTable = defineTable("video_transcripts", 1, "seq", "sum", "text")
	entityLinkTable = defineTable("entity_links", 2, "target", "number")
	videoLinkTable  = defineTable("video_links", 2, "target", "seq")
	outboxTable     = defineTable("outbox", 4, "position", "kind", "id", "deleted")

	deleteEntityLinks = define(`
		DELETE FROM entity_links AS l USING unnest($1::bigint[], $2::bigint[]) AS gone(target, number)
		WHERE l.target = gone.target AND l.number = gone.number`)
	deleteVideoLinks = define(`
		DELETE FROM video_links AS l USING unnest($1::bigint[], $2::bigint[]) AS gone(target, seq)
		WHERE l.target = gone.target AND l.seq = gone.seq`)
	deleteTranscripts = define(`DELETE FROM video_transcripts WHERE seq = ANY($1::bigint[])`)
	deleteBodies      = define(`DELETE FROM video_bodies WHERE seq = ANY($1::bigint[])`)
	deleteVideos      = define(`DELETE FROM videos WHERE seq = ANY($1::bigint[])`)
	deleteEntities    = define(`DELETE FROM entities WHERE number = ANY($1::bigint[])`)
)

// rows contains new rows of a table.
type rows struct {
	*table
	values [][]any
}

func (r *rows) add(values ...any) { r.values = append(r.values, values) }

// Apply implements storelogic.Engine. It applies deletions and updates first, in the order in which storelogic decided
// them, so that a name is free before another row takes it.
func (t *transaction) Apply(ctx context.Context, changes *storelogic.Changes) error {
	p := &pipeline{}
	p.takeAway(changes)
	fresh := p.write(changes)
	many := slices.DeleteFunc(slices.Clone(fresh), func(r *rows) bool { return len(r.values) < copyFrom })
	for _, r := range fresh {
		for _, values := range r.values {
			if len(r.values) < copyFrom {
				p.do(r.insert, values...)
			}
		}
	}
	if len(many) > 0 {
		if err := t.run(ctx, p); err != nil {
			return storeError(ctx, err)
		}
		p = &pipeline{}
	}
	for _, r := range many {
		if err := t.copy(ctx, r); err != nil {
			return storeError(ctx, err)
		}
	}
	p.removals(changes)
	p.fanOuts(changes.FanOuts)
	p.countRecords(changes.MoreRecords)
	if err := t.run(ctx, p); err != nil {
		return storeError(ctx, err)
	}
	for _, row := range changes.Videos {
		if row.New {
			t.videos++
		}
	}
	t.videos -= int64(len(changes.NoVideos))
	return nil
}

// copy inserts new rows with COPY, which is the fastest way.
func (s *session) copy(ctx context.Context, r *rows) error {
	ctx, cancel := s.limited(ctx)
	defer cancel()
	_, err := s.conn.CopyFrom(ctx, pgx.Identifier{r.name}, r.columns, pgx.CopyFromRows(r.values))
	return err
}

func (p *pipeline) takeAway(changes *storelogic.Changes) {
	p.unlink(deleteEntityLinks, changes.NoEntityLinks)
	p.unlink(deleteVideoLinks, changes.NoVideoLinks)
	for _, step := range []struct {
		*statement
		numbers []int64
	}{
		{deleteTranscripts, changes.NoTranscripts}, {deleteBodies, changes.NoVideos}, {deleteVideos, changes.NoVideos},
		{deleteEntities, changes.NoEntities}, {deleteOwnedItems, changes.NoRecords},
	} {
		if len(step.numbers) > 0 {
			p.do(step.statement, step.numbers)
		}
	}
}

// unlink deletes links. The map lists the numbers that link to each target.
func (p *pipeline) unlink(st *statement, links map[int64][]int64) {
	var targets, from []int64
	for target, numbers := range links {
		for _, number := range numbers {
			targets, from = append(targets, target), append(from, number)
		}
	}
	if len(targets) > 0 {
		p.do(st, targets, from)
	}
}

// write updates the rows that exist and returns the new ones.
func (p *pipeline) write(changes *storelogic.Changes) (fresh []*rows) {
	entities, videos, bodies := &rows{table: entityTable}, &rows{table: videoTable}, &rows{table: bodyTable}
	for _, row := range changes.Entities {
		meta := row.Meta
		p.put(entities, row.New, row.Number, string(row.Kind), string(meta.ID), meta.Version, micros(meta.UpdatedAt),
			[]byte(meta.Source), []byte(meta.Reference), optional(row.Folded), row.Private, row.Body)
	}
	for _, row := range changes.Videos {
		v := row.Video
		p.put(videos, row.New, v.Sequence, string(v.ID), v.Version, micros(v.UpdatedAt), row.Channel,
			(*int32)(v.AvailableUntil), v.Retired, (*string)(v.RetiredInto), optional(v.LegacyID), []byte(v.Source), []byte(v.Reference))
		p.put(bodies, row.New, v.Sequence, row.Body)
	}
	for _, row := range changes.Bodies {
		p.do(bodyTable.update, row.Sequence, row.Body)
	}
	transcripts := &rows{table: transcriptTable}
	for _, row := range changes.Transcripts {
		p.put(transcripts, row.New, row.Sequence, row.Sum, []byte(row.Text))
	}
	log := &rows{table: outboxTable}
	for _, entry := range changes.Log {
		log.add(entry.Position, string(entry.Kind), string(entry.ID), entry.Deleted)
	}
	return []*rows{
		entities, linkRows(entityLinkTable, changes.EntityLinks), videos, bodies,
		linkRows(videoLinkTable, changes.VideoLinks), transcripts, p.writeRecords(changes.Records), log,
	}
}

// put updates an existing row, or adds a new row to r for a later insert.
func (p *pipeline) put(r *rows, fresh bool, values ...any) {
	if fresh {
		r.add(values...)
	} else {
		p.do(r.update, values...)
	}
}

func linkRows(into *table, links []storelogic.Link) *rows {
	r := &rows{table: into}
	for _, link := range links {
		r.add(link.Target, link.From)
	}
	return r
}
