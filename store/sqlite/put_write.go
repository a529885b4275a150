package sqlite

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
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

	deleteEntityLinks = define(`DELETE FROM entity_links WHERE target = ? AND number IN (SELECT value FROM json_each(?))`)
	deleteVideoLinks  = define(`DELETE FROM video_links WHERE target = ? AND seq IN (SELECT value FROM json_each(?))`)
	deleteTranscripts = define(`DELETE FROM video_transcripts WHERE seq IN (SELECT value FROM json_each(?))`)
)

func (p *putting) judgeVideo(c *candidate, video *catalogue.Video) store.Outcome {
	stored := p.videos[video.ID]
	switch {
	case len(c.faults) > 0:
		return c.rejected()
	case stored != nil && stored.equals(c):
		video.Meta, video.Sequence, video.HasTranscript = stored.meta, stored.seq, stored.transcript != nil
		return store.Outcome{Status: store.Unchanged}
	}
	video.HasTranscript = c.transcript != nil
	p.place(video)
	targets := p.numbers.targets(c.links)
	outcome := store.Outcome{Status: store.Added}
	var transcript []byte
	if stored == nil {
		p.sequence++
		video.Sequence = p.sequence
		p.link(&p.videoLinks, p.noVideoLinks, video.Sequence, nil, targets)
	} else {
		outcome.Status = store.Changed
		video.Sequence, transcript = stored.seq, stored.transcript
		p.link(&p.videoLinks, p.noVideoLinks, video.Sequence, p.numbers.targets(stored.parsed.Links()), targets)
		delete(p.aliases, stored.parsed.LegacyID)
	}
	if video.LegacyID != "" {
		p.aliases[video.LegacyID] = video.ID
	}
	p.videoRows.add(video.Sequence, string(video.ID), video.Version, micros(video.UpdatedAt),
		p.numbers[thing{catalogue.KindChannel, video.ChannelID}], days(video.AvailableUntil), flag(video.Retired),
		optional(video.RetiredInto), optional(&video.LegacyID), video.Source, video.Reference)
	p.bodyRows.add(video.Sequence, c.body)
	switch {
	case bytes.Equal(c.transcript, transcript):
	case c.transcript == nil:
		p.noTranscripts = append(p.noTranscripts, video.Sequence)
	default:
		p.transcripts.add(video.Sequence, c.transcript, *video.Transcript)
	}
	return outcome
}

func (p *putting) judgeEntity(c *candidate, item catalogue.Item) store.Outcome {
	head, key := item.Head(), thingOf(item)
	stored := p.entities[key]
	switch {
	case len(c.faults) > 0:
		return c.rejected()
	case stored != nil && stored.equals(c):
		*head = *stored.item.Head()
		return store.Outcome{Status: store.Unchanged}
	}
	p.place(item)
	targets := p.numbers.targets(c.links)
	outcome := store.Outcome{Status: store.Added}
	var number int64
	if stored == nil {
		p.number++
		number = p.number
		p.numbers[key] = number
		p.link(&p.entityLinks, p.noEntityLinks, number, nil, targets)
	} else {
		outcome.Status = store.Changed
		number = stored.number
		p.link(&p.entityLinks, p.noEntityLinks, number, p.numbers.targets(stored.item.Links()), targets)
		p.fanOut(number, stored.item, item)
		if old, ok := nameOf(stored.item); ok {
			delete(p.names, old)
		}
	}
	own, named := nameOf(item)
	if named {
		p.names[own] = key.id
	}
	p.entityRows.add(number, string(key.kind), string(key.id), head.Version, micros(head.UpdatedAt),
		head.Source, head.Reference, optional(&own.folded), flag(isPrivate(item)), c.body)
	return outcome
}

func isPrivate(item catalogue.Item) bool {
	channel, ok := item.(*catalogue.Channel)
	return ok && channel.Private
}

// link turns the links of from, sorted, into others.
func (p *putting) link(more *batch, fewer pairs, from int64, before, after []int64) {
	gone, come := difference(before, after)
	for _, target := range gone {
		fewer[target] = append(fewer[target], from)
	}
	for _, target := range come {
		more.add(target, from)
	}
}

// write writes what was gathered.
func (p *putting) write(ctx context.Context) error {
	if err := p.unlink(ctx, deleteEntityLinks, p.noEntityLinks); err != nil {
		return err
	}
	if err := p.unlink(ctx, deleteVideoLinks, p.noVideoLinks); err != nil {
		return err
	}
	if len(p.noTranscripts) > 0 {
		if _, err := p.exec(ctx, deleteTranscripts, jsonList(p.noTranscripts)); err != nil {
			return err
		}
	}
	for _, rows := range []*batch{
		&p.entityRows, &p.entityLinks, &p.videoRows, &p.bodyRows, &p.videoLinks, &p.transcripts, &p.log,
	} {
		if err := rows.flush(ctx, p.session); err != nil {
			return err
		}
	}
	return p.writeFanOuts(ctx)
}

// unlink removes links, those of one target at a time.
func (t *transaction) unlink(ctx context.Context, st *statement, links pairs) error {
	for _, target := range slices.Sorted(maps.Keys(links)) {
		if _, err := t.exec(ctx, st, target, jsonList(links[target])); err != nil {
			return err
		}
	}
	return nil
}
