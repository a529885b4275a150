package resolvers

import (
	"time"
	"unicode"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/usage"
)

// complexity weighs fields by what they cost: one is about a microsecond of processor time with 100,000 videos
// (measured by tools/expensive), which the limit of a request follows from. What is asked of each element of a page
// counts as often as there can be elements. Every other field weighs one more than what it holds.
func complexity() graph.ComplexityRoot {
	var c graph.ComplexityRoot
	c.Query.SearchVideos = func(child int, text *string, filter *graph.VideoFilter, _ graph.VideoOrder, _, size int, facets *graph.FacetRequest) int {
		return searching + textWeight(text) + filterWeight(filter) + facetWeight(facets) + page(size, loading+child)
	}
	c.Query.VideoFeed = func(child, first int, _ *string, _ *catalogue.Date) int { return page(first, loading+child) }
	c.Query.VideosByID = func(child int, ids []catalogue.ID) int { return page(len(ids), loading+child) }
	c.Query.VideoMetadata = func(child int, ids []string) int { return page(len(ids), loading+child) }
	c.Query.Suggestions = func(child int, _ string) int { return searching + child }
	c.Query.Channels = func(child int, _ *graph.ChannelFilter, _ graph.ChannelOrder, _, size int) int {
		return page(min(size, typicalChannels), child)
	}
	records := func(child, first int, _ *string) int { return page(first, child) }
	c.Query.Accounts, c.Query.Tiers, c.Query.ContentPackages = records, records, records
	c.Query.Clients = func(child int, _ *string, first int, _ *string) int { return page(first, child) }
	c.Query.Users = func(child int, _, _, _ *string, first int, _ *string) int { return page(first, child) }
	c.Query.AuditLog = func(child int, _ *account.Kind, _, _ *string, first int, _ *string) int { return page(first, child) }
	c.Query.Deprecations = func(child int) int { return page(typicalDeprecations, child) }
	c.Query.DeprecationNotices = func(child int, _ *catalogue.Date) int { return page(typicalNotices, child) }
	c.Deprecation.Uses = func(child, first int, _, _ *string) int { return page(first, child) }
	c.Query.CatalogueItems = func(child int, _ catalogue.Kind, first int, _ *string) int { return page(first, child) }
	c.Query.CatalogueAuditLog = func(child int, _ *catalogue.Kind, _ *catalogue.ID, first int, _ *string) int {
		return page(first, child)
	}
	c.Query.RemovedVideos = func(child, first int, _ *string, _ *catalogue.Date) int { return scanning + page(first, child) }
	c.Query.SearchReport = func(child int, _, _ catalogue.Date, _ *graph.SearchReportFilter, _ graph.SearchReportOrder, first int) int {
		return gathering + page(first, child)
	}
	c.Query.Usage = func(child int, _, _ time.Time, _ *graph.UsageFilter, _ []graph.UsageDimension, _ graph.UsageInterval, _ graph.UsageOrder, first int, _ *string) int {
		return gathering + page(first, child)
	}
	c.Query.Themes = func(child int, _ *string, _ []string) int { return readingThemes + page(typicalThemes, child) }
	c.Theme.Topics = func(child int) int { return page(typicalTopics, child) }
	c.ThemeTopic.Targets = func(child int) int { return page(typicalTargets, child) }
	c.Query.Highlights = func(child int, text string, _ float64, size int, _, _ []string, _ []catalogue.Subtype, _ *float64, _ bool) int {
		return searching + textWeight(&text) + reading + page(size, child)
	}
	c.Query.Retention = func(child int, _ string, _, _ time.Time, _ []string, _ bool) int { return gathering + child }
	c.Query.Statement = func(child int, _ *string, _ usage.Month) int { return page(typicalLines, child) }
	c.Query.Statements = func(child int, _ *string) int { return page(typicalStatements*typicalLines, child) }
	c.Query.Voids = func(child int, _ *string, first int, _ *string) int { return page(first, child) }
	c.Query.VoidPreview = func(child int, _ graph.VoidSelection) int { return gathering + page(typicalLines, child) }
	c.Mutation.SealMonth = func(child int, _ usage.Month, _ bool) int { return page(typicalStatements*typicalLines, child) }
	addCollections(&c)
	return c
}

// addCollections weighs lists of collections, and what is within one.
func addCollections(c *graph.ComplexityRoot) {
	c.Query.Collections = func(child int, _ *graph.CollectionFilter, _ []collection.Order, _, size int) int {
		return page(size, child)
	}
	c.Query.UserCollections = func(child int, _ string, _ *graph.UserCollectionFilter, _ []collection.Order, _, size int) int {
		return page(size, child)
	}
	within := func(child int) int { return page(typicalVideos, child) }
	c.Collection.Videos, c.Collection.Assets, c.Collection.SubCollections = within, within, within
}

// What searches weigh.
const (
	// searching is a search without a text and its facets.
	searching = 3_000
	// wordWeight is a word of a text, taken for a typing error; phraseWeight a quoted part, looked for in the
	// positions of frequent words.
	wordWeight   = 200
	phraseWeight = 6_000
	// valueWeight is a value of a filter, bucketWeight a bucket of the caller's own or another facet.
	valueWeight  = 5
	bucketWeight = 300
	// loading is a video that is read and shown, beside its fields.
	loading = 25
	// reading is going through the captions of the videos that highlights come from.
	reading = 20_000
	// scanning is going through all videos.
	scanning = 10_000
)

// textWeight weighs a text by its words and phrases.
func textWeight(text *string) int {
	if text == nil {
		return 0
	}
	parsed := search.ParseText(cutText(*text, maxQueryLength))
	words := min(countWords(parsed.Words), analysis.MaxQueryWords)
	return words*wordWeight + min(len(parsed.Phrases), catalogue.MaxPhrases)*phraseWeight
}

// spaceless are the scripts that are written without spaces between words.
var spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}

// countWords counts the words that a search makes of a text, about as the analyzer does: runs of letters and digits,
// each character of a script without spaces, and each symbol, such as an emoji.
func countWords(text string) (words int) {
	isWithin := false
	for _, r := range text {
		switch {
		case unicode.In(r, spaceless...), unicode.IsSymbol(r):
			words, isWithin = words+1, false
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			if !isWithin {
				words++
			}
			isWithin = true
		default:
			isWithin = false
		}
	}
	return words
}

// cutText returns at most so many bytes of a text; longer texts are refused when they are resolved.
func cutText(text string, most int) string { return text[:min(len(text), most)] }

func filterWeight(filter *graph.VideoFilter) int {
	if filter == nil {
		return 0
	}
	values := 0
	for _, list := range listsOf(filter) {
		values += min(list.n, catalogue.MaxFilterValues)
	}
	return values * valueWeight
}

func facetWeight(facets *graph.FacetRequest) int {
	if facets == nil {
		return 0
	}
	buckets := min(len(facets.Durations), catalogue.MaxFacetBuckets) + min(len(facets.Ages), catalogue.MaxFacetBuckets)
	for _, included := range []bool{facets.Channels, facets.EducationLevels, facets.Topics, facets.CefrLevels} {
		if included {
			buckets++
		}
	}
	return buckets * bucketWeight
}

// typicalVideos stands in for how much a collection holds.
const typicalVideos = 10

// What stands in for how much is deprecated, and how many are told of it.
const (
	typicalDeprecations = 10
	typicalNotices      = 100
)

// typicalThemes stands in for the length of a list of themes.
const typicalThemes = 100

// What stands in for how many topics a theme has, and targets a topic.
const (
	typicalTopics  = 5
	typicalTargets = 5
)

// typicalChannels stands in for the default size of the channel list, which is "all".
const typicalChannels = 100

// What weighs beside what is shown of it: gathering a table of usage, a curve or a report, which goes through all counts
// of its time and grows with them, and reading all themes.
const (
	gathering     = 12_000
	readingThemes = 3_000
)

// What stands in for lengths that nobody asks for: of a statement, of what an account has of them.
const (
	typicalLines      = 5
	typicalStatements = 24
)

// page weighs a page of some size. Sizes beyond any page are refused when they are resolved; here
// they only must not overflow.
func page(size, child int) int { return 1 + min(max(size, 1), catalogue.MaxChannelPage)*child }
