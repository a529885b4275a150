package storelogic

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// candidate is an item with the results of the checks on the item alone.
type candidate struct {
	item   catalogue.Item
	faults fault.FieldErrors
	links  []catalogue.Link
	// mentions are the mentions that the stored version lacks.
	mentions []catalogue.Link
	body     []byte
	// transcript is the hash of the transcript that the video will have; nil: none.
	transcript []byte
}

func (c *candidate) fault(field, format string, args ...any) {
	c.faults = append(c.faults, fault.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

func (c *candidate) rejected() store.Outcome {
	return store.Outcome{Status: store.Rejected, Faults: c.faults}
}

// decide accepts or rejects one item, and adds its changes.
func (p *putting) decide(c *candidate) store.Outcome {
	for _, link := range slices.Concat(c.links, c.mentions) {
		if _, known := p.claimed.Numbers[Thing{link.Kind, link.ID}]; !known && link.ID != "" {
			c.fault(link.Field, "there is no %s %q", link.Kind, link.ID)
		}
	}
	p.checkUnique(c)
	switch item := c.item.(type) {
	case *catalogue.Video:
		return p.decideVideo(c, item)
	case catalogue.OwnedItem:
		return p.decideOwnedItem(c, item)
	default:
		return p.decideEntity(c, item)
	}
}

// checkUnique adds a fault if another item has the name or alias.
func (p *putting) checkUnique(c *candidate) {
	id := c.item.Head().ID
	if video, ok := c.item.(*catalogue.Video); ok {
		if holder, taken := p.claimed.Aliases[video.LegacyID]; taken && holder != id {
			c.fault("legacyId", "%q is that of video %s already", video.LegacyID, holder)
		}
		return
	}
	if own, ok := nameOf(c.item); ok {
		if holder, taken := p.claimed.Names[own]; taken && holder != id {
			c.fault(nameField(own.Kind), "%q is that of %s %s already", own.Folded, own.Kind, holder)
		}
	}
}

// nameField returns the field that contains the unique name of a kind.
func nameField(kind catalogue.Kind) string {
	switch kind {
	case catalogue.KindTag:
		return "label"
	case catalogue.KindDiscipline:
		return "code"
	case catalogue.KindPhrase:
		return "text"
	case catalogue.KindSearchRule:
		return "query"
	case catalogue.KindProvider:
		return "slug"
	}
	return "name"
}

func (p *putting) decideVideo(c *candidate, video *catalogue.Video) store.Outcome {
	stored := p.stored.Videos[video.ID]
	switch {
	case len(c.faults) > 0:
		return c.rejected()
	case stored != nil && stored.equals(c):
		adopt(&video.Meta, stored.Meta)
		video.Sequence = stored.Sequence
		video.HasTranscript, video.HasCaptions = stored.Transcript != nil, stored.hasCaptions()
		return store.Outcome{Status: store.Unchanged}
	}
	video.HasTranscript, video.HasCaptions = c.transcript != nil, stored != nil && stored.hasCaptions()
	p.place(video)
	if stored != nil && bytes.Equal(stored.Transcript, c.transcript) {
		c.keepTime(stored.Meta, stored.Body)
	}
	var (
		outcome    = store.Outcome{Status: store.Added}
		targets    = p.claimed.Numbers.targets(c.links)
		before     []int64
		transcript []byte
		previous   *catalogue.Video
	)
	if stored == nil {
		p.Sequence++
		video.Sequence = p.Sequence
		p.claimed.Numbers[thingOf(video)] = video.Sequence
	} else {
		outcome.Status = store.Changed
		video.Sequence, transcript = stored.Sequence, stored.Transcript
		before = p.claimed.Numbers.targets(stored.parsed.Links())
		delete(p.claimed.Aliases, stored.parsed.LegacyID)
		previous = stored.parsed
	}
	p.changes.noteRemoval(previous, video, video.Version, catalogue.DateOf(p.now))
	link(&p.changes.VideoLinks, p.changes.NoVideoLinks, video.Sequence, before, targets)
	if video.LegacyID != "" {
		p.claimed.Aliases[video.LegacyID] = video.ID
	}
	p.changes.Videos = append(p.changes.Videos, VideoRow{
		New: stored == nil, Video: video,
		Channel: p.claimed.Numbers[Thing{catalogue.KindChannel, video.ChannelID}], Body: c.body,
	})
	switch {
	case bytes.Equal(c.transcript, transcript):
	case c.transcript == nil:
		p.changes.NoTranscripts = append(p.changes.NoTranscripts, video.Sequence)
	default:
		p.changes.Transcripts = append(p.changes.Transcripts, TranscriptRow{
			New: transcript == nil, Sequence: video.Sequence, Sum: c.transcript, Text: *video.Transcript,
		})
	}
	return outcome
}

func (p *putting) decideEntity(c *candidate, item catalogue.Item) store.Outcome {
	head, key := item.Head(), thingOf(item)
	stored := p.stored.Entities[key]
	switch {
	case len(c.faults) > 0:
		return c.rejected()
	case stored != nil && stored.equals(c):
		adopt(head, *stored.Item.Head())
		return store.Outcome{Status: store.Unchanged}
	}
	p.place(item)
	if stored != nil {
		c.keepTime(*stored.Item.Head(), stored.Body)
	}
	var (
		outcome = store.Outcome{Status: store.Added}
		targets = p.claimed.Numbers.targets(c.links)
		before  []int64
		number  int64
	)
	if stored == nil {
		p.Number++
		number = p.Number
		p.claimed.Numbers[key] = number
	} else {
		outcome.Status = store.Changed
		number = stored.Number
		before = p.claimed.Numbers.targets(stored.Item.Links())
		p.fanOut(number, stored.Item, item)
		if old, ok := nameOf(stored.Item); ok {
			delete(p.claimed.Names, old)
		}
	}
	link(&p.changes.EntityLinks, p.changes.NoEntityLinks, number, before, targets)
	own, named := nameOf(item)
	if named {
		p.claimed.Names[own] = key.ID
	}
	channel, _ := item.(*catalogue.Channel)
	p.changes.Entities = append(p.changes.Entities, EntityRow{
		New: stored == nil, Number: number, Kind: key.Kind, Meta: head,
		Folded: own.Folded, Private: channel != nil && channel.Private, Body: c.body,
	})
	return outcome
}

// place gives an accepted item its version and its time of update.
func (p *putting) place(item catalogue.Item) {
	head := item.Head()
	head.Version = p.entry(&p.changes, item.Kind(), head.ID, false)
	head.UpdatedAt = p.now
}

// adopt gives an unchanged item the metadata of the stored one. The held fields are equal, and not part of a row's metadata.
func adopt(head *catalogue.Meta, stored catalogue.Meta) {
	stored.Held = head.Held
	*head = stored
}

// link adds the difference between the links of from before and after, both sorted.
func link(more *[]Link, fewer map[int64][]int64, from int64, before, after []int64) {
	gone, come := difference(before, after)
	for _, target := range gone {
		fewer[target] = append(fewer[target], from)
	}
	for _, target := range come {
		*more = append(*more, Link{target, from})
	}
}
