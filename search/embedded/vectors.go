package embedded

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/filmstrip/filmstrip/search"
)

// vectors contains the vectors of a segment's documents, all of the same number of dimensions: a byte for each dimension,
// and derived from it a bit for its sign and the norm of the vector.
type vectors struct {
	dimensions uint32
	first      []uint32 // by document: the number of its first vector; and the end. nil: no document has a vector
	values     []int8

	// The following fields are derived.

	words int // of signs, for each vector
	signs []uint64
	norms []float32
}

// newVectors copies the vectors of documents. It omits those that differ from the first one in their number of dimensions.
func newVectors(documents int, of func(doc int) []search.Vector) vectors {
	var v vectors
	for doc := range documents {
		for _, vector := range of(doc) {
			if v.dimensions == 0 {
				v.dimensions = uint32(len(vector))
				v.first = make([]uint32, doc+1, documents+1)
			}
			if len(vector) == int(v.dimensions) {
				v.values = append(v.values, vector...)
			}
		}
		if v.first != nil {
			v.first = append(v.first, uint32(len(v.values))/v.dimensions)
		}
	}
	v.values = slices.Clip(v.values)
	return v
}

// derive computes the fields that the snapshot does not contain.
func (v *vectors) derive() {
	if v.dimensions == 0 {
		return
	}
	count := len(v.values) / int(v.dimensions)
	v.words = (int(v.dimensions) + 63) / 64
	v.signs, v.norms = make([]uint64, 0, count*v.words), make([]float32, count)
	for i := range count {
		vector := v.at(i)
		v.signs = appendSigns(v.signs, vector)
		v.norms[i] = vector.Norm()
	}
}

// appendSigns appends a bit for each component: 1 if it is positive.
func appendSigns(signs []uint64, vector search.Vector) []uint64 {
	for from := 0; from < len(vector); from += 64 {
		word := uint64(0)
		for i, component := range vector[from:min(from+64, len(vector))] {
			if component > 0 {
				word |= 1 << i
			}
		}
		signs = append(signs, word)
	}
	return signs
}

func (v *vectors) at(i int) search.Vector {
	d := int(v.dimensions)
	return v.values[i*d : (i+1)*d : (i+1)*d]
}

// of returns the vectors of a document.
func (v *vectors) of(doc int) []search.Vector {
	if v.first == nil {
		return nil
	}
	var list []search.Vector
	for i := v.first[doc]; i < v.first[doc+1]; i++ {
		list = append(list, v.at(int(i)))
	}
	return list
}

// nearest contains the documents nearest to a meaning, by part and in the order of their numbers.
type nearest struct {
	parts    [][]nearDocument
	greatest float32 // similarity
}

type nearDocument struct {
	doc        uint16
	similarity float32
}

// nearestKey contains everything that the nearest documents depend on except the view.
type nearestKey struct {
	vector string
	least  float32
	who    visibility
}

// maxNearestCached is the number of results that a view caches.
const maxNearestCached = 64

// nearest returns the documents nearest to the meaning of a query, among those that the caller may find. The result is
// shared, and callers must not change it.
func (v *view) nearest(query *search.Query, visible []bitset) *nearest {
	m := query.Meaning
	raw := make([]byte, len(m.Vector))
	for i, component := range m.Vector {
		raw[i] = byte(component)
	}
	key := nearestKey{string(raw), m.Least, visibility{query.Access.Fingerprint(), query.Today}}
	return v.near.get(key, maxNearestCached, func() *nearest { return v.findNearest(m, visible) })
}

// candidates is the number of vectors whose exact similarity is computed: those whose components have the same sign as the
// query's most often. It is ten times the number of results, which loses one in a thousand of them (docs/performance.md).
const candidates = 10 * search.MaxNearest

// findNearest compares signs first, because that takes a fiftieth of the time of a scalar product and needs an eighth of
// the memory.
func (v *view) findNearest(m *search.Meaning, visible []bitset) *nearest {
	scans := make([]signScan, len(v.parts))
	signs := appendSigns(nil, m.Vector)
	var scanning sync.WaitGroup
	for i := range v.parts {
		if vectors := &v.parts[i].vectors; int(vectors.dimensions) == len(m.Vector) && len(m.Vector) > 0 {
			scanning.Go(func() { scans[i] = vectors.scan(signs, visible[i]) })
		}
	}
	scanning.Wait()
	limit := cutoff(scans, len(m.Vector))
	norm := m.Vector.Norm()
	type candidate struct {
		place
		similarity float32
	}
	var found []candidate
	for i := range scans {
		vectors := &v.parts[i].vectors
		for n, distance := range scans[i].distances {
			if int(distance) > limit {
				continue
			}
			number, doc := int(scans[i].vectors[n]), int(scans[i].docs[n])
			similarity := float32(search.Dot(m.Vector, vectors.at(number))) / max(norm*vectors.norms[number], 1)
			switch last := len(found) - 1; {
			case similarity < m.Least:
			case last >= 0 && found[last].place == place{i, doc}:
				found[last].similarity = max(found[last].similarity, similarity)
			default:
				found = append(found, candidate{place{i, doc}, similarity})
			}
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), v.compareDates(a.place, b.place))
	})
	found = found[:min(len(found), search.MaxNearest)]
	result := &nearest{parts: make([][]nearDocument, len(v.parts))}
	for _, c := range found {
		result.greatest = max(result.greatest, c.similarity)
		result.parts[c.part] = append(result.parts[c.part], nearDocument{uint16(c.doc), c.similarity})
	}
	for _, list := range result.parts {
		slices.SortFunc(list, func(a, b nearDocument) int { return cmp.Compare(a.doc, b.doc) })
	}
	return result
}

// signScan contains, for each vector of the documents of a set, the number of its components whose sign differs from that
// of a query.
type signScan struct {
	distances []uint16
	vectors   []uint32
	docs      []uint16
	counts    []int // by distance
}

func (v *vectors) scan(signs []uint64, set bitset) signScan {
	s := signScan{
		distances: make([]uint16, 0, len(v.norms)), vectors: make([]uint32, 0, len(v.norms)), docs: make([]uint16, 0, len(v.norms)),
		counts: make([]int, v.dimensions+1),
	}
	for doc := range set.all {
		for i := v.first[doc]; i < v.first[doc+1]; i++ {
			own := v.signs[int(i)*v.words:]
			distance := 0
			for w, word := range signs {
				distance += bits.OnesCount64(word ^ own[w])
			}
			s.counts[distance]++
			s.distances = append(s.distances, uint16(distance))
			s.vectors = append(s.vectors, i)
			s.docs = append(s.docs, uint16(doc))
		}
	}
	return s
}

// cutoff returns the least distance within which there are enough candidates.
func cutoff(scans []signScan, dimensions int) int {
	found := 0
	for distance := range dimensions + 1 {
		for i := range scans {
			if scans[i].counts != nil {
				found += scans[i].counts[distance]
			}
		}
		if found >= candidates {
			return distance
		}
	}
	return dimensions
}

// addTo adds the nearest documents of a part to a set.
func (n *nearest) addTo(part int, set bitset) {
	for _, near := range n.parts[part] {
		set.add(int(near.doc))
	}
}

// take removes the nearest documents of a part from a set of hits, and returns those that it contained.
func (n *nearest) take(part int, hits bitset) (rest bitset, taken []nearDocument) {
	if len(n.parts[part]) == 0 {
		return hits, nil
	}
	rest = hits.clone()
	for _, near := range n.parts[part] {
		if rest.has(int(near.doc)) {
			rest.remove(int(near.doc))
			taken = append(taken, near)
		}
	}
	return rest, taken
}

// modelFingerprint mixes the name of the embedding model into the fingerprint of a snapshot.
func modelFingerprint(fingerprint uint64, model string) uint64 {
	const prime = 1099511628211 // of FNV-1a
	for i := range len(model) {
		fingerprint = (fingerprint ^ uint64(model[i])) * prime
	}
	return fingerprint
}
