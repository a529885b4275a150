package storelogic

import (
	"bytes"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Thing identifies a stored item.
type Thing struct {
	Kind catalogue.Kind
	ID   catalogue.ID
}

func thingOf(item catalogue.Item) Thing { return Thing{item.Kind(), item.Head().ID} }

// Name is a name with the kind in which it must be unique.
type Name struct {
	Kind   catalogue.Kind
	Folded string
}

// nameOf returns the unique name of an item. It returns false for a kind whose names need not be unique.
func nameOf(item catalogue.Item) (Name, bool) {
	folded := catalogue.UniqueName(item)
	return Name{item.Kind(), folded}, folded != ""
}

// Entity is a stored item that is neither a video nor an owned item.
type Entity struct {
	Item catalogue.Item
	// Number identifies the item in links and jobs. It is never reused.
	Number int64
	Body   []byte
}

// equals reports whether Put of the candidate would change nothing.
func (e *Entity) equals(c *candidate) bool {
	return sameOrigin(e.Item.Head(), c.item.Head()) && bytes.Equal(e.Body, c.body)
}

// keepTime leaves the time of update of an item as it was if only its held fields change, which clients do not see.
func (c *candidate) keepTime(stored catalogue.Meta, body []byte) {
	head := c.item.Head()
	if sameOrigin(&stored, head) && bytes.Equal(catalogue.WithoutHeld(body), catalogue.WithoutHeld(c.body)) {
		head.UpdatedAt = stored.UpdatedAt
	}
}

func sameOrigin(a, b *catalogue.Meta) bool { return a.Source == b.Source && a.Reference == b.Reference }

// Video is a stored video with its body.
type Video struct {
	Meta     catalogue.Meta
	Sequence int64
	Body     []byte
	// Transcript is the SHA-256 hash of the transcript; nil: the video has none.
	Transcript []byte

	parsed *catalogue.Video
}

// equals reports whether Put of the candidate would change nothing.
func (v *Video) equals(c *candidate) bool {
	return sameOrigin(&v.Meta, c.item.Head()) && bytes.Equal(v.Body, c.body) && bytes.Equal(v.Transcript, c.transcript)
}

// video decodes the body once.
func (v *Video) video() (*catalogue.Video, error) {
	if v.parsed == nil {
		video := &catalogue.Video{Meta: v.Meta, Sequence: v.Sequence}
		if err := Decode(v.Body, video); err != nil {
			return nil, err
		}
		v.parsed = video
	}
	return v.parsed, nil
}

// captioned is the text in the body of a video with captions. It cannot occur elsewhere: JSON escapes quotation marks
// within a text, and no other field of the body has this name.
var captioned = []byte(`"hasCaptions":true`)

// hasCaptions returns HasCaptions of the video without decoding the body.
func (v *Video) hasCaptions() bool { return bytes.Contains(v.Body, captioned) }

// Record is a stored owned item.
type Record struct {
	Meta catalogue.Meta
	// Number is never reused.
	Number int64
	// Owner is the zero value if the item has no owner.
	Owner Thing
	Body  []byte
}

// equals reports whether Put of the candidate would change nothing.
func (r *Record) equals(c *candidate) bool {
	return sameOrigin(&r.Meta, c.item.Head()) && bytes.Equal(r.Body, c.body)
}

// RecordRef identifies a stored owned item.
type RecordRef struct {
	Thing
	Number int64
	// Owner is the ID of its owner.
	Owner catalogue.ID
}

// Numbers maps the targets of links to their numbers; the number of a video is its sequence.
type Numbers map[Thing]int64

// targets returns the known numbers of the targets of links, sorted, each once.
func (n Numbers) targets(links []catalogue.Link) []int64 {
	targets := make([]int64, 0, len(links))
	for _, link := range links {
		if number, ok := n[Thing{link.Kind, link.ID}]; ok {
			targets = append(targets, number)
		}
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

// targetsOf returns the IDs that links name, sorted, each once.
func targetsOf(links []catalogue.Link) (targets Requested) {
	for _, link := range links {
		if link.ID != "" {
			targets.add(link.Kind, link.ID)
		}
	}
	for _, ids := range []*[]catalogue.ID{&targets.Entities, &targets.Videos, &targets.Records} {
		slices.Sort(*ids)
		*ids = slices.Compact(*ids)
	}
	return targets
}

// difference returns the elements that only the first of two sorted lists contains, and those that only the second
// contains.
func difference(before, after []int64) (gone, come []int64) {
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || (len(before) > 0 && before[0] < after[0]):
			gone, before = append(gone, before[0]), before[1:]
		case len(before) == 0 || after[0] < before[0]:
			come, after = append(come, after[0]), after[1:]
		default:
			before, after = before[1:], after[1:]
		}
	}
	return gone, come
}
