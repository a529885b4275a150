package cache

import (
	"encoding/binary"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// readAnswer decodes the encoding of appendAnswer. It returns false for any other input. Its allocations are
// proportional to the length of b, regardless of its content.
func readAnswer(kind byte, b []byte) (answer, bool) {
	r := reader{rest: b}
	if r.byte() != answerFormat || r.byte() != kind || r.failed {
		return answer{}, false
	}
	r.text = string(b) // all strings of an answer are slices of this one
	var a answer
	if kind == forMatches {
		a.counts = readList(&r, 1, readInt)
	} else {
		a.result = &search.Result{Total: readInt(&r), Refs: readList(&r, 2, readRef), Facets: readFacets(&r)}
	}
	return a, !r.failed && len(r.rest) == 0
}

// reader decodes the encoding of encoding.go. After a failure, all its methods return zero values.
type reader struct {
	text   string // the whole input; rest is a suffix of it
	rest   []byte
	failed bool
}

func (r *reader) fail() {
	r.failed, r.rest = true, nil
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	first := r.rest[0]
	r.rest = r.rest[1:]
	return first
}

func (r *reader) number() int64 {
	n, width := binary.Varint(r.rest)
	if width <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[width:]
	return n
}

// length reads the number of elements that follow, each at least size bytes long. It fails if the rest is too short.
func (r *reader) length(size int) int {
	n, width := binary.Uvarint(r.rest)
	if width <= 0 || n > uint64((len(r.rest)-width)/size) {
		r.fail()
		return 0
	}
	r.rest = r.rest[width:]
	return int(n)
}

func (r *reader) string() string {
	n := r.length(1)
	at := len(r.text) - len(r.rest)
	if r.failed {
		return ""
	}
	r.rest = r.rest[n:]
	return r.text[at : at+n]
}

func readInt(r *reader) int { return int(r.number()) }

func readRef(r *reader) catalogue.Ref {
	return catalogue.Ref{ID: catalogue.ID(r.string()), Version: r.number()}
}

func readBucket(r *reader) search.Bucket {
	return search.Bucket{Key: r.string(), Hits: readInt(r)}
}

func readFacets(r *reader) *search.Facets {
	switch r.byte() {
	case 0:
		return nil
	case 1:
		f := &search.Facets{Durations: readList(r, 1, readInt), Ages: readList(r, 1, readInt)}
		for _, list := range bucketsOf(f) {
			*list = readList(r, 2, readBucket)
		}
		return f
	default:
		r.fail()
		return nil
	}
}

// readList decodes the encoding of appendList. Each element is at least size bytes long.
func readList[T any](r *reader, size int, readOne func(*reader) T) []T {
	n, width := binary.Uvarint(r.rest)
	if width <= 0 || (n > 0 && n-1 > uint64((len(r.rest)-width)/size)) {
		r.fail()
		return nil
	}
	r.rest = r.rest[width:]
	if n == 0 {
		return nil
	}
	list := make([]T, n-1)
	for i := range list {
		list[i] = readOne(r)
	}
	return list
}
