package storelogic

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// decideOwnedItem is decide for an owned item, whose owner must exist as its links must.
func (p *putting) decideOwnedItem(c *candidate, record catalogue.OwnedItem) store.Outcome {
	head, key := record.Head(), thingOf(record)
	stored := p.stored.Records[key]
	switch {
	case len(c.faults) > 0:
		return c.rejected()
	case stored != nil && stored.equals(c):
		*head = stored.Meta
		return store.Outcome{Status: store.Unchanged}
	}
	p.place(record)
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

// ownerOf is what a record belongs to, the zero value where it belongs to nothing.
func ownerOf(record catalogue.OwnedItem) Thing {
	owner := record.Owner()
	if owner.ID == "" {
		return Thing{}
	}
	return Thing{owner.Kind, owner.ID}
}

// deleteRecords removes records that own none themselves.
func (t *Transaction) deleteRecords(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (kept []catalogue.ID, err error) {
	stored, err := t.engine.Stored(ctx, Asked{Records: ids})
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

// removeRecord notes that a record goes away.
func (t *Transaction) removeRecord(changes *Changes, record Thing, number int64) {
	changes.NoRecords = append(changes.NoRecords, number)
	changes.MoreRecords[record.Kind]--
	t.entry(changes, record.Kind, record.ID, true)
}

// owning is that of Engine, which is asked only where there can be something to tell.
func (t *Transaction) owning(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	if !kind.OwnsRecords() {
		return nil, nil
	}
	return t.engine.Owning(ctx, kind, ids)
}

// movedVideos are the videos of records that one call writes.
type movedVideos struct {
	// ids are in the order in which they were noted, each once.
	ids []catalogue.ID
	met map[catalogue.ID]bool
	// captions tells of those whose captions are written whether they have some now.
	captions map[catalogue.ID]bool
}

// note notes the owner of a record of a kind, where that kind moves videos.
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

// move gives each of the videos a new version, once their records are written, and returns them as they
// are then. Where it changes whether a video has captions, the video gets a new time too.
func (t *Transaction) move(ctx context.Context, moved *movedVideos) (map[catalogue.ID]*Video, error) {
	if len(moved.ids) == 0 {
		return nil, nil
	}
	stored, err := t.engine.Stored(ctx, Asked{Videos: moved.ids})
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

// lookForCaptions asks which of the videos that lost captions have others.
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

// renew gives videos a new version each and, unless it is nil, a new time.
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

// tellVideos tells the videos that a call put what became of them by the records that it put.
func tellVideos(items []catalogue.Item, outcomes []store.Outcome, moved map[catalogue.ID]*Video) {
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

// MostRecords is the most that one call of store.Catalogue's RecordsSince returns.
const MostRecords = 10_000

// RecordLimit is how many records may be asked for at once.
func RecordLimit(limit int) int { return min(max(0, limit), MostRecords) }
