package searchtest

import (
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func wrongFacets() []Bug {
	bugs := []Bug{
		onFacets("videos of unknown language not counted", func(f *search.Facets) {
			f.Languages = slices.DeleteFunc(slices.Clone(f.Languages), func(b search.Bucket) bool { return b.Key == string(catalogue.Undetermined) })
		}),
		onQuery("duration buckets include their upper end", func(q *search.Query) {
			if q.Facets != nil {
				request := *q.Facets
				request.Durations = shiftedEnds(request.Durations, 1)
				q.Facets = &request
			}
		}),
		onQuery("age buckets include their lower end", func(q *search.Query) {
			if q.Facets != nil {
				request := *q.Facets
				request.Ages = slices.Clone(request.Ages)
				for i := range request.Ages {
					request.Ages[i].From--
				}
				q.Facets = &request
			}
		}),
		onFacets("zero buckets left out", func(f *search.Facets) {
			f.Durations = slices.DeleteFunc(f.Durations, func(hits int) bool { return hits == 0 })
		}),
		onFacets("buckets in the order of their keys", func(f *search.Facets) {
			slices.SortFunc(f.Subjects, func(a, b search.Bucket) int { return strings.Compare(a.Key, b.Key) })
		}),
		onFacets("equal buckets in the opposite order", func(f *search.Facets) {
			slices.SortStableFunc(f.Types, func(a, b search.Bucket) int { return b.Hits - a.Hits })
			slices.Reverse(f.Types)
			slices.SortStableFunc(f.Types, func(a, b search.Bucket) int { return b.Hits - a.Hits })
		}),
		onFacets("the last bucket cut off", func(f *search.Facets) { f.Subtypes = f.Subtypes[:max(0, len(f.Subtypes)-1)] }),
		{"a facet that was not requested is counted", func(b *buggy) {
			b.query = func(q *search.Query) {
				if q.Facets != nil {
					request := *q.Facets
					request.Topics = true
					q.Facets = &request
				}
			}
		}},
		onResult("facets that were not requested", func(_ search.Query, r *search.Result) {
			if r.Facets == nil {
				r.Facets = &search.Facets{}
			}
		}),
		{"facets over videos that the text does not match", func(b *buggy) {
			b.result = b.facetsOf(func(q *search.Query) { q.Text = search.Text{} })
		}},
		{"facets by another level than the results", func(b *buggy) {
			b.result = b.facetsOf(func(q *search.Query) { q.Level = search.MatchLevel{} })
		}},
		{"facets over hidden videos", func(b *buggy) {
			b.result = b.facetsOf(func(q *search.Query) { q.Access.PrivateChannels = true })
		}},
		{"facets over a page only", func(b *buggy) {
			b.result = b.facetsOf(func(q *search.Query) {
				page, _ := b.Model.Search(context.Background(), *q)
				q.Filter.IDs = []catalogue.ID{}
				for _, ref := range page.Refs {
					q.Filter.IDs = append(q.Filter.IDs, ref.ID)
				}
			})
		}},
	}
	for _, facet := range ownFilters {
		bugs = append(bugs, Bug{"facet counted with its own filter: " + facet.name, func(b *buggy) {
			b.result = func(q search.Query, r *search.Result) {
				if r.Facets == nil {
					return
				}
				text := b.analyse(q.Text)
				hits := filtered(b.candidates(text, q.Level, q.Access, q.Today), q.Filter)
				facet.copy(r.Facets, countFacets(hits, search.Filter{}, *q.Facets))
			}
		}})
	}
	return bugs
}

var ownFilters = []struct {
	name string
	copy func(to, from *search.Facets)
}{
	{"durations", func(to, from *search.Facets) { to.Durations = from.Durations }},
	{"ages", func(to, from *search.Facets) { to.Ages = from.Ages }},
	{"subjects", func(to, from *search.Facets) { to.Subjects = from.Subjects }},
	{"tags", func(to, from *search.Facets) { to.Tags = from.Tags }},
	{"types", func(to, from *search.Facets) { to.Types = from.Types }},
	{"channels", func(to, from *search.Facets) { to.Channels = from.Channels }},
	{"education levels", func(to, from *search.Facets) { to.EducationLevels = from.EducationLevels }},
	{"topics", func(to, from *search.Facets) { to.Topics = from.Topics }},
	{"languages", func(to, from *search.Facets) { to.Languages = from.Languages }},
	{"CEFR", func(to, from *search.Facets) { to.CEFR = from.CEFR }},
	{"subtypes", func(to, from *search.Facets) { to.Subtypes = from.Subtypes }},
	{"resource types", func(to, from *search.Facets) { to.ResourceTypes = from.ResourceTypes }},
}

func onFacets(name string, change func(*search.Facets)) Bug {
	return onResult(name, func(_ search.Query, r *search.Result) {
		if r.Facets != nil {
			change(r.Facets)
		}
	})
}

func wrongText() []Bug {
	return []Bug{
		onQuery("text ignored", func(q *search.Query) { q.Text = search.Text{} }),
		onQuery("quoted parts ignored", func(q *search.Query) { q.Text.Phrases = nil }),
		onQuery("only the first quoted part counts", func(q *search.Query) { q.Text.Phrases = q.Text.Phrases[:min(1, len(q.Text.Phrases))] }),
		onQuery("quoted words in any order", func(q *search.Query) {
			var words []string
			for _, phrase := range q.Text.Phrases {
				words = append(words, strings.Fields(phrase)...)
			}
			q.Text.Phrases = words
		}),
		onDocument("quoted parts found in a channel's name", func(d *search.Document) { d.Keywords = append(slices.Clone(d.Keywords), d.ChannelName) }),
		onDocument("quoted parts found across keywords", func(d *search.Document) { d.Keywords = []string{strings.Join(d.Keywords, " ")} }),
		onQuery("typos never forgiven", func(q *search.Query) { q.Level.Typos = false }),
		onQuery("typos always forgiven", func(q *search.Query) { q.Level.Typos = true }),
		onQuery("no word optional", func(q *search.Query) { q.Level.OptionalWords = 0 }),
		onQuery("one more word optional", func(q *search.Query) { q.Level.OptionalWords++ }),
		{"matches counted by a looser level", func(b *buggy) { b.level = func(s *search.MatchLevel) { s.OptionalWords++ } }},
		{"matches counted without typos", func(b *buggy) { b.level = func(s *search.MatchLevel) { s.Typos = false } }},
		{"matches not counted although no level had enough", func(b *buggy) {
			b.counts = func(counts []int) { counts[len(counts)-1] = -1 }
		}},
		onDocument("language ignored", func(d *search.Document) { d.Language = "" }),
		onDocument("title not searched", func(d *search.Document) { d.Title = "" }),
		onDocument("keywords not searched", func(d *search.Document) { d.Keywords = nil }),
		onDocument("subjects not searched", func(d *search.Document) { d.SubjectNames = nil }),
		onDocument("channel not searched", func(d *search.Document) { d.ChannelName = "" }),
		onDocument("description not searched", func(d *search.Document) { d.Description = "" }),
		onDocument("transcript not searched", func(d *search.Document) { d.Transcript = "" }),
		{"suggestions in the opposite order", func(b *buggy) {
			b.phrases = func(phrases []search.Phrase) []search.Phrase { slices.Reverse(phrases); return phrases }
		}},
		{"suggestions carry one video each", func(b *buggy) {
			b.phrases = func(phrases []search.Phrase) []search.Phrase {
				for i := range phrases {
					phrases[i].Videos = 1
				}
				return phrases
			}
		}},
	}
}

func wrongOrder() []Bug {
	return []Bug{
		onQuery("boosts of channels and subjects ignored", func(q *search.Query) { q.BoostNamed = search.BoostedNames{} }),
		onQuery("boosts of subjects ignored", func(q *search.Query) { q.BoostNamed.Subjects = nil }),
		onQuery("boosts of channels applied as a filter", func(q *search.Query) {
			if len(q.BoostNamed.Channels) > 0 {
				q.Filter.Channels = q.BoostNamed.Channels
			}
		}),
		onQuery("boosts of preferred subjects ignored", func(q *search.Query) { q.BoostPreferred = nil }),
		onQuery("boosts of preferred subjects applied as a filter", func(q *search.Query) {
			if len(q.BoostPreferred) > 0 {
				q.Filter.Subjects = q.BoostPreferred
			}
		}),
		onQuery("order by date ignored", func(q *search.Query) { q.ByReleaseDate = false }),
		onQuery("always ordered by date", func(q *search.Query) { q.ByReleaseDate = true }),
		onDocument("oldest first", func(d *search.Document) { d.ReleasedOn = -d.ReleasedOn }),
		onDocument("tie-break reversed", func(d *search.Document) { d.Sequence = -d.Sequence }),
		onDocument("tie-break by id", func(d *search.Document) { d.Sequence = 0 }),
		onQuery("offset ignored", func(q *search.Query) { q.Offset = 0 }),
		onQuery("offset one too far", func(q *search.Query) { q.Offset++ }),
		onQuery("a page one too short", func(q *search.Query) { q.Size = max(0, q.Size-1) }),
		onResult("total of the page only", func(_ search.Query, r *search.Result) { r.Total = len(r.Refs) }),
		onResult("version left out", func(_ search.Query, r *search.Result) {
			for i := range r.Refs {
				r.Refs[i].Version = 0
			}
		}),
	}
}

func wrongWrites() []Bug {
	return []Bug{
		{"an older version replaces a newer one", func(b *buggy) {
			b.batch = func(batch *search.Batch) {
				for _, d := range batch.Put {
					delete(b.documents, d.ID)
				}
			}
		}},
		{"a known document is not replaced", func(b *buggy) {
			b.batch = func(batch *search.Batch) {
				batch.Put = slices.DeleteFunc(slices.Clone(batch.Put), func(d search.Document) bool { return b.documents[d.ID] != nil })
			}
		}},
		{"deletes ignored", func(b *buggy) { b.batch = func(batch *search.Batch) { batch.Delete = nil } }},
		{"position not kept", func(b *buggy) { b.batch = func(batch *search.Batch) { batch.Position = 1 } }},
		{"a rebuild keeps old documents", func(b *buggy) { b.merges = true }},
	}
}

// facetsOf returns a hook that replaces the facets with those of a changed query.
func (b *buggy) facetsOf(change func(*search.Query)) func(search.Query, *search.Result) {
	return func(q search.Query, r *search.Result) {
		if r.Facets != nil {
			change(&q)
			changed, _ := b.Model.Search(context.Background(), q)
			r.Facets = changed.Facets
		}
	}
}
