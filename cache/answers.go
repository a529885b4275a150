package cache

import (
	"context"
	"crypto/sha256"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// farAnswers stores search results in a cache that processes share. A nil *farAnswers stores and returns nothing.
type farAnswers struct {
	cache  Cache
	behind *writeBehind

	hits atomic.Int64
}

func newFarAnswers(far Cache) *farAnswers {
	return &farAnswers{cache: far, behind: newWriteBehind(far)}
}

// key returns the key of a question to a generation of an index. The version of the entry is the position of the index:
// get ignores an entry of another position.
func (f *farAnswers) key(generation string, question [sha256.Size]byte) string {
	if f == nil {
		return ""
	}
	var space [256]byte
	b := appendString(space[:0], generation)
	hash := sha256.Sum256(append(b, question[:]...))
	return "s" + string(hash[:])
}

func (f *farAnswers) get(ctx context.Context, kind byte, key string, position int64) (answer, bool) {
	if f == nil || position < 1 {
		return answer{}, false
	}
	var found [1]Entry
	err := f.cache.Get(ctx, []Ask{{Key: key, AtLeast: position}}, found[:])
	if err != nil || found[0].Version != position {
		return answer{}, false
	}
	a, ok := readAnswer(kind, found[0].Value)
	if !ok {
		return answer{}, false
	}
	f.hits.Add(1)
	return a, true
}

// put stores an answer, except at position 0, which all empty indexes share.
func (f *farAnswers) put(key string, position int64, a answer) {
	if f == nil || position < 1 {
		return
	}
	f.behind.put([]Item{{Key: key, Entry: Entry{Version: position, Value: appendAnswer(nil, a)}}})
}

func (f *farAnswers) close() {
	if f != nil {
		f.behind.close()
	}
}

// The kinds of questions. Answers of Finds have the encoding of answers of Matches.
const (
	forSearch  = 'q'
	forMatches = 'm'
	forFinds   = 'f'
)

// answerFormat is the first byte of an encoded answer. It changes with the encoding.
const answerFormat = 1

func appendAnswer(b []byte, a answer) []byte {
	if a.result == nil {
		return appendList(append(b, answerFormat, forMatches), a.counts, appendInt[int])
	}
	b = append(b, answerFormat, forSearch)
	b = appendInt(b, a.result.Total)
	b = appendList(b, a.result.Refs, appendRef)
	return appendOptional(b, a.result.Facets, appendFacets)
}

func appendRef(b []byte, ref catalogue.Ref) []byte {
	return appendInt(appendString(b, ref.ID), ref.Version)
}

func appendFacets(b []byte, f search.Facets) []byte {
	b = appendList(b, f.Durations, appendInt[int])
	b = appendList(b, f.Ages, appendInt[int])
	for _, list := range bucketsOf(&f) {
		b = appendList(b, *list, appendBucket)
	}
	return b
}

func appendBucket(b []byte, bucket search.Bucket) []byte {
	return appendInt(appendString(b, bucket.Key), bucket.Hits)
}

// bucketsOf returns the facets with buckets, in the order of the encoding.
func bucketsOf(f *search.Facets) [10]*[]search.Bucket {
	return [...]*[]search.Bucket{
		&f.Subjects, &f.Tags, &f.Types, &f.Channels, &f.EducationLevels, &f.Topics, &f.Languages, &f.CEFR, &f.Subtypes, &f.ResourceTypes,
	}
}
