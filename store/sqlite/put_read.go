package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
)

// read gathers what is stored of the items, of what they refer to and of what must be unique, and
// says what can be said of each item alone.
func (p *putting) read(ctx context.Context, items []catalogue.Item) (candidates []candidate, err error) {
	if err := p.readStored(ctx, items); err != nil {
		return nil, err
	}
	candidates = make([]candidate, len(items))
	var links []catalogue.Link
	for i, item := range items {
		if candidates[i], err = p.candidate(item); err != nil {
			return nil, err
		}
		links = append(links, candidates[i].links...)
		before, err := p.linksBefore(&candidates[i])
		if err != nil {
			return nil, err
		}
		links = append(links, before...)
	}
	if p.numbers, err = p.numbersOf(ctx, links); err != nil {
		return nil, err
	}
	return candidates, p.readUnique(ctx, items)
}

func (p *putting) readStored(ctx context.Context, items []catalogue.Item) (err error) {
	var entities, videos []catalogue.ID
	for _, item := range items {
		if item.Kind() == catalogue.KindVideo {
			videos = append(videos, item.Head().ID)
		} else {
			entities = append(entities, item.Head().ID)
		}
	}
	if p.entities, err = p.storedEntities(ctx, entities); err != nil {
		return err
	}
	p.videos, err = p.storedVideos(ctx, videos)
	return err
}

func (p *putting) candidate(item catalogue.Item) (c candidate, err error) {
	c = candidate{item: item, links: item.Links()}
	if id := item.Head().ID; !id.Valid() {
		c.fault("id", "%q is not %d lower-case hexadecimal characters", id, catalogue.IDLength)
	}
	c.faults = append(c.faults, item.Validate()...)
	if video, ok := item.(*catalogue.Video); ok {
		c.transcript = transcriptOf(video, p.videos[video.ID])
		complete := *video
		complete.HasTranscript = c.transcript != nil
		item = &complete
	}
	c.body, err = encode(item)
	return c, err
}

// transcriptOf is the sum of the transcript that the video will have: nil keeps the stored one, an
// empty text removes it.
func transcriptOf(video *catalogue.Video, stored *storedVideo) []byte {
	switch {
	case video.Transcript == nil && stored != nil:
		return stored.transcript
	case video.Transcript == nil || *video.Transcript == "":
		return nil
	}
	sum := sha256.Sum256([]byte(*video.Transcript))
	return sum[:]
}

// linksBefore returns the links of what is stored, where the item is about to replace it.
func (p *putting) linksBefore(c *candidate) ([]catalogue.Link, error) {
	if entity, ok := p.entities[thingOf(c.item)]; ok {
		return entity.item.Links(), nil
	}
	stored, ok := p.videos[c.item.Head().ID]
	if !ok || c.item.Kind() != catalogue.KindVideo || stored.equals(c) {
		return nil, nil
	}
	video, err := stored.video()
	if err != nil {
		return nil, err
	}
	return video.Links(), nil
}

var selectNames = define(`
	SELECT e.kind, e.folded, e.id FROM json_each(?) AS asked CROSS JOIN entities AS e ON e.folded = asked.value`)

// readUnique finds out who has the names and aliases that the items claim.
func (p *putting) readUnique(ctx context.Context, items []catalogue.Item) error {
	p.names, p.aliases = map[name]catalogue.ID{}, map[string]catalogue.ID{}
	var names, aliases []string
	for _, item := range items {
		if video, ok := item.(*catalogue.Video); ok && video.LegacyID != "" {
			aliases = append(aliases, video.LegacyID)
		}
		if own, ok := nameOf(item); ok {
			names = append(names, own.folded)
		}
	}
	if len(names) > 0 {
		err := p.query(ctx, selectNames, func(rows *sql.Rows) error {
			var (
				taken name
				id    catalogue.ID
			)
			err := rows.Scan(&taken.kind, &taken.folded, &id)
			p.names[taken] = id
			return err
		}, jsonList(names))
		if err != nil {
			return err
		}
	}
	if len(aliases) == 0 {
		return nil
	}
	return p.query(ctx, selectAliases, func(rows *sql.Rows) error {
		var (
			alias string
			id    catalogue.ID
		)
		err := rows.Scan(&alias, &id)
		p.aliases[alias] = id
		return err
	}, jsonList(aliases))
}
