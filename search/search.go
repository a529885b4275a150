// Package search finds videos. It defines the port. Package searchtest is the conformance suite, package analysis turns
// texts into the tokens that every engine uses, and the engines are in folders beside them.
//
// An engine returns references, facets and totals. It is derived from the store and may be rebuilt at any time. This
// package and the domain define the meaning of a query: filters, totals, facets, all-words queries and the order by date
// are equal on every engine. Ranking by relevance and the results of forgiving match levels may differ.
package search

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Document is the indexed form of a video. Filters, facets and access rules use its Traits. Its texts are analyzed in
// their Language, or as English if that is unknown.
type Document struct {
	catalogue.State

	// The texts, by decreasing weight.
	Title        string
	Keywords     []string
	SubjectNames []string
	ChannelName  string
	Description  string
	Transcript   string

	SubjectsSetManually bool
	Duration            catalogue.Duration
	ReleasedOn          catalogue.Date
	Ages                catalogue.AgeRange
	Promoted            bool
	// Incomplete reports whether the video lacks something (catalogue.Video.Missing).
	Incomplete    bool
	Tags          []catalogue.ID
	CEFR          catalogue.CEFRLevel // "": none
	Subtypes      []catalogue.Subtype
	ResourceTypes []catalogue.AttachmentType
	Topics        []catalogue.ID

	// Vectors are those of the video's passages, all of the same model. Without embeddings there are none.
	Vectors []Vector
	// Embedded is a fingerprint of the texts that Vectors were computed from. Engines do not use it.
	Embedded string
}

// Query asks for one page of videos.
type Query struct {
	Text Text
	// Level is how strictly Text must match. It applies to results, totals and every facet alike.
	Level MatchLevel
	// Meaning, if it is not nil, adds the videos nearest to it, at every level: up to MaxNearest whose similarity is at
	// least Meaning.Least, chosen among all that the caller may find, before Filter. Relevance then combines words and
	// similarity (see Fuse).
	Meaning *Meaning
	Filter  Filter
	// Access and Today determine which videos the caller may find.
	Access catalogue.Access
	Today  catalogue.Date
	// BoostNamed are channels and subjects whose name is exactly the text. Their videos come before all others. It does
	// not change totals.
	BoostNamed BoostedNames
	// BoostPreferred are the subjects of the caller's account. With a text, their videos rank a little higher; without
	// a text, their videos come before those of other subjects. It does not change totals.
	BoostPreferred []catalogue.ID
	// Pin are videos that match Text at every level, regardless of their content, and come before all others, in this order.
	// Bury are videos that come after all others, if they match. Access and Filter apply to both. Totals and facets
	// count pinned videos like all other matches. An ID in both is pinned. There are at most catalogue.MaxPinned and
	// catalogue.MaxBuried.
	Pin, Bury []catalogue.ID
	// Listing, if it is not nil, lists videos for the people who maintain the catalogue: it replaces Access. Such a query has
	// no Meaning, Pin, Bury or boosts.
	Listing *Listing
	// ByReleaseDate orders by ReleasedOn instead of relevance, pinned and buried videos included.
	ByReleaseDate bool
	// Offset and Size choose the page: Offset >= 0, 0 <= Size, Offset+Size <= MaxWindow.
	Offset, Size int
	// Facets are the facets to count; nil: none.
	Facets *FacetRequest
}

// MaxWindow is the greatest Offset+Size of a query (spec.md, "Limits").
const MaxWindow = catalogue.SearchWindow

// The order of results: pinned videos come first and buried ones last, unless ByReleaseDate is set. All others, and the
// buried ones among themselves, are ordered by BoostNamed, then by relevance (without text and meaning: by BoostPreferred; with
// ByReleaseDate: by neither), then by ReleasedOn, newest first, then by Sequence, highest first. Sequence makes every order
// total, so that pages neither repeat nor skip videos.

// Listing selects videos by their state, regardless of who may find them, and may order them in another way than searches.
type Listing struct {
	State ListedState
	Order ListedOrder
}

// ListedState is the state of the videos of a Listing.
type ListedState int

// These are the states of a Listing.
const (
	// ListedAll are all videos.
	ListedAll ListedState = iota
	// ListedLive are the videos that an account without a content package may find.
	ListedLive
	// ListedRetired are the retired videos.
	ListedRetired
	// ListedPrivate are the videos in private channels that are neither retired nor past their last day.
	ListedPrivate
	// ListedExpired are the videos past their last day that are not retired.
	ListedExpired
	// ListedIncomplete are the videos with Document.Incomplete that are not retired.
	ListedIncomplete
)

// ListedOrder is the order of a Listing. Videos that it does not distinguish are ordered by ReleasedOn, newest first, then by
// Sequence, highest first.
type ListedOrder int

// These are the orders of a Listing.
const (
	// ListedAsSearched is the order of searches.
	ListedAsSearched ListedOrder = iota
	// ListedByUpdate puts the videos with the latest UpdatedAt first.
	ListedByUpdate
	// ListedByTitle orders by the folded words of titles. Engines may order words with other characters than letters of
	// one script and digits differently.
	ListedByTitle
)

// Text is a client's text, parsed by ParseText.
type Text struct {
	// Words is the text without its quotes.
	Words string
	// Phrases are the quoted parts. At every level, each must occur word for word (folded, not stemmed) in the title, a
	// keyword, the description or the transcript.
	Phrases []string
	// SynonymGroups are the groups of synonyms that Words contains a member of, as analysis.Thesaurus.SynonymGroups
	// returns them. They do not apply to Phrases.
	SynonymGroups [][]string
}

// Blank reports whether the text asks for nothing.
func (t Text) Blank() bool { return t.Words == "" && len(t.Phrases) == 0 }

// MatchLevel is how strictly words must match. The levels, from the strictest, are: all words; all words, typos forgiven;
// fewer words, typos forgiven, down to one.
type MatchLevel struct {
	// Typos forgives one typing error in words of four to seven letters, two in longer ones, none in a word that at
	// least KnownWord documents contain, whether the caller may find them or not.
	Typos bool
	// OptionalWords is the number of distinct words of the text that may be missing. One word must always match.
	OptionalWords int
}

// KnownWord is the number of documents from which on a word is not taken for a typing error: similar words would hide the
// results of the word itself.
const KnownWord = 50

// BoostedNames are the channels and subjects of Query.BoostNamed.
type BoostedNames struct {
	Channels []catalogue.ID
	Subjects []catalogue.ID
}

// Filter restricts results. Results match every field, and any value within a list unless a field says otherwise. A nil
// list or pointer is no filter. An empty list that is not nil matches nothing: a client named only values that do not exist.
type Filter struct {
	// Nothing makes the filter match nothing, because the data that it refers to does not exist.
	Nothing bool
	IDs     []catalogue.ID

	Durations    []catalogue.DurationRange // both ends included
	ReleasedFrom *catalogue.Date           // included
	ReleasedTo   *catalogue.Date           // included
	UpdatedFrom  *time.Time                // included
	// Ages matches as AgeBracket.Matches does. AgeMin and AgeMax are strict: the video's Min must be known and at least
	// AgeMin, its Max known and at most AgeMax; with both, Min must also be below AgeMax and Max above AgeMin.
	Ages                []catalogue.AgeBracket
	AgeMin, AgeMax      *int
	Subjects            []catalogue.ID
	SubjectsSetManually *bool
	Channels            []catalogue.ID
	Types               []catalogue.VideoType
	Tags                []catalogue.ID // AND
	Promoted            *bool
	// Languages may contain catalogue.Undetermined for videos whose language is unknown.
	Languages       []catalogue.Language
	EducationLevels []string
	CEFR            []catalogue.CEFRLevel
	Subtypes        []catalogue.Subtype
	ResourceTypes   []catalogue.AttachmentType
	// Categories are Thema codes; a video matches by its code or by an ancestor of it. A code's
	// ancestors are its proper prefixes.
	Categories []string
	Topics     []catalogue.ID
	// Curriculum are places in a curriculum, of which a video must match one. It belongs to no facet.
	Curriculum []Place
	// YouTube is true for videos on YouTube, false for the operator's own.
	YouTube *bool
}

// UpdatedFromMicro returns the first moment of UpdatedFrom that is a whole number of microseconds, in microseconds of Unix
// time. limited is false without UpdatedFrom.
func (f *Filter) UpdatedFromMicro() (from int64, limited bool) {
	if f.UpdatedFrom == nil {
		return 0, false
	}
	from = f.UpdatedFrom.UnixMicro()
	if f.UpdatedFrom.Nanosecond()%1000 != 0 {
		from++
	}
	return from, true
}

// Place is one place in a curriculum. A video must have one value of each list that is not nil; an empty list matches
// nothing.
type Place struct {
	// Categories are Thema codes, as those of Filter.
	Categories      []string
	EducationLevels []string
}

// FacetRequest selects the facets to count. The facets of subjects, tags, types, languages, subtypes, resource types,
// durations and ages are always counted.
type FacetRequest struct {
	Durations       []catalogue.DurationRange // buckets, upper end excluded; at most MaxBuckets
	Ages            []catalogue.AgeBracket    // buckets, as AgeBracket.Buckets; at most MaxBuckets
	Channels        bool
	EducationLevels bool
	Topics          bool
	CEFR            bool
}

// DefaultDurationPlaces returns the position of each bucket in catalogue.DefaultDurationBuckets, or -1 if it is not one of
// them.
func DefaultDurationPlaces(buckets []catalogue.DurationRange) []int {
	places := make([]int, len(buckets))
	for i, bucket := range buckets {
		places[i] = slices.IndexFunc(catalogue.DefaultDurationBuckets(), func(d catalogue.DurationRange) bool {
			return bucket.Min == d.Min && bucket.Max != nil && *bucket.Max == *d.Max
		})
	}
	return places
}

// MaxBuckets is the greatest number of buckets of its own that a client may request for one facet.
const MaxBuckets = catalogue.MaxFacetBuckets

// Facets are counts by bucket. Each facet counts the videos that match text, level, access and every filter except its own:
// Ages ignores Filter.Ages, AgeMin and AgeMax; every other facet ignores the filter of its name. Lists contain every bucket
// with hits, by decreasing hits, then by key. Durations and Ages contain one count per requested bucket, in the order of the
// request, zeros included. Facets that were not requested are nil. Languages counts videos of unknown language as
// catalogue.Undetermined.
type Facets struct {
	Durations       []int
	Ages            []int
	Subjects        []Bucket
	Tags            []Bucket
	Types           []Bucket
	Channels        []Bucket
	EducationLevels []Bucket
	Topics          []Bucket
	Languages       []Bucket
	CEFR            []Bucket
	Subtypes        []Bucket
	ResourceTypes   []Bucket
}

// Bucket is one value of a facet, as Document holds it, with its hits, at least 1.
type Bucket struct {
	Key  string
	Hits int
}

// Result is one page.
type Result struct {
	Refs  []catalogue.Ref
	Total int
	// Facets is nil if none were requested.
	Facets *Facets
}

// Phrase is a suggestion of a text to search for.
type Phrase struct {
	Text string
	// Videos is the number of videos that have it, in any spelling.
	Videos int
}

// Compare orders suggestions that contain the text in the same way, as Reader.Phrases says.
func (p Phrase) Compare(other Phrase) int {
	return cmp.Or(
		cmp.Compare(other.Videos, p.Videos),
		cmp.Compare(utf8.RuneCountInString(p.Text), utf8.RuneCountInString(other.Text)),
		cmp.Compare(p.Text, other.Text))
}

// PhraseRank returns how a folded text contains what was typed, which is folded too: 0 if it starts with it, 1 if a later
// word does, 2 if it contains it elsewhere, and -1 if it does not contain it.
func PhraseRank(text, typed string) int {
	switch at := strings.Index(text, typed); {
	case at <= 0:
		return at
	case strings.Contains(text[at-1:], " "+typed):
		return 1
	}
	return 2
}

// MaxCorrections is the greatest number of corrections of a word.
const MaxCorrections = 10

// Reader finds videos. Every method may be called concurrently; a search sees the index as it stood at one moment.
// Values handed out may be shared: the caller must not change them. If the engine cannot answer, the error is a
// *fault.Error of code Unavailable.
type Reader interface {
	// Search answers a query.
	Search(ctx context.Context, query Query) (*Result, error)
	// Matches returns, for each level in turn, the number of videos that match the text at that level and that the
	// caller may find, regardless of filters and pinned videos. A count may stop at enough. Once one level has
	// reached enough, the counts of the levels behind it may be -1.
	Matches(ctx context.Context, text Text, levels []MatchLevel, access catalogue.Access, today catalogue.Date, enough int) ([]int, error)
	// Finds reports for each text whether a video that the caller may find matches it by all words (MatchLevel{}),
	// regardless of filters and pinned videos.
	Finds(ctx context.Context, texts []Text, access catalogue.Access, today catalogue.Date) ([]bool, error)
	// Phrases returns up to limit titles and keywords that contain the text, both as Analyzer.Fold writes them, also
	// inside a word, of videos that the caller may find. Those that start with the text come first, then those with a
	// word that starts with it; among these, those of the most Videos, then the shorter ones. Titles and keywords
	// that Fold writes alike are one phrase: Text is the spelling of the most of these videos, of equals the first in
	// binary order; Videos counts each video once.
	Phrases(ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int) ([]Phrase, error)
	// Corrections returns, for each word of the text (Analyzer.QueryWithSynonyms), up to MaxCorrections words of the index
	// that a level with Typos accepts instead of it, the nearest first, then in binary order. An engine may omit words that
	// only documents contain which no longer exist.
	Corrections(ctx context.Context, text Text) ([][]string, error)
	// Position is the position of the log that searches reflect; 0: the index is empty and new. It is read with every
	// search, so an engine answers it from memory.
	Position(ctx context.Context) (int64, error)
	// Generation names what an answer depends on besides the query and the position: the engine, its rules and, if
	// the index is outside the process, the collection. Two answers of the same generation and position are equally
	// good. It is read with every search.
	Generation() string
}

// WriterOf keeps an index of documents up to date with the store. Every method may be called concurrently. If the engine
// cannot do what it is asked to, the error is a *fault.Error of code Unavailable.
type WriterOf[D any] interface {
	// Apply brings the index to a position of the log, but never back: documents replace those with their ID unless those
	// are newer, and deleted ones are removed. When Apply returns, searches see all of it.
	Apply(ctx context.Context, batch BatchOf[D]) error
	// Rebuild replaces all documents by these. Searches see the old ones until it returns. An error of the sequence
	// leaves the index as it was.
	Rebuild(ctx context.Context, position int64, documents iter.Seq2[D, error]) error
	// Position is that of the reader.
	Position(ctx context.Context) (int64, error)
	// Count returns the number of documents, whether anyone may find them or not.
	Count(ctx context.Context) (int, error)
}

// Writer keeps an index of videos up to date.
type Writer = WriterOf[Document]

// Newest returns the newest version of each document, and the last of equal versions, in the order in which the IDs first
// occur. refOf returns the reference of a document.
func Newest[D any](documents []D, refOf func(*D) catalogue.Ref) []*D {
	kept := make([]*D, 0, len(documents))
	places := make(map[catalogue.ID]int, len(documents))
	for i := range documents {
		d := &documents[i]
		ref := refOf(d)
		place, known := places[ref.ID]
		switch {
		case !known:
			places[ref.ID] = len(kept)
			kept = append(kept, d)
		case ref.Version >= refOf(kept[place]).Version:
			kept[place] = d
		}
	}
	return kept
}

// Index is a search engine.
type Index interface {
	Reader
	Writer
	io.Closer
}

// BatchOf is a batch of changes of documents for WriterOf.Apply. A document that it both puts and deletes is deleted.
type BatchOf[D any] struct {
	Put      []D
	Delete   []catalogue.ID
	Position int64
}

// Batch is a batch of changes of videos.
type Batch = BatchOf[Document]
