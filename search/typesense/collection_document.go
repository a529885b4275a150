package typesense

import (
	"encoding/hex"
	"slices"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// The fields that collections have and videos lack. collectionDocument specifies each of them.
const (
	fieldAudience         = "audience"
	fieldOwner            = "owner"
	fieldDiscoverable     = "discoverable"
	fieldPromotedFor      = "promoted_for"
	fieldDefault          = "standard"
	fieldAttached         = "attached"
	fieldTitleKey         = "title_key"
	fieldTitleTerms       = "title_terms"
	fieldDescriptionTerms = "description_terms"

	// The following fields are stored, not indexed.
	fieldTitleSequence       = "title_sequence"
	fieldDescriptionSequence = "description_sequence"
	fieldFoldedTitle         = "folded_title"
	fieldName                = "name"
)

// collectionDocument is a collection as Typesense stores it. Every string is made of encoded tokens, except the fields
// that are stored only.
type collectionDocument struct {
	ID      string `json:"id"` // encodeID
	Version int64  `json:"version"`
	// Order is Updated, or 0 if Updated is negative.
	Order   int64 `json:"order"`
	Updated int64 `json:"updated"` // microseconds of Unix time

	// Audience lists the tokens of those who can find the collection: audienceOfAll, an account (accountToken) or a
	// user (userToken).
	Audience      []string `json:"audience"`
	Owner         string   `json:"owner"`
	Discoverable  bool     `json:"discoverable"`
	Promoted      bool     `json:"promoted"`
	PromotedFor   []string `json:"promoted_for,omitempty"`
	Subjects      []string `json:"subjects,omitempty"`
	ResourceTypes []string `json:"resource_types,omitempty"`
	// AgeMin, AgeMax and Ages are those of videos (agesOf).
	AgeMin int32 `json:"age_min"`
	AgeMax int32 `json:"age_max"`
	Ages   int32 `json:"ages"`

	Default  bool `json:"standard"`
	Attached bool `json:"attached"` // whether the collection has an attachment
	// TitleKey sorts by title (titleKey).
	TitleKey string `json:"title_key"`

	// TitleTerms and DescriptionTerms contain each stem (wordToken) and each pair of adjacent stems (pairToken) of a
	// text.
	TitleTerms       string `json:"title_terms,omitempty"`
	DescriptionTerms string `json:"description_terms,omitempty"`
	// Grams are the substrings of one to three characters of the folded title (encode).
	Grams string `json:"grams,omitempty"`

	// The following fields are stored only: the stems of the texts (joinedPositions), the folded title, and the name
	// that orders titles (storedText). Each list has one element.
	TitleSequence       []string `json:"title_sequence,omitempty"`
	DescriptionSequence []string `json:"description_sequence,omitempty"`
	FoldedTitle         []string `json:"folded_title,omitempty"`
	Name                string   `json:"name,omitempty"`
}

func collectionsSchema(name string) collectionSchema {
	sort := true
	return collectionSchema{Name: name, Fields: slices.Concat(
		required("int64", fieldVersion, fieldOrder, fieldUpdated),
		required("int32", fieldAgeMin, fieldAgeMax, fieldAges),
		required("bool", fieldDiscoverable, fieldPromoted, fieldDefault, fieldAttached),
		required("string[]", fieldAudience),
		required("string", fieldOwner),
		// Typesense sorts by strings only if the schema requests it.
		fieldsLike(field{Type: "string", Sort: &sort}, []string{fieldTitleKey}),
		optional("string[]", false, fieldPromotedFor, fieldSubjects, fieldResourceTypes),
		optional("string", false, fieldTitleTerms, fieldDescriptionTerms, fieldGrams),
		stored("string[]", fieldTitleSequence, fieldDescriptionSequence, fieldFoldedTitle),
		stored("string", fieldName),
	)}
}

// audienceOfAll is the token of everybody. It differs from every other token of an audience.
const audienceOfAll = "s"

func accountToken(account string) string { return "a" + encode(account) }
func userToken(user string) string       { return "u" + encode(user) }

// maxTitleKey is the number of bytes of a name that titleKey keeps.
const maxTitleKey = 40

// titleKey returns a token that sorts like the name. Names that share their first maxTitleKey bytes have equal tokens.
func titleKey(name string) string {
	return "k" + hex.EncodeToString([]byte(name[:min(len(name), maxTitleKey)]))
}

func newCollectionDocument(d *search.CollectionDocument, analyzer *analysis.Analyzer) *collectionDocument {
	rank := search.RankOf(d)
	made := &collectionDocument{
		ID: encodeID(d.ID), Version: d.Version, Order: max(0, rank.UpdatedAt), Updated: rank.UpdatedAt,
		Audience: audienceOf(d), Owner: encode(d.Owner),
		Discoverable: d.Discoverable, Promoted: d.Promoted, PromotedFor: encodeAll(d.PromotedFor),
		Subjects: encodeAll(d.Subjects), ResourceTypes: encodeAll(d.ResourceTypes),
		Default: d.Default, Attached: rank.HasAttachment, TitleKey: titleKey(rank.Title), Name: storedText(rank.Title),
	}
	made.AgeMin, made.AgeMax, made.Ages = agesOf(d.Ages)
	made.TitleTerms, made.TitleSequence = phraseTerms(analyzer.Stems(d.Title))
	made.DescriptionTerms, made.DescriptionSequence = phraseTerms(analyzer.Stems(d.Description))
	if folded := analyzer.Fold(d.Title); folded != "" {
		var grams tokenSet
		grams.addGrams(folded)
		made.Grams, made.FoldedTitle = grams.joined(), []string{folded}
	}
	return made
}

func audienceOf(d *search.CollectionDocument) []string {
	audience := []string{}
	if d.Owner != "" {
		audience = append(audience, userToken(d.Owner))
	}
	if d.Discoverable {
		audience = append(audience, accountToken(d.Account))
	}
	if d.Discoverable && d.Service {
		audience = append(audience, audienceOfAll)
	}
	return audience
}

// phraseTerms returns the tokens that phrase filters search, and the text as stored.
func phraseTerms(positions [][]string) (terms string, sequence []string) {
	if len(positions) == 0 {
		return "", nil
	}
	var set tokenSet
	for _, stems := range positions {
		for _, stem := range stems {
			set.add(wordToken(stem))
		}
	}
	addPairs(&set, positions)
	return set.joined(), []string{joinedPositions(positions)}
}
