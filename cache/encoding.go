package cache

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// The following functions append a search to a key. Each value has a fixed width or a length prefix, and fields have a
// fixed order, so that different searches never have the same encoding. A nil list differs from an empty one, as in a
// Filter.

func appendQuery(b []byte, q *search.Query) []byte {
	b = appendText(b, q.Text)
	b = appendLevel(b, q.Level)
	b = appendOptional(b, q.Meaning, appendMeaning)
	b = appendFilter(b, &q.Filter)
	b = appendAccess(b, q.Access, q.Today)
	b = appendStrings(b, q.BoostNamed.Channels)
	b = appendStrings(b, q.BoostNamed.Subjects)
	b = appendStrings(b, q.BoostPreferred)
	b = appendStrings(b, q.Pin)
	b = appendStrings(b, q.Bury)
	b = appendBool(b, q.ByReleaseDate)
	b = appendInt(b, q.Offset)
	b = appendInt(b, q.Size)
	b = appendOptional(b, q.Listing, appendListing)
	return appendFacetRequest(b, q.Facets)
}

func appendListing(b []byte, l search.Listing) []byte {
	return appendInt(appendInt(b, l.State), l.Order)
}

func appendText(b []byte, t search.Text) []byte {
	b = appendString(b, t.Words)
	b = appendStrings(b, t.Phrases)
	return appendList(b, t.SynonymGroups, appendStrings)
}

func appendMeaning(b []byte, m search.Meaning) []byte {
	b = appendList(b, m.Vector, func(b []byte, component int8) []byte { return append(b, byte(component)) })
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(m.Least))
}

func appendLevel(b []byte, s search.MatchLevel) []byte {
	return appendInt(appendBool(b, s.Typos), s.OptionalWords)
}

// appendAccess appends the fingerprint of the access rules, so that callers share answers only if their rules are
// equal.
func appendAccess(b []byte, access catalogue.Access, today catalogue.Date) []byte {
	return appendInt(appendString(b, access.Fingerprint()), today)
}

func appendFilter(b []byte, f *search.Filter) []byte {
	b = appendBool(b, f.Nothing)
	b = appendStrings(b, f.IDs)
	b = appendList(b, f.Durations, appendDurationRange)
	b = appendOptional(b, f.ReleasedFrom, appendInt)
	b = appendOptional(b, f.ReleasedTo, appendInt)
	b = appendOptional(b, f.UpdatedFrom, appendInstant)
	b = appendList(b, f.Ages, appendAgeBracket)
	b = appendOptional(b, f.AgeMin, appendInt)
	b = appendOptional(b, f.AgeMax, appendInt)
	b = appendStrings(b, f.Subjects)
	b = appendOptional(b, f.SubjectsSetManually, appendBool)
	b = appendStrings(b, f.Channels)
	b = appendStrings(b, f.Types)
	b = appendStrings(b, f.Tags)
	b = appendOptional(b, f.Promoted, appendBool)
	b = appendStrings(b, f.Languages)
	b = appendStrings(b, f.EducationLevels)
	b = appendStrings(b, f.CEFR)
	b = appendStrings(b, f.Subtypes)
	b = appendStrings(b, f.ResourceTypes)
	b = appendStrings(b, f.Categories)
	b = appendStrings(b, f.Topics)
	b = appendList(b, f.Curriculum, appendPlace)
	return appendOptional(b, f.YouTube, appendBool)
}

func appendPlace(b []byte, p search.Place) []byte {
	return appendStrings(appendStrings(b, p.Categories), p.EducationLevels)
}

func appendFacetRequest(b []byte, r *search.FacetRequest) []byte {
	if r == nil {
		return append(b, 0)
	}
	b = append(b, 1)
	b = appendList(b, r.Durations, appendDurationRange)
	b = appendList(b, r.Ages, appendAgeBracket)
	b = appendBool(b, r.Channels)
	b = appendBool(b, r.EducationLevels)
	b = appendBool(b, r.Topics)
	return appendBool(b, r.CEFR)
}

func appendDurationRange(b []byte, r catalogue.DurationRange) []byte {
	return appendOptional(appendInt(b, r.Min), r.Max, appendInt)
}

func appendAgeBracket(b []byte, a catalogue.AgeBracket) []byte {
	return appendInt(appendInt(b, a.From), a.To)
}

func appendInstant(b []byte, t time.Time) []byte {
	return appendInt(appendInt(b, t.Unix()), t.Nanosecond())
}

func appendInt[T ~int | ~int32 | ~int64](b []byte, n T) []byte {
	return binary.AppendVarint(b, int64(n))
}

func appendBool[T ~bool](b []byte, v T) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendString[T ~string](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendStrings[T ~string](b []byte, list []T) []byte {
	return appendList(b, list, appendString)
}

func appendList[T any](b []byte, list []T, appendOne func([]byte, T) []byte) []byte {
	if list == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(list))+1)
	for _, value := range list {
		b = appendOne(b, value)
	}
	return b
}

func appendOptional[T any](b []byte, value *T, appendOne func([]byte, T) []byte) []byte {
	if value == nil {
		return append(b, 0)
	}
	return appendOne(append(b, 1), *value)
}
