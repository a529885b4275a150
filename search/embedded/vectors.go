package embedded

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
// query's most often. It is ten times the number of results, which loses about one in a hundred of them, and one in a thousand
// of the ten nearest (docs/performance.md).
const candidates = 10 * search.MaxNearest

// findNearest compares signs first, because that takes a fiftieth of the time of a scalar product and needs an eighth of
// the memory.
func (v *view) findNearest(m *search.Meaning, visible []bitset) *nearest {
	type candidate struct {
		place
		similarity float32
	}
	var found []candidate
	norm := m.Vector.Norm()
	for _, like := range v.alike(m.Vector, visible) {
		vectors := &v.parts[like.part].vectors
		similarity := float32(search.Dot(m.Vector, vectors.at(int(like.number)))) / max(norm*vectors.norms[like.number], 1)
		switch last := len(found) - 1; {
		case similarity < m.Least:
		case last >= 0 && found[last].place == like.place:
			found[last].similarity = max(found[last].similarity, similarity)
		default:
			found = append(found, candidate{like.place, similarity})
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

// likeVector is a vector whose components have the same signs as those of a query, except distance of them.
type likeVector struct {
	place
	number   uint32 // within the segment
	distance uint16
}

// blockSize is the number of documents that one goroutine scans at a time.
const blockSize = 512

// alike returns the candidates most like a vector: those within the least distance within which there are enough. The
// vectors of a document follow each other. All processors share the work.
func (v *view) alike(vector search.Vector, visible []bitset) []likeVector {
	type block struct{ part, from, end int } // documents
	var blocks []block
	for i := range v.parts {
		if vectors := &v.parts[i].vectors; int(vectors.dimensions) == len(vector) && len(vector) > 0 {
			for from := 0; from < v.parts[i].size; from += blockSize {
				blocks = append(blocks, block{i, from, min(from+blockSize, v.parts[i].size)})
			}
		}
	}
	signs := appendSigns(nil, vector)
	scans := make([]signScan, min(runtime.GOMAXPROCS(0), len(blocks)))
	var next atomic.Int64
	var scanning sync.WaitGroup
	for i := range scans {
		scan := &scans[i]
		scan.counts, scan.limit = make([]int, len(vector)+1), len(vector)
		scanning.Go(func() {
			for n := next.Add(1) - 1; int(n) < len(blocks); n = next.Add(1) - 1 {
				b := blocks[n]
				scan.add(&v.parts[b.part].vectors, signs, visible[b.part], b.part, b.from, b.end)
				scan.narrow()
			}
		})
	}
	scanning.Wait()
	counts := make([]int, len(vector)+1)
	var all []likeVector
	for _, scan := range scans {
		for distance, n := range scan.counts {
			counts[distance] += n
		}
		all = append(all, scan.found...)
	}
	limit := cutoff(counts)
	all = slices.DeleteFunc(all, func(like likeVector) bool { return int(like.distance) > limit })
	slices.SortFunc(all, func(a, b likeVector) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.number, b.number))
	})
	return all
}

// signScan is the work of one goroutine: the vectors within limit, and their number by distance. As limit is the distance
// within which the goroutine itself has enough candidates, it never excludes one of all.
type signScan struct {
	found  []likeVector
	counts []int
	limit  int
}

// narrow lowers the limit, and now and then drops the vectors that are beyond it.
func (s *signScan) narrow() {
	s.limit = cutoff(s.counts)
	if len(s.found) > 4*candidates {
		s.found = slices.DeleteFunc(s.found, func(like likeVector) bool { return int(like.distance) > s.limit })
	}
}

// cutoff returns the least distance within which there are enough candidates.
func cutoff(counts []int) int {
	found := 0
	for distance, n := range counts {
		if found += n; found >= candidates {
			return distance
		}
	}
	return len(counts) - 1
}

// add scans the vectors of the documents of a set between two numbers.
func (s *signScan) add(v *vectors, signs []uint64, set bitset, part, from, end int) {
	for doc := from; doc < end; doc++ {
		if !set.has(doc) {
			continue
		}
		for i := int(v.first[doc]); i < int(v.first[doc+1]); i++ {
			own, distance := v.signs[i*v.words:], 0
			if len(signs) == 6 { // small models have 384 dimensions; without a loop, this takes half the time
				a, b := (*[6]uint64)(signs), (*[6]uint64)(own)
				distance = bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1]) + bits.OnesCount64(a[2]^b[2]) +
					bits.OnesCount64(a[3]^b[3]) + bits.OnesCount64(a[4]^b[4]) + bits.OnesCount64(a[5]^b[5])
			} else {
				for w, word := range signs {
					distance += bits.OnesCount64(word ^ own[w])
				}
			}
			if distance <= s.limit {
				s.counts[distance]++
				s.found = append(s.found, likeVector{place{part, doc}, uint32(i), uint16(distance)})
			}
		}
	}
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
