package storelogic

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// Put implements store.Tx.
func (t *Transaction) Put(ctx context.Context, items []catalogue.Item) ([]store.Outcome, error) {
	outcomes := make([]store.Outcome, 0, len(items))
	err := t.doing(func() error {
		var moved movedVideos
		for _, run := range distinctRuns(items) {
			done, err := newPutting(t, &moved).put(ctx, run)
			if err != nil {
				return err
			}
			outcomes = append(outcomes, done...)
		}
		stored, err := t.move(ctx, &moved)
		if err != nil {
			return err
		}
		updateVideos(items, outcomes, stored)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// distinctRuns splits a list into runs, each of which contains an item at most once.
func distinctRuns(items []catalogue.Item) (runs [][]catalogue.Item) {
	met := make(map[Thing]bool, len(items))
	start := 0
	for i, item := range items {
		if t := thingOf(item); met[t] {
			runs = append(runs, items[start:i])
			clear(met)
			start = i
		}
		met[thingOf(item)] = true
	}
	return append(runs, items[start:])
}

// putting is the Put of a list of distinct items. It first reads everything that the items touch. It then decides on
// each item, in order, by the stored data and the earlier items. Finally it writes all changes together.
type putting struct {
	*Transaction
	now time.Time

	// stored and claimed are the stored data. decide updates claimed when it accepts an item.
	stored  Stored
	claimed Claimed
	changes Changes
	// moved collects the videos whose owned items change.
	moved *movedVideos
}

func newPutting(t *Transaction, moved *movedVideos) *putting {
	return &putting{
		Transaction: t, now: catalogue.Instant(t.now()), moved: moved,
		changes: Changes{
			NoEntityLinks: map[int64][]int64{}, NoVideoLinks: map[int64][]int64{}, MoreRecords: map[catalogue.Kind]int64{},
		},
	}
}

func (p *putting) put(ctx context.Context, items []catalogue.Item) ([]store.Outcome, error) {
	candidates, err := p.read(ctx, items)
	if err != nil {
		return nil, err
	}
	outcomes := make([]store.Outcome, len(items))
	for i := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		outcomes[i] = p.decide(&candidates[i])
	}
	if err := p.dateRemovals(ctx, &p.changes); err != nil {
		return nil, err
	}
	return outcomes, p.engine.Apply(ctx, &p.changes)
}

// read reads the stored items, their link targets and the unique values, and checks each item on its own.
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
		candidates[i].mentions = p.newMentions(item)
		links = append(append(links, candidates[i].links...), candidates[i].mentions...)
		before, err := p.linksBefore(&candidates[i])
		if err != nil {
			return nil, err
		}
		links = append(links, before...)
	}
	p.claimed, err = p.engine.Claimed(ctx, claimsOf(items, links))
	return candidates, err
}

func (p *putting) readStored(ctx context.Context, items []catalogue.Item) (err error) {
	var asked Requested
	for _, item := range items {
		asked.add(item.Kind(), item.Head().ID)
	}
	p.stored, err = p.engine.Stored(ctx, asked)
	return err
}

// claimsOf returns the targets of links, and the names and aliases that the items use.
func claimsOf(items []catalogue.Item, links []catalogue.Link) Claims {
	claims := Claims{Targets: targetsOf(links)}
	for _, item := range items {
		if video, ok := item.(*catalogue.Video); ok && video.LegacyID != "" {
			claims.Aliases = append(claims.Aliases, video.LegacyID)
		}
		if own, ok := nameOf(item); ok {
			claims.Names = append(claims.Names, own.Folded)
		}
	}
	return claims
}

func (p *putting) candidate(item catalogue.Item) (c candidate, err error) {
	c = candidate{item: item, links: item.Links()}
	if id := item.Head().ID; !id.Valid() {
		c.fault("id", "%q is not %d lower-case hexadecimal characters", id, catalogue.IDLength)
	}
	c.faults = append(c.faults, item.Validate()...)
	switch own := item.(type) {
	case *catalogue.Video:
		stored := p.stored.Videos[own.ID]
		c.transcript = transcriptOf(own, stored)
		complete := *own
		complete.HasTranscript, complete.HasCaptions = c.transcript != nil, stored != nil && stored.hasCaptions()
		item = &complete
	case catalogue.OwnedItem:
		c.links = append(c.links, own.Owner())
	}
	c.body, err = Encode(item)
	return c, err
}

// transcriptOf returns the hash of the transcript that the video will have. A nil Transcript keeps the stored one, an
// empty text removes it.
func transcriptOf(video *catalogue.Video, stored *Video) []byte {
	switch {
	case video.Transcript == nil && stored != nil:
		return stored.Transcript
	case video.Transcript == nil || *video.Transcript == "":
		return nil
	}
	sum := sha256.Sum256([]byte(*video.Transcript))
	return sum[:]
}

// newMentions returns the mentions of an item that its stored version lacks.
func (p *putting) newMentions(item catalogue.Item) []catalogue.Link {
	next, ok := item.(catalogue.Mentioner)
	if !ok {
		return nil
	}
	had := map[Thing]bool{}
	if entity := p.stored.Entities[thingOf(item)]; entity != nil {
		if before, ok := entity.Item.(catalogue.Mentioner); ok {
			for _, link := range before.Mentions() {
				had[Thing{link.Kind, link.ID}] = true
			}
		}
	}
	return slices.DeleteFunc(next.Mentions(), func(link catalogue.Link) bool { return had[Thing{link.Kind, link.ID}] })
}

// linksBefore returns the links of the stored version if the item will replace it.
func (p *putting) linksBefore(c *candidate) ([]catalogue.Link, error) {
	if entity, ok := p.stored.Entities[thingOf(c.item)]; ok {
		return entity.Item.Links(), nil
	}
	stored, ok := p.stored.Videos[c.item.Head().ID]
	if !ok || c.item.Kind() != catalogue.KindVideo || stored.equals(c) {
		return nil, nil
	}
	video, err := stored.video()
	if err != nil {
		return nil, err
	}
	return video.Links(), nil
}
