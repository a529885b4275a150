package storelogic

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// decideOwnedItem is decide for an owned item. Its owner must exist, like the targets of its links.
func (p *putting) decideOwnedItem(c *candidate, record catalogue.OwnedItem) store.Outcome {
	head, key := record.Head(), thingOf(record)
	stored := p.stored.Records[key]
	switch {
	case len(c.faults) > 0:
		return c.rejected()
	case stored != nil && stored.equals(c):
		adopt(head, stored.Meta)
		return store.Outcome{Status: store.Unchanged}
	}
	p.place(record)
	if stored != nil {
		c.keepTime(stored.Meta, stored.Body)
	}
	change := RecordChange{New: stored == nil, Kind: key.Kind, Meta: head, Owner: ownerOf(record), Body: c.body}
	outcome := store.Outcome{Status: store.Added}
	if stored == nil {
		p.Number++
		change.Number = p.Number
		p.claimed.Numbers[key] = change.Number
		p.changes.MoreRecords[key.Kind]++
	} else {
		outcome.Status = store.Changed
		change.Number = stored.Number
		p.moved.note(key.Kind, stored.Owner.ID)
	}
	p.changes.Records = append(p.changes.Records, change)
	p.moved.note(key.Kind, change.Owner.ID)
	return outcome
}

// ownerOf returns the owner of an item, or the zero value if it has none.
func ownerOf(record catalogue.OwnedItem) Thing {
	owner := record.Owner()
	if owner.ID == "" {
		return Thing{}
	}
	return Thing{owner.Kind, owner.ID}
}

// deleteRecords deletes owned items. It keeps and returns those that own items.
func (t *Transaction) deleteRecords(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (kept []catalogue.ID, err error) {
	stored, err := t.engine.Stored(ctx, Requested{Records: ids})
	if err != nil {
		return nil, err
	}
	owning, err := t.owning(ctx, kind, ids)
	if err != nil {
		return nil, err
	}
	changes, moved := Changes{MoreRecords: map[catalogue.Kind]int64{}}, movedVideos{}
	for _, id := range ids {
		record, ok := stored.Records[Thing{kind, id}]
		switch {
		case !ok:
		case owning[id]:
			kept = append(kept, id)
		default:
			t.removeRecord(&changes, Thing{kind, id}, record.Number)
			moved.note(kind, record.Owner.ID)
		}
	}
	if err := t.engine.Apply(ctx, &changes); err != nil {
		return nil, err
	}
	if err := t.lookForCaptions(ctx, &moved); err != nil {
		return nil, err
	}
	_, err = t.move(ctx, &moved)
	return kept, err
}

// removeRecord adds the deletion of an owned item to the changes.
func (t *Transaction) removeRecord(changes *Changes, record Thing, number int64) {
	changes.NoRecords = append(changes.NoRecords, number)
	changes.MoreRecords[record.Kind]--
	t.entry(changes, record.Kind, record.ID, true)
}

// owning is Engine.Owning. It does not query the engine for kinds that own no items.
func (t *Transaction) owning(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	if !kind.OwnsRecords() {
		return nil, nil
	}
	return t.engine.Owning(ctx, kind, ids)
}

// movedVideos are the videos whose owned items one call writes.
type movedVideos struct {
	// ids are in the order in which they were added, each once.
	ids []catalogue.ID
	met map[catalogue.ID]bool
	// captions reports, for videos whose captions are written, whether they have captions now.
	captions map[catalogue.ID]bool
}

// note adds the owner of an item, if the item's kind gives its video a new version.
func (m *movedVideos) note(kind catalogue.Kind, video catalogue.ID) {
	if !kind.MovesVideo() {
		return
	}
	if m.met == nil {
		m.met, m.captions = map[catalogue.ID]bool{}, map[catalogue.ID]bool{}
	}
	if !m.met[video] {
		m.met[video] = true
		m.ids = append(m.ids, video)
	}
	if kind == catalogue.KindCaptions {
		m.captions[video] = true
	}
}

// move gives each of the videos a new version after their owned items were written, and returns the videos in their new
// state. If a video gains or loses captions, it also gets a new time of update.
func (t *Transaction) move(ctx context.Context, moved *movedVideos) (map[catalogue.ID]*Video, error) {
	if len(moved.ids) == 0 {
		return nil, nil
	}
	stored, err := t.engine.Stored(ctx, Requested{Videos: moved.ids})
	if err != nil {
		return nil, err
	}
	var (
		changes     Changes
		same, other []*Video
	)
	for _, id := range moved.ids {
		video := stored.Videos[id]
		has, written := moved.captions[id]
		if !written || has == video.hasCaptions() {
			same = append(same, video)
			continue
		}
		if err := video.setCaptions(has); err != nil {
			return nil, err
		}
		other = append(other, video)
		changes.Bodies = append(changes.Bodies, VideoBody{video.Sequence, video.Body})
	}
	if err := t.engine.Apply(ctx, &changes); err != nil {
		return nil, err
	}
	if err := t.renew(ctx, same, nil); err != nil {
		return nil, err
	}
	now := catalogue.Instant(t.now())
	return stored.Videos, t.renew(ctx, other, &now)
}

// lookForCaptions checks which of the videos that lost captions have others.
func (t *Transaction) lookForCaptions(ctx context.Context, moved *movedVideos) error {
	if len(moved.captions) == 0 {
		return nil
	}
	owned, err := t.engine.Owned(ctx, catalogue.KindVideo, moved.ids)
	if err != nil {
		return err
	}
	for id := range moved.captions {
		moved.captions[id] = false
	}
	for _, record := range owned {
		moved.captions[record.Owner] = moved.captions[record.Owner] || record.Kind == catalogue.KindCaptions
	}
	return nil
}

// setCaptions changes HasCaptions in the body.
func (v *Video) setCaptions(has bool) error {
	video, err := v.video()
	if err != nil {
		return err
	}
	video.HasCaptions = has
	v.Body, err = Encode(video)
	return err
}

// renew gives each video a new version and, unless updated is nil, a new time of update.
func (t *Transaction) renew(ctx context.Context, videos []*Video, updated *time.Time) error {
	if len(videos) == 0 {
		return nil
	}
	first, sequences := t.Position+1, make([]int64, len(videos))
	for i, video := range videos {
		sequences[i] = video.Sequence
		t.Position++
		video.Meta.Version = t.Position
		if updated != nil {
			video.Meta.UpdatedAt = *updated
		}
	}
	return t.engine.Bump(ctx, sequences, first, updated)
}

// updateVideos copies to the videos of a Put call the changes that the owned items of the same call caused.
func updateVideos(items []catalogue.Item, outcomes []store.Outcome, moved map[catalogue.ID]*Video) {
	for i, item := range items {
		video, ok := item.(*catalogue.Video)
		if !ok || outcomes[i].Status == store.Rejected {
			continue
		}
		if stored, ok := moved[video.ID]; ok {
			video.Version, video.UpdatedAt, video.HasCaptions = stored.Meta.Version, stored.Meta.UpdatedAt, stored.hasCaptions()
		}
	}
}

// MostRecords is the maximum number of items that one call of OwnedItemsSince of store.Catalogue returns.
const MostRecords = 10_000

// RecordLimit limits limit to the range from 0 to MostRecords.
func RecordLimit(limit int) int { return min(max(0, limit), MostRecords) }
