package searchtest

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// scenario is a random catalogue and the queries to run on it.
type scenario struct {
	written[search.Document]
	// queries run after the rebuild and after each batch.
	queries []search.Query
	// typed contains the prefixes for which suggestions are requested.
	typed []typedPrefix
}

// typedPrefix is the prefix of a suggestion and the access of the caller who typed it.
type typedPrefix struct {
	text   string
	access catalogue.Access
}

// today is the date in all scenarios.
var today = catalogue.DateOf(time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC))

// The vocabularies are small, so that filters match, words are similar and counts tie.
var (
	wordPool = []string{
		"run", "running", "runs", "cat", "cats", "cart", "history", "histroy", "historic", "prehistory", "planet",
		"planets", "plan", "x-ray", "xray", "x ray", "maths", "mathematics", "World War II", "ww2", "US", "us",
		"café", "cafe", "naïve", "the", "of", "what is", "2-D", "3.14", "U.S.A.", "don't", "Earth's", "seasons",
		"maisons", "maison", "Häuser", "книга", "книги", "日本", "日本語", "本", "中国历史", "한국", "photosynthesis",
		"photosynthesys", "fotosynthesis", "c++", "100",
	}
	subjectPool   = idPool("50", 5)
	channelPool   = idPool("c0", 4)
	tagPool       = idPool("7a", 4)
	topicPool     = idPool("70", 4)
	warningPool   = idPool("80", 3)
	levelPool     = []string{"4C", "4CD", "4CT", "4L"}
	categoryPool  = []string{"J", "JN", "JNA", "K", "KC", "KCB", "5AB"}
	languagePool  = []catalogue.Language{"", "eng", "fra", "deu", "rus", "jpn", "pol"}
	cefrPool      = append(catalogue.CEFRLevels(), "")
	oddStrings    = []string{"", "\x00", "a\xffb", "\U0001F600", "*", `\"`, "%_", strings.Repeat("long", 40)}
	instantPool   = []time.Time{instant(0), instant(time.Microsecond), instant(time.Hour), instant(-time.Hour)}
	durationPool  = []catalogue.Duration{0, 1, 119_999, 120_000, 120_001, 300_000, 600_000, 1_200_000, catalogue.Day - 1, catalogue.Day}
	durationEnds  = []catalogue.Duration{0, 120_000, 300_000, 600_000, catalogue.Day}
	agePool       = []int{0, 3, 4, 5, 9, 11, 16, 99, 120}
	bracketPool   = []catalogue.AgeBracket{{From: 3, To: 5}, {From: 5, To: 9}, {From: 9, To: 11}, {From: 11, To: 14}, {From: 16, To: 99}, {From: 4, To: 4}, {From: 0, To: 150}}
	dayOffsetPool = []int{-400, -2, -1, 0, 1, 2, 400}
	anglePool     = []float64{0, 30, 80, 120, 170, 250, 300}
)

func idPool(prefix string, n int) []catalogue.ID {
	ids := make([]catalogue.ID, n)
	for i := range ids {
		ids[i] = catalogue.ID(fmt.Sprintf("%s%0*d", prefix, catalogue.IDLength-len(prefix), i))
	}
	return ids
}

func instant(after time.Duration) time.Time {
	return catalogue.Instant(today.Start().Add(after))
}

func videoID(n int) catalogue.ID { return catalogue.ID(fmt.Sprintf("%024x", n)) }

func drawScenario(t *rapid.T) scenario {
	d := drawer{t: t}
	s := scenario{written: drawWritten(d, d.document, videoID)}
	for range rapid.IntRange(1, 8).Draw(t, "queries") {
		s.queries = append(s.queries, d.query())
	}
	for range d.upTo("suggestions", 2) {
		word := rapid.SampledFrom(wordPool).Draw(t, "typed")
		runes := []rune(word)
		s.typed = append(s.typed, typedPrefix{string(runes[:1+d.upTo("length", len(runes)-1)]), d.access()})
	}
	return s
}

// drawer draws the parts of a scenario.
type drawer struct{ t *rapid.T }

func (d drawer) upTo(label string, n int) int { return rapid.IntRange(0, n).Draw(d.t, label) }
func (d drawer) yes(label string) bool        { return rapid.Bool().Draw(d.t, label) }

// rarely returns true once in five times.
func (d drawer) rarely(label string) bool { return rapid.IntRange(0, 4).Draw(d.t, label) == 0 }

// drawOne draws a value of a pool.
func drawOne[T any](d drawer, label string, pool []T) T {
	return rapid.SampledFrom(pool).Draw(d.t, label)
}

// drawSeveral draws up to n values, with repetitions.
func drawSeveral[T any](d drawer, label string, pool []T, n int) []T {
	return rapid.SliceOfN(rapid.SampledFrom(pool), 0, n).Draw(d.t, label)
}

// list draws the values of a filter. The list is rarely empty, and never nil.
func list[T any](d drawer, pool []T) []T {
	if d.rarely("empty") {
		return []T{}
	}
	return rapid.SliceOfN(rapid.SampledFrom(pool), 1, 3).Draw(d.t, "values")
}

func pick[T any](d drawer, pool []T) *T { return new(drawOne(d, "value", pool)) }

func (d drawer) text(label string, words int) string {
	return strings.Join(drawSeveral(d, label, wordPool, words), " ")
}

func (d drawer) date(label string) catalogue.Date {
	return today + catalogue.Date(drawOne(d, label, dayOffsetPool))
}

func (d drawer) document(n int, version int64) search.Document {
	doc := search.Document{
		State: catalogue.State{
			Ref:       catalogue.Ref{ID: videoID(n), Version: version},
			Sequence:  int64(n*7%31 + 1), // unique, and in another order than the IDs
			UpdatedAt: drawOne(d, "updated", instantPool),
			Private:   d.rarely("private"),
			Retired:   d.rarely("retired"),
			Traits:    d.traits(),
		},
		Title:               d.text("title", 3),
		Keywords:            drawSeveral(d, "keywords", wordPool, 2),
		SubjectNames:        drawSeveral(d, "subject names", wordPool, 1),
		ChannelName:         d.text("channel name", 1),
		Description:         d.text("description", 5),
		Transcript:          d.text("transcript", 4),
		SubjectsSetManually: d.yes("by hand"),
		Duration:            drawOne(d, "duration", durationPool),
		ReleasedOn:          d.date("released"),
		Promoted:            d.yes("promoted"),
		Tags:                drawSeveral(d, "tags", tagPool, 3),
		CEFR:                drawOne(d, "CEFR", cefrPool),
		Subtypes:            drawSeveral(d, "subtypes", catalogue.Subtypes(), 2),
		ResourceTypes:       drawSeveral(d, "resources", catalogue.AttachmentTypes(), 2),
		Topics:              drawSeveral(d, "topics", topicPool, 3),
	}
	if d.rarely("ends") {
		until := d.date("until")
		doc.AvailableUntil = &until
	}
	if d.rarely("odd") {
		doc.Title += " " + drawOne(d, "odd title", oddStrings)
	}
	doc.Ages = d.ages()
	if d.yes("vectors") {
		for _, angle := range drawSeveral(d, "angles", anglePool, 3) {
			doc.Vectors = append(doc.Vectors, direction(angle))
		}
	}
	return doc
}

func (d drawer) traits() catalogue.Traits {
	return catalogue.Traits{
		Language:        drawOne(d, "language", languagePool),
		Type:            drawOne(d, "type", catalogue.VideoTypes()),
		Channel:         drawOne(d, "channel", channelPool),
		Subjects:        drawSeveral(d, "subjects", subjectPool, 3),
		EducationLevels: drawSeveral(d, "levels", levelPool, 3),
		Categories:      drawSeveral(d, "categories", categoryPool, 3),
		Warnings:        drawSeveral(d, "warnings", warningPool, 2),
		YouTube:         d.yes("youtube"),

		DistributionMethods: drawSeveral(d, "methods", catalogue.DistributionMethods(), 2),
	}
}

func (d drawer) ages() (ages catalogue.AgeRange) {
	a, b := drawOne(d, "age", agePool), drawOne(d, "other age", agePool)
	low, high := min(a, b), max(a, b)
	if d.rarely("one age") {
		return catalogue.AgeRange{Min: &low, Max: &low}
	}
	if d.yes("min") {
		ages.Min = &low
	}
	if d.yes("max") {
		ages.Max = &high
	}
	return ages
}

func (d drawer) query() search.Query {
	q := search.Query{
		Access:        d.access(),
		Today:         today,
		ByReleaseDate: d.rarely("by date"),
		Filter:        d.filter(),
		Offset:        d.upTo("offset", 12),
		Size:          d.upTo("size", 12),
	}
	if d.yes("has text") {
		q.Text = d.queryText()
		q.Level = d.level()
		if d.rarely("has synonyms") {
			q.Text.SynonymGroups = plain.Thesaurus(d.groups()).SynonymGroups(q.Text.Words)
		}
	}
	if d.rarely("leads") {
		q.BoostNamed = search.BoostedNames{
			Channels: drawSeveral(d, "leading channels", channelPool, 1),
			Subjects: drawSeveral(d, "leading subjects", subjectPool, 1),
		}
	}
	if d.yes("prefers") {
		q.BoostPreferred = drawSeveral(d, "preferred", subjectPool, 2)
	}
	if d.yes("has facets") {
		q.Facets = d.facets()
	}
	if d.rarely("has a meaning") {
		q.Meaning = &search.Meaning{Vector: direction(drawOne(d, "angle", anglePool)), Least: 0.7}
	}
	if d.rarely("has search rules") {
		q.Pin, q.Bury = d.someVideos("pinned"), d.someVideos("buried")
	}
	return q
}

func (d drawer) someVideos(label string) []catalogue.ID {
	var ids []catalogue.ID
	for range d.upTo(label, 6) {
		ids = append(ids, videoID(d.upTo("video", 30)))
	}
	return ids
}

func (d drawer) queryText() search.Text {
	words := d.text("words", 4)
	if d.rarely("odd words") {
		words += " " + drawOne(d, "odd word", oddStrings)
	}
	for range max(0, d.upTo("phrases", 4)-2) {
		words += ` "` + d.text("phrase", 2) + `"`
	}
	return search.ParseText(words)
}

// plain is the analyzer of all scenarios.
var plain = analysis.New(analysis.Synonyms{})

// groups draws groups of synonyms. Some groups share variants.
func (d drawer) groups() [][]string {
	groups := make([][]string, 1+d.upTo("groups", 2))
	for i := range groups {
		for range 2 + d.upTo("variants", 2) {
			variant := rapid.SliceOfN(rapid.SampledFrom(wordPool), 1, 2).Draw(d.t, "variant")
			groups[i] = append(groups[i], strings.Join(variant, " "))
		}
	}
	return groups
}

func (d drawer) level() search.MatchLevel {
	return drawOne(d, "level", []search.MatchLevel{{}, {}, {Typos: true}, {Typos: true, OptionalWords: 1}, {Typos: true, OptionalWords: 2}, {OptionalWords: 1}, {Typos: true, OptionalWords: 50}})
}

// filters draw one filter each. A query uses few of them, because many filters leave nothing to compare.
var filters = []func(d drawer, f *search.Filter){
	func(d drawer, f *search.Filter) { f.Nothing = d.rarely("nothing") },
	func(d drawer, f *search.Filter) {
		f.IDs = []catalogue.ID{}
		for range d.upTo("ids", 12) {
			f.IDs = append(f.IDs, videoID(d.upTo("id", 30)))
		}
	},
	func(d drawer, f *search.Filter) {
		f.Durations = []catalogue.DurationRange{}
		for range d.upTo("ranges", 2) {
			f.Durations = append(f.Durations, d.durationRange())
		}
	},
	func(d drawer, f *search.Filter) { f.ReleasedFrom = new(d.date("from")) },
	func(d drawer, f *search.Filter) { f.ReleasedTo = new(d.date("to")) },
	func(d drawer, f *search.Filter) { f.UpdatedFrom = pick(d, instantPool) },
	func(d drawer, f *search.Filter) { f.Ages = list(d, bracketPool) },
	func(d drawer, f *search.Filter) { f.AgeMin = pick(d, agePool) },
	func(d drawer, f *search.Filter) { f.AgeMax = pick(d, agePool) },
	func(d drawer, f *search.Filter) { f.AgeMin, f.AgeMax = pick(d, agePool), pick(d, agePool) },
	func(d drawer, f *search.Filter) { f.Subjects = list(d, subjectPool) },
	func(d drawer, f *search.Filter) { f.SubjectsSetManually = new(d.yes("value")) },
	func(d drawer, f *search.Filter) { f.Channels = list(d, channelPool) },
	func(d drawer, f *search.Filter) { f.Types = list(d, catalogue.VideoTypes()) },
	func(d drawer, f *search.Filter) { f.Tags = list(d, tagPool) },
	func(d drawer, f *search.Filter) { f.Promoted = new(d.yes("value")) },
	func(d drawer, f *search.Filter) {
		f.Languages = list(d, append([]catalogue.Language{catalogue.Undetermined}, languagePool[1:]...))
	},
	func(d drawer, f *search.Filter) { f.EducationLevels = list(d, levelPool) },
	func(d drawer, f *search.Filter) { f.CEFR = list(d, catalogue.CEFRLevels()) },
	func(d drawer, f *search.Filter) { f.Subtypes = list(d, catalogue.Subtypes()) },
	func(d drawer, f *search.Filter) { f.ResourceTypes = list(d, catalogue.AttachmentTypes()) },
	func(d drawer, f *search.Filter) { f.Categories = list(d, categoryPool) },
	func(d drawer, f *search.Filter) { f.Topics = list(d, topicPool) },
	func(d drawer, f *search.Filter) { f.Curriculum = d.curriculum() },
	func(d drawer, f *search.Filter) { f.YouTube = new(d.yes("value")) },
}

func (d drawer) filter() (f search.Filter) {
	for range d.upTo("filters", 3) {
		drawOne(d, "filter", filters)(d, &f)
	}
	return f
}

func (d drawer) curriculum() []search.Place {
	places := []search.Place{}
	if d.rarely("no places") {
		return places
	}
	for range 1 + d.upTo("more places", 3) { // only with two or more places do rules per place and rules for all differ
		var place search.Place
		if !d.rarely("any category") {
			place.Categories = list(d, categoryPool)
		}
		if !d.rarely("any level") {
			place.EducationLevels = list(d, levelPool)
		}
		places = append(places, place)
	}
	return places
}

func (d drawer) durationRange() catalogue.DurationRange {
	a, b := drawOne(d, "end", durationEnds), drawOne(d, "other end", durationEnds)
	r := catalogue.DurationRange{Min: min(a, b)}
	if upper := max(a, b); d.yes("bounded") {
		r.Max = &upper
	}
	return r
}

func (d drawer) facets() *search.FacetRequest {
	request := &search.FacetRequest{
		Durations: catalogue.DefaultDurationBuckets(),
		Ages:      catalogue.DefaultAgeBuckets(),
	}
	if d.yes("all facets") {
		request.Channels, request.EducationLevels, request.Topics, request.CEFR = true, true, true, true
	} else {
		request.Channels, request.EducationLevels = d.yes("channel facet"), d.yes("level facet")
		request.Topics, request.CEFR = d.yes("topic facet"), d.yes("CEFR facet")
	}
	if d.rarely("own duration buckets") {
		request.Durations = nil
		for range d.upTo("duration buckets", 3) {
			request.Durations = append(request.Durations, d.durationRange())
		}
	}
	if d.rarely("own age buckets") {
		request.Ages = drawSeveral(d, "age buckets", bracketPool, 3)
	}
	return request
}
