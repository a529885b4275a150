package model

import (
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
)

// FacetBucket is one value of a facet.
type FacetBucket struct {
	Key   string
	Hits  int
	ID    *string
	Name  *string
	Score *float64
}

// Facets are the twelve facets of a search. A facet that was not requested is empty.
type Facets struct {
	Subjects        []FacetBucket
	AgeRanges       []FacetBucket
	BestForTags     []FacetBucket
	Durations       []FacetBucket
	ResourceTypes   []FacetBucket
	VideoTypes      []FacetBucket
	Channels        []FacetBucket
	EducationLevels []FacetBucket
	Topics          []FacetBucket
	Languages       []FacetBucket
	CefrLevels      []FacetBucket
	VideoSubtypes   []FacetBucket

	once    sync.Once
	encoded []byte
}

// JSON returns the facets in the form of the API's documents: twelve maps from bucket key to hits, id, name and score.
// Facets have a fixed order; buckets keep theirs. The facets must not change after the first call. Callers share the bytes
// and must not modify them. JSON is safe for concurrent use.
func (f *Facets) JSON() []byte {
	f.once.Do(func() { f.encoded = f.appendJSON(make([]byte, 0, 8<<10)) })
	return f.encoded
}

func (f *Facets) appendJSON(b []byte) []byte {
	named := [...]struct {
		name    string
		buckets []FacetBucket
	}{
		{`{"subjects":{`, f.Subjects}, {`},"ageRanges":{`, f.AgeRanges},
		{`},"bestForTags":{`, f.BestForTags}, {`},"durations":{`, f.Durations},
		{`},"resourceTypes":{`, f.ResourceTypes}, {`},"videoTypes":{`, f.VideoTypes},
		{`},"channels":{`, f.Channels}, {`},"educationLevels":{`, f.EducationLevels},
		{`},"topics":{`, f.Topics}, {`},"languages":{`, f.Languages},
		{`},"cefrLevels":{`, f.CefrLevels}, {`},"videoSubtypes":{`, f.VideoSubtypes},
	}
	for _, facet := range named {
		b = append(b, facet.name...)
		for i := range facet.buckets {
			if i > 0 {
				b = append(b, ',')
			}
			b = facet.buckets[i].appendJSON(b)
		}
	}
	return append(b, "}}"...)
}

func (k *FacetBucket) appendJSON(b []byte) []byte {
	b = appendString(b, k.Key)
	b = append(b, `:{"hits":`...)
	b = strconv.AppendInt(b, int64(k.Hits), 10)
	b = append(b, `,"id":`...)
	b = appendOptional(b, k.ID)
	b = append(b, `,"name":`...)
	b = appendOptional(b, k.Name)
	b = append(b, `,"score":`...)
	if k.Score == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendFloat(b, *k.Score, 'f', -1, 64)
	}
	return append(b, '}')
}

func appendOptional(b []byte, text *string) []byte {
	if text == nil {
		return append(b, "null"...)
	}
	return appendString(b, *text)
}

// appendString appends a JSON string.
func appendString(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // the error says that it replaced bytes that are not UTF-8
	return b
}

// Suggestion is an object whose name completes a text.
type Suggestion struct {
	ID   catalogue.ID
	Name string
}
