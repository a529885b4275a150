package storelogic

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

// captioned is how a body says that its video has captions. Within a text the quotation marks would be
// escaped, and no other field of a video's body has the name.
var captioned = []byte(`"hasCaptions":true`)

// hasCaptions is HasCaptions of the video, without decoding it.
func (v *Video) hasCaptions() bool { return bytes.Contains(v.Body, captioned) }

// Record is a stored catalogue.Record.
type Record struct {
	Meta catalogue.Meta
	// Number is given once and never again.
	Number int64
	// Owner is the zero value where it belongs to nothing.
	Owner Thing
	Body  []byte
}

// equals reports whether putting the candidate would change nothing.
func (r *Record) equals(c *candidate) bool {
	return sameOrigin(&r.Meta, c.item.Head()) && bytes.Equal(r.Body, c.body)
}

// RecordRef names a stored record.
type RecordRef struct {
	Thing
	Number int64
	// Owner is what it belongs to.
	Owner catalogue.ID
}

// Numbers finds the number of what a link names, for a video its sequence.
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
func targetsOf(links []catalogue.Link) (targets Asked) {
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
