// Package search finds videos. The port is below, its suite in searchtest, the analyser that feeds
// every engine with the same tokens in analysis, the engines beside them.
//
// An engine answers references, facets and totals; it is derived from the store and may be rebuilt
// at any time. What a query means is decided here and in the domain, never by an engine: filters,
// totals, facets, all-words queries and the order by date are equal on every engine. Ranking by
// relevance, and what the forgiving steps find, may differ.
package search

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Document is what an engine knows of a video. Its Traits are filtered and counted by as well as asked
// by access rules; its texts are analysed in their Language, or as English where it is not known.
type Document struct {
	catalogue.State

	// The texts, in falling weight: Title, Keywords, SubjectNames, ChannelName, Description, Transcript.
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
	Tags                []catalogue.ID
	CEFR                catalogue.CEFRLevel // "": none
	Subtypes            []catalogue.Subtype
	ResourceTypes       []catalogue.AttachmentType
	Topics              []catalogue.ID
}

// Query asks for one page of videos.
type Query struct {
	Text Text
	// Level is the level of strictness by which Text must match. It applies to results, totals and
	// every facet alike.
	Level  MatchLevel
	Filter Filter
	// Access and Today decide what may be found at all.
	Access catalogue.Access
	Today  catalogue.Date
	// BoostNamed puts the videos of these channels and subjects before all others, where the text is the
	// very name of one. It changes no total.
	BoostNamed BoostedNames
	// BoostPreferred are the subjects of the caller's account. With a text they move videos that have one up
	// among near-equals; without a text, videos that have one come before those that have none. They
	// change no total.
	BoostPreferred []catalogue.ID
	// Pin are videos that match Text by every step, whatever stands in them, and come before all others, in
	// this order; Bury are videos that come after all others, where they match. Neither lets be found what
	// Access or Filter leaves out; totals and facets count pinned videos like whatever else matches. An ID in
	// both is pinned. At most catalogue.MaxPinned and catalogue.MaxBuried.
	Pin, Bury []catalogue.ID
	// ByReleaseDate orders by ReleasedOn instead of relevance; what is pinned or buried has no place of its
	// own then.
	ByReleaseDate bool
	// Offset and Size choose the page: Offset >= 0, 0 <= Size, Offset+Size <= MaxWindow.
	Offset, Size int
	// Facets says which facets to count; nil: none.
	Facets *FacetRequest
}

// MaxWindow is how deep a query can reach (spec, "Limits").
const MaxWindow = catalogue.SearchWindow

// Order. Pinned videos come first and buried ones last, unless ByReleaseDate is set. In between, and
// among the buried, results come by BoostNamed, then by relevance (or, for a blank text, by BoostPreferred; or, with
// ByReleaseDate, by neither), then by ReleasedOn, newest first, then by Sequence, highest first.
// The last makes every order total, so that pages neither repeat nor skip.

// Text is a client's text, taken apart by ParseText.
type Text struct {
	// Words is the text without its quotes.
	Words string
	// Phrases are the quoted parts: each must stand, word for word (unstemmed, folded), in the title,
	// the keywords, the description or the transcript, in every step.
	Phrases []string
	// SynonymGroups are the groups of words that mean the same of which some stand in Words: those that
	// analysis.Thesaurus.SynonymGroups returns for them. Phrases remain what they are.
	SynonymGroups [][]string
}

// Blank reports whether the text asks for nothing.
func (t Text) Blank() bool { return t.Words == "" && len(t.Phrases) == 0 }

// MatchLevel is how strictly words must match. The steps, from the strictest: all words; all words, typos
// forgiven; fewer words, typos forgiven, down to one.
type MatchLevel struct {
	// Typos forgives one typing error in words of four to seven letters, two in longer ones. A word
	// that KnownWord documents have, whether they may be found or not, was meant as it stands.
	Typos bool
	// OptionalWords is how many of the text's distinct words may be missing; never all of them.
	OptionalWords int
}

// KnownWord is how many documents make a word one that is not taken for a typing error: its neighbours
// would only drown it.
const KnownWord = 50

// BoostedNames names what Query.BoostNamed puts first.
type BoostedNames struct {
	Channels []catalogue.ID
	Subjects []catalogue.ID
}

// Filter restricts results. Different fields are AND-ed; the values of one list are OR-ed unless
// said otherwise. A nil list or pointer is no filter; a list that is not nil but empty matches
// nothing (a client named only what does not exist).
type Filter struct {
	// Nothing matches nothing: a filter whose data are not there.
	Nothing bool
	IDs     []catalogue.ID

	Durations    []catalogue.DurationRange // both ends included
	ReleasedFrom *catalogue.Date           // included
	ReleasedTo   *catalogue.Date           // included
	UpdatedFrom  *time.Time                // included
	// Ages matches as AgeBracket.Matches does. AgeMin and AgeMax are strict: the video's own bound
	// must be known and not below, or not above; where both are given, the video's Min is below AgeMax
	// and its Max above AgeMin as well.
	Ages                []catalogue.AgeBracket
	AgeMin, AgeMax      *int
	Subjects            []catalogue.ID
	SubjectsSetManually *bool
	Channels            []catalogue.ID
	Types               []catalogue.VideoType
	Tags                []catalogue.ID // AND
	Promoted            *bool
	// Languages: catalogue.Undetermined stands for a language that is not known.
	Languages       []catalogue.Language
	EducationLevels []string
	CEFR            []catalogue.CEFRLevel
	Subtypes        []catalogue.Subtype
	ResourceTypes   []catalogue.AttachmentType
	// Categories are Thema codes; a video matches by its code or by an ancestor of it. A code's
	// ancestors are its proper prefixes.
	Categories []string
	Topics     []catalogue.ID
	// Curriculum are places in a curriculum, of which a video must be of one. It belongs to no facet.
	Curriculum []Place
	// YouTube: true keeps videos hosted there, false the operator's own.
	YouTube *bool
}

// Place is one place in a curriculum, as the catalogue knows it. A list that is nil asks for nothing; of
// any other a video must have one value, so that nothing has one of an empty list.
type Place struct {
	// Categories are Thema codes, as those of Filter.
	Categories      []string
	EducationLevels []string
}

// FacetRequest says what to count. The facets of subjects, tags, types, languages, subtypes,
// resource types, durations and ages are always counted.
type FacetRequest struct {
	Durations       []catalogue.DurationRange // buckets, upper end excluded; at most MaxBuckets
	Ages            []catalogue.AgeBracket    // buckets, as AgeBracket.Buckets; at most MaxBuckets
	Channels        bool
	EducationLevels bool
	Topics          bool
	CEFR            bool
}

// MaxBuckets is the most buckets of its own that a client may ask of one facet.
const MaxBuckets = catalogue.MaxFacetBuckets

// Facets are counts by bucket. Each facet is counted over all that matches text, step, access and
// every filter but its own: Durations of Filter.Durations; Ages of Ages, AgeMin and AgeMax;
// Subjects of Subjects; Tags of Tags; Types, Channels, EducationLevels, Topics, Languages, CEFR,
// Subtypes and ResourceTypes of theirs. Lists hold every bucket with hits, the most hits first,
// then by key; the range facets hold one count per requested bucket, in the order of the request,
// zeros included. What was not requested is nil. Languages counts videos whose language is not known
// as catalogue.Undetermined.
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
	// Facets is nil where none were asked for.
	Facets *Facets
}

// Phrase is a suggestion for what to search.
type Phrase struct {
	Text string
	// Videos is how many videos carry it, in any spelling.
	Videos int
}

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
	// Position is the position of the log that searches reflect; 0: the index is empty and new. It is read with every
	// search, so an engine answers it from memory.
	Position(ctx context.Context) (int64, error)
	// Generation names what an answer depends on besides the query and the position: the engine, its rules and, if
	// the index is outside the process, the collection. Two answers of the same generation and position are equally
	// good. It is read with every search.
	Generation() string
}

// Writer keeps an index up to date with the store. Every method may be called concurrently. If the engine cannot do what
// it is asked to, the error is a *fault.Error of code Unavailable.
type Writer interface {
	// Apply brings the index to a position of the log: documents replace those with their ID unless those are newer,
	// and deleted ones are removed. When Apply returns, searches see all of it.
	Apply(ctx context.Context, batch Batch) error
	// Rebuild replaces all documents by these. Searches see the old ones until it returns. An error of the sequence
	// leaves the index as it was.
	Rebuild(ctx context.Context, position int64, documents iter.Seq2[Document, error]) error
	// Position is that of Reader.
	Position(ctx context.Context) (int64, error)
	// Count returns the number of documents, whether anyone may find them or not.
	Count(ctx context.Context) (int, error)
}

// Index is a search engine.
type Index interface {
	Reader
	Writer
	io.Closer
}

// Batch is what Apply takes.
type Batch struct {
	Put      []Document
	Delete   []catalogue.ID
	Position int64
}
