package typesense

import (
	"slices"
	"strconv"
)

// schemaVersion changes whenever the layout or the meaning of documents changes.
const schemaVersion = 11

// The fields of the videos collection. document specifies each of them.
const (
	fieldVersion       = "version"
	fieldVectorsSum    = "vectors_sum"
	fieldOrder         = "order"
	fieldUpdated       = "updated"
	fieldReleased      = "released"
	fieldDuration      = "duration"
	fieldAgeMin        = "age_min"
	fieldAgeMax        = "age_max"
	fieldAges          = "ages"
	fieldSubjects      = "subjects"
	fieldTags          = "tags"
	fieldTopics        = "topics"
	fieldChannel       = "channel"
	fieldType          = "type"
	fieldLanguage      = "language"
	fieldLevels        = "levels"
	fieldCEFR          = "cefr"
	fieldSubtypes      = "subtypes"
	fieldResourceTypes = "resource_types"
	fieldCategories    = "categories"
	fieldManual        = "manual"
	fieldPromoted      = "promoted"
	fieldYouTube       = "youtube"
	fieldTraits        = "traits"

	fieldDurationBuckets = "duration_buckets"
	fieldAgeBuckets      = "age_buckets"

	fieldTerms = "terms"

	fieldEvery           = "every"
	fieldTitleText       = "title_text"
	fieldKeywordText     = "keyword_text"
	fieldSubjectText     = "subject_text"
	fieldChannelText     = "channel_text"
	fieldDescriptionText = "description_text"
	fieldTranscriptText  = "transcript_text"

	fieldSpelled = "phrase_spelled"
	fieldFolded  = "phrase_folded"
	fieldGrams   = "grams"

	// The following fields are stored, not indexed.
	fieldSpellings = "spellings"
	fieldSequences = "sequences"

	// The following field is stored and sorted by.
	fieldTitle = "title"
)

// everyDocument is a token of every document. It differs from every encoded string.
const everyDocument = "all"

// field is one field of a collection. A document may omit fields without a value.
type field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Facet    bool   `json:"facet,omitempty"`
	Optional bool   `json:"optional,omitempty"`
	Index    *bool  `json:"index,omitempty"`
	Sort     *bool  `json:"sort,omitempty"`
}

// collectionSchema is the schema of a collection.
type collectionSchema struct {
	Name   string  `json:"name"`
	Fields []field `json:"fields"`
}

func required(kind string, names ...string) []field { return fieldsLike(field{Type: kind}, names) }

func optional(kind string, facet bool, names ...string) []field {
	return fieldsLike(field{Type: kind, Facet: facet, Optional: true}, names)
}

// stored returns fields that a document stores but no search uses. Typesense requires that fields without an index are
// optional.
func stored(kind string, names ...string) []field {
	return fieldsLike(field{Type: kind, Optional: true, Index: new(bool)}, names)
}

// fieldsLike returns fields that differ from a field in their name only.
func fieldsLike(one field, names []string) []field {
	fields := make([]field, len(names))
	for i, name := range names {
		fields[i], fields[i].Name = one, name
	}
	return fields
}

// videosSchema returns the schema of the collection of videos.
func videosSchema(name string) collectionSchema {
	return collectionSchema{Name: name, Fields: slices.Concat(
		required("int64", fieldVersion, fieldOrder, fieldUpdated, fieldDuration),
		required("int32", fieldReleased, fieldAgeMin, fieldAgeMax, fieldAges),
		required("bool", fieldManual, fieldPromoted, fieldYouTube),
		optional("string", true, fieldChannel, fieldType, fieldLanguage, fieldCEFR),
		optional("string[]", true, fieldSubjects, fieldTags, fieldTopics, fieldLevels, fieldSubtypes,
			fieldResourceTypes, fieldDurationBuckets, fieldAgeBuckets, fieldSpelled, fieldFolded),
		optional("string[]", false, fieldCategories),
		required("string[]", fieldTraits),
		required("string", fieldEvery),
		optional("string", false, fieldTerms, fieldGrams),
		optional("string", false, fieldTitleText, fieldKeywordText, fieldSubjectText, fieldChannelText, fieldDescriptionText,
			fieldTranscriptText),
		[]field{{Name: fieldTitle, Type: "string", Optional: true, Sort: new(true)}},
		stored("string[]", fieldSpellings, fieldSequences),
	)}
}

// bucketToken returns the token of the default bucket at a position of catalogue.DefaultDurationBuckets or
// catalogue.DefaultAgeBuckets.
func bucketToken(place int) string { return "b" + strconv.Itoa(place) }
