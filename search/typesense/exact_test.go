package typesense_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
)

const someDay = catalogue.Date(20_500)

// made returns public documents, numbered from 1.
func made(changes ...func(*search.Document)) []search.Document {
	documents := make([]search.Document, len(changes))
	for i, change := range changes {
		documents[i] = search.Document{State: catalogue.State{
			Ref:       catalogue.Ref{ID: catalogue.ID(fmt.Sprintf("%024x", i+1)), Version: int64(i + 1)},
			Sequence:  int64(i + 1),
			UpdatedAt: time.Unix(0, 0),
			Traits:    catalogue.Traits{Type: catalogue.Instructional},
		}, ReleasedOn: someDay}
		change(&documents[i])
	}
	return documents
}

func put(t *testing.T, index search.Index, position int64, documents ...search.Document) {
	t.Helper()
	if err := index.Apply(t.Context(), search.Batch{Put: documents, Position: position}); err != nil {
		t.Fatal(err)
	}
}

// found returns the IDs of a query's results without leading zeros, sorted.
func found(t *testing.T, index search.Index, query search.Query) string {
	t.Helper()
	query.Today, query.Size = someDay, 100
	result := ask(t, index, query)
	var ids []string
	for _, ref := range result.Refs {
		ids = append(ids, strings.TrimLeft(string(ref.ID), "0"))
	}
	slices.Sort(ids)
	if result.Total != len(ids) {
		t.Errorf("%+v: total %d, %d found", query, result.Total, len(ids))
	}
	return strings.Join(ids, " ")
}

// TestFreeStringsAreExact checks strings that Typesense's own filters treat as equal or as operators.
func TestFreeStringsAreExact(t *testing.T) {
	t.Parallel()
	odd := []string{
		"a`b:&&|| ", "ab", "AB", "a b", "a`b", "áb", "a,b", "[ab]", "ab*", "(ab)", "!=ab", "`ab`", "ab ", "-ab",
		"a\"b", "a\\b", "a..b", ">1", "true", strings.Repeat("ab", 80), strings.Repeat("ab", 80) + "c",
	}
	var changes []func(*search.Document)
	for _, text := range odd {
		changes = append(changes, func(d *search.Document) {
			d.EducationLevels, d.Topics = []string{text}, []catalogue.ID{catalogue.ID(text)}
			d.Tags, d.Categories, d.Channel = []catalogue.ID{catalogue.ID(text)}, []string{text}, catalogue.ID(text)
		})
	}
	index := opener(t)(t)
	put(t, index, 1, made(changes...)...)
	for i, text := range odd {
		id, want := catalogue.ID(text), fmt.Sprintf("%x", i+1)
		for name, filter := range map[string]search.Filter{
			"level": {EducationLevels: []string{text}}, "topic": {Topics: []catalogue.ID{id}},
			"tag": {Tags: []catalogue.ID{id}}, "channel": {Channels: []catalogue.ID{id}},
		} {
			if got := found(t, index, search.Query{Filter: filter}); got != want {
				t.Errorf("%s %q finds %s, want %s", name, text, got, want)
			}
		}
	}
	facets := ask(t, index, search.Query{Today: someDay, Facets: everyFacet()}).Facets
	sorted := slices.Sorted(slices.Values(odd[:len(odd)-2])) // a catalogue has no values as long as the others
	for name, buckets := range map[string][]search.Bucket{"levels": facets.EducationLevels, "topics": facets.Topics, "tags": facets.Tags} {
		var keys []string
		for _, bucket := range buckets {
			if keys = append(keys, bucket.Key); bucket.Hits != 1 {
				t.Errorf("%s: %+v", name, bucket)
			}
		}
		if !slices.Equal(keys, sorted) {
			t.Errorf("%s: %q, want %q", name, keys, sorted)
		}
	}
}

// TestSubjectNamesAreText checks that the words of a subject's name find its videos, analyzed as in every engine.
func TestSubjectNamesAreText(t *testing.T) {
	t.Parallel()
	named := func(name string) func(*search.Document) {
		return func(d *search.Document) { d.SubjectNames = []string{name} }
	}
	documents := made(named("a`b:&&|| "), named("ab"), named("c++"), named("c"))
	index, other := opener(t)(t), openEmbedded(t)
	put(t, index, 1, documents...)
	put(t, other, 1, documents...)
	for _, text := range []string{"ab", "a`b:&&||", "b", "c++", "c", "`", "&& ab", "ab || c", `"ab"`} {
		query := search.Query{Text: search.ParseText(text)}
		if got, want := found(t, index, query), found(t, other, query); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

// TestReplacedTextsLoseNothing checks that replaced texts remain searchable. Typesense 0.24.1 loses a document of a
// token that other documents repeat when these are replaced in this order. Therefore no answer depends on a field
// with repeated tokens.
func TestReplacedTextsLoseNothing(t *testing.T) {
	t.Parallel()
	described := func(text string) func(*search.Document) { return func(d *search.Document) { d.Description = text } }
	index := opener(t)(t)
	put(t, index, 1, made(described(""), described(""), described("cat x ray cat"))...)
	later := made(described("seasons cat cat"), described("cat"), described("run of cat"))
	for i := range later {
		later[i].Version += 10
	}
	put(t, index, 2, later[1])
	put(t, index, 3, later[2], later[0])
	for _, text := range []string{"cat", `"cat"`} {
		if got := found(t, index, search.Query{Text: search.ParseText(text)}); got != "1 2 3" {
			t.Errorf("%s finds %s", text, got)
		}
	}
	if got := found(t, index, search.Query{Text: search.ParseText(`"run of cat"`)}); got != "3" {
		t.Errorf("the phrase finds %s", got)
	}
}

// TestRelevanceFindsWhatTheFilterFinds checks that the order by relevance loses no document, however many words the
// text has.
func TestRelevanceFindsWhatTheFilterFinds(t *testing.T) {
	t.Parallel()
	l := newLibrary(generate.Options{Videos: 600, Seed: 4, TranscriptWords: 40})
	index := l.into(t, opener(t)(t))
	for _, asked := range generate.Queries(2, 24, l.options) {
		text := search.ParseText(asked.Text)
		for _, level := range []search.MatchLevel{{}, {Typos: true, OptionalWords: 1}, {Typos: true, OptionalWords: 40}} {
			query := search.Query{Text: text, Level: level, Filter: asked.Filter, Today: l.day, Size: 600}
			byRelevance := ask(t, index, query)
			query.ByReleaseDate = true
			byDate := ask(t, index, query)
			if byRelevance.Total != byDate.Total || len(byRelevance.Refs) != byDate.Total {
				t.Errorf("%+v %+v: %d by relevance, %d by date", text, level, byRelevance.Total, byDate.Total)
			}
			query.Filter = search.Filter{}
			counts, err := index.Matches(t.Context(), text, []search.MatchLevel{level}, query.Access, query.Today, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			if total := ask(t, index, query).Total; counts[0] != total {
				t.Errorf("%+v %+v: %d matches, %d found", text, level, counts[0], total)
			}
		}
	}
}

// TestEverythingAtOnce checks that the server accepts the longest filters.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	age, older, yes, day, instant := 5, 12, true, someDay, time.Unix(0, 0)
	level := catalogue.CEFRLevels()[0]
	index := opener(t)(t)
	put(t, index, 1, made(func(d *search.Document) {
		d.Title = "red green blue yellow black white and brown"
		d.Ages = catalogue.AgeRange{Min: &age, Max: &older}
		d.Subjects, d.Channel, d.Tags, d.Topics = []catalogue.ID{"5"}, "c", []catalogue.ID{"a", "b"}, []catalogue.ID{"7"}
		d.SubjectsSetManually, d.Promoted, d.YouTube = true, true, true
		d.Language, d.EducationLevels, d.CEFR, d.Categories = "eng", []string{"4C"}, level, []string{"JNA"}
		d.Subtypes, d.ResourceTypes = catalogue.Subtypes()[:1], catalogue.AttachmentTypes()[:1]
	}, func(d *search.Document) { d.Title = "read greed blew yell blank while brawn" })...)
	query := search.Query{
		Text: search.ParseText("red green blue yellow blask whire broun"), Level: search.MatchLevel{Typos: true, OptionalWords: 3},
		Filter: search.Filter{
			IDs: []catalogue.ID{"000000000000000000000001"}, Durations: []catalogue.DurationRange{{Min: 0}},
			ReleasedFrom: &day, ReleasedTo: &day, UpdatedFrom: &instant,
			Ages: []catalogue.AgeBracket{{From: 1, To: 3}, {From: 5, To: 9}, {From: 11, To: 14}}, AgeMin: &age, AgeMax: &older,
			Subjects: []catalogue.ID{"5"}, SubjectsSetManually: &yes, Channels: []catalogue.ID{"c"},
			Types: catalogue.VideoTypes(), Tags: []catalogue.ID{"a", "b"}, Promoted: &yes,
			Languages: []catalogue.Language{"eng"}, EducationLevels: []string{"4C"}, CEFR: catalogue.CEFRLevels(),
			Subtypes: catalogue.Subtypes(), ResourceTypes: catalogue.AttachmentTypes(), Categories: []string{"J"},
			Curriculum: []search.Place{{Categories: []string{"J", "K"}, EducationLevels: []string{"4C", "4L"}}, {Categories: []string{"K"}}},
			Topics:     []catalogue.ID{"7"}, YouTube: &yes,
		},
		Facets: everyFacet(),
	}
	for range search.MaxBuckets {
		query.Facets.Durations = append(query.Facets.Durations, catalogue.DurationRange{Min: 0})
	}
	if got := found(t, index, query); got != "1" {
		t.Errorf("finds %q", got)
	}
}

// TestManyAges checks filters with many age brackets and any gaps between them.
func TestManyAges(t *testing.T) {
	t.Parallel()
	aged := func(lowest, highest int) func(*search.Document) {
		return func(d *search.Document) { d.Ages = catalogue.AgeRange{Min: &lowest, Max: &highest} }
	}
	index := opener(t)(t)
	put(t, index, 1, made(aged(5, 6), aged(6, 7), aged(5, 7), aged(0, 150), aged(6, 6), aged(149, 150), func(*search.Document) {})...)
	var brackets []catalogue.AgeBracket // The brackets are 0-1, 2-3, 4-5, 6-7 and so on.
	for from := 0; from < catalogue.MaxAge; from += 2 {
		brackets = append(brackets, catalogue.AgeBracket{From: from, To: from + 1})
	}
	query := search.Query{Filter: search.Filter{Ages: brackets}, Facets: everyFacet()}
	query.Facets.Ages = []catalogue.AgeBracket{{From: 4, To: 6}, {From: 6, To: 7}, {From: 5, To: 7}}
	if got := found(t, index, query); got != "2 3 4" {
		t.Errorf("finds %s", got)
	}
	query.Today = someDay
	if got := ask(t, index, query).Facets.Ages; !slices.Equal(got, []int{3, 0, 5}) {
		t.Errorf("counts %v", got)
	}
}

// TestLongTextsAreAnswered checks that the index answers a text of the maximum length, even one that contains only
// phrases or only words of many forms.
func TestLongTextsAreAnswered(t *testing.T) {
	t.Parallel()
	var quoted, longer, many, words []string
	for n := range 500 {
		quoted = append(quoted, fmt.Sprintf("w%d", n))
	}
	for n := range 150 {
		longer = append(longer, fmt.Sprintf("w%d w%d w%d", n, n+1, n+2))
	}
	for n := range 64 {
		word := fmt.Sprintf("%c%czzzz%c%c", 'a'+n%26, 'a'+n/26, 'a'+n%26, 'a'+n/26)
		words = append(words, word)
		for c := 'a'; c < 'y'; c++ {
			many = append(many, strings.Replace(word, "zzzz", "zz"+string(c)+"z", 1))
		}
	}
	index := opener(t)(t)
	put(t, index, 1, made(
		func(d *search.Document) { d.Description = strings.Join(quoted, " ") },
		func(d *search.Document) { d.Description = strings.Join(many, " ") },
	)...)
	for want, text := range map[string]string{
		"1":  `"` + strings.Join(quoted, `" "`) + `"`,
		"1 ": `"` + strings.Join(longer, `" "`) + `"`,
		"2":  strings.Join(words, " "),
	} {
		parsed := search.ParseText(text)
		query := search.Query{Text: parsed, Level: search.MatchLevel{Typos: true}, Facets: everyFacet()}
		if want == "1 " {
			query.Level.OptionalWords = 3
		}
		if got := found(t, index, query); got != strings.TrimSpace(want) {
			t.Errorf("%.40s finds %q", text, got)
		}
		levels := search.MatchLevels(len(parsed.Words))
		counts, err := index.Matches(t.Context(), parsed, levels, catalogue.Access{}, someDay, 10)
		if err != nil || counts[1] != 1 {
			t.Errorf("%.40s: %v, %v", text, counts, err)
		}
	}
}

// TestSuggestionsOfManyVideos checks that the most common phrases are counted over all videos, not only over the videos
// that the index reads.
func TestSuggestionsOfManyVideos(t *testing.T) {
	t.Parallel()
	var changes []func(*search.Document)
	for n := range 700 {
		changes = append(changes, func(d *search.Document) {
			d.Title = fmt.Sprintf("planet %d", n)
			d.ReleasedOn = someDay - catalogue.Date(n)
			switch {
			case n%10 == 9:
				d.Keywords = []string{"Plants", "sky"}
			case n > 650 && n%2 == 0:
				d.Keywords = []string{"plants"}
			}
		})
	}
	index := opener(t)(t)
	put(t, index, 1, made(changes...)...)
	phrases, err := index.Phrases(t.Context(), "pla", catalogue.Access{}, someDay, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(phrases) != 3 || phrases[0] != (search.Phrase{Text: "Plants", Videos: 94}) || phrases[1].Videos != 1 {
		t.Errorf("got %+v", phrases)
	}
}
