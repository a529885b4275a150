package embedded

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/filmstrip/filmstrip/search/analysis"
)

// identities contains the IDs of at most maxSegment documents.
type identities struct {
	ids     analysis.Table // by document
	idOrder []uint16       // the documents in order of their IDs
}

func newIdentities(size int, idOf func(doc int) string) identities {
	t := identities{idOrder: make([]uint16, size)}
	for doc := range size {
		t.ids.Append(idOf(doc))
		t.idOrder[doc] = uint16(doc)
	}
	t.ids.End()
	slices.SortFunc(t.idOrder, func(a, b uint16) int {
		return bytes.Compare(t.ids.At(int(a)), t.ids.At(int(b)))
	})
	return t
}

// find returns the document with an ID, or -1 if there is none.
func (t *identities) find(id string) int {
	i, found := slices.BinarySearchFunc(t.idOrder, id, func(doc uint16, id string) int {
		return cmp.Compare(string(t.ids.At(int(doc))), id)
	})
	if !found {
		return -1
	}
	return int(t.idOrder[i])
}

// common calls yield for each ID that both tables contain, with its document in each.
func common(a, b *identities, yield func(inA, inB int)) {
	const walkBoth = 16 // up to this multiple of the smaller table's size, a walk is faster than lookups
	switch {
	case len(a.idOrder) > walkBoth*len(b.idOrder):
		for inB := range len(b.idOrder) {
			if inA := a.find(string(b.ids.At(inB))); inA >= 0 {
				yield(inA, inB)
			}
		}
		return
	case len(b.idOrder) > walkBoth*len(a.idOrder):
		common(b, a, func(inB, inA int) { yield(inA, inB) })
		return
	}
	for i, j := 0, 0; i < len(a.idOrder) && j < len(b.idOrder); {
		inA, inB := int(a.idOrder[i]), int(b.idOrder[j])
		switch order := bytes.Compare(a.ids.At(inA), b.ids.At(inB)); {
		case order < 0:
			i++
		case order > 0:
			j++
		default:
			yield(inA, inB)
			i++
			j++
		}
	}
}
