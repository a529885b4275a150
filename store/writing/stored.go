package writing

import (
	"bytes"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Thing names what is stored.
type Thing struct {
	Kind catalogue.Kind
	ID   catalogue.ID
}

func thingOf(item catalogue.Item) Thing { return Thing{item.Kind(), item.Head().ID} }

// Name is a name within the kind in which it must be unique.
type Name struct {
	Kind   catalogue.Kind
	Folded string
}

// nameOf returns the unique name of an item; false for kinds that may repeat theirs.
func nameOf(item catalogue.Item) (Name, bool) {
	folded := catalogue.UniqueName(item)
	return Name{item.Kind(), folded}, folded != ""
}

// Entity is a stored thing of any kind but videos.
type Entity struct {
	Item catalogue.Item
	// Number is what links and jobs hold: given once and never again.
	Number int64
	Body   []byte
}

// equals reports whether putting the candidate would change nothing.
func (e *Entity) equals(c *candidate) bool {
	return sameOrigin(e.Item.Head(), c.item.Head()) && bytes.Equal(e.Body, c.body)
}

func sameOrigin(a, b *catalogue.Meta) bool { return a.Source == b.Source && a.Reference == b.Reference }

// Video is a stored video with its body.
type Video struct {
	Meta     catalogue.Meta
	Sequence int64
	Body     []byte
	// Transcript is the SHA-256 of the transcript, nil where there is none.
	Transcript []byte

	parsed *catalogue.Video
}

// equals reports whether putting the candidate would change nothing.
func (v *Video) equals(c *candidate) bool {
	return sameOrigin(&v.Meta, c.item.Head()) && bytes.Equal(v.Body, c.body) && bytes.Equal(v.Transcript, c.transcript)
}

// video decodes the body, once.
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

// Numbers finds the number of what a link names.
type Numbers map[Thing]int64

// targets are the numbers of what links name, sorted, each once.
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

// targetsOf are the IDs that links name, sorted, each once.
func targetsOf(links []catalogue.Link) []catalogue.ID {
	ids := make([]catalogue.ID, len(links))
	for i, link := range links {
		ids[i] = link.ID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// difference splits two sorted lists into what only the first and what only the second holds.
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
