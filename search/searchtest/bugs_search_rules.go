package searchtest

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func wrongSynonyms() []Bug {
	return []Bug{
		onQuery("synonyms ignored", func(q *search.Query) { q.Text.SynonymGroups = nil }),
		onQuery("synonyms of the first word only", func(q *search.Query) { q.Text.SynonymGroups = q.Text.SynonymGroups[:min(1, len(q.Text.SynonymGroups))] }),
		onQuery("variants of several words ignored", func(q *search.Query) {
			q.Text.SynonymGroups = changedVariants(q.Text.SynonymGroups, func(words []string) []string {
				if len(words) > 1 {
					return nil
				}
				return words
			})
		}),
		onQuery("one word of a variant is enough", func(q *search.Query) {
			q.Text.SynonymGroups = changedVariants(q.Text.SynonymGroups, func(words []string) []string { return words })
		}),
		onQuery("synonyms as typing errors only", func(q *search.Query) {
			if q.Level == (search.MatchLevel{}) {
				q.Text.SynonymGroups = nil
			}
		}),
	}
}

// changedVariants replaces the words of each variant.
func changedVariants(synonymGroups [][]string, change func(words []string) []string) [][]string {
	changed := make([][]string, len(synonymGroups))
	for i, group := range synonymGroups {
		for _, variant := range group {
			changed[i] = append(changed[i], change(strings.Fields(variant))...)
		}
		if len(changed[i]) == 0 {
			return nil
		}
	}
	return changed
}

func wrongSearchRules() []Bug {
	return []Bug{
		onQuery("pinned videos ignored", func(q *search.Query) { q.Pin = nil }),
		onQuery("pinned videos in the opposite order", func(q *search.Query) {
			q.Pin = slices.Clone(q.Pin)
			slices.Reverse(q.Pin)
		}),
		onQuery("only the first pinned video counts", func(q *search.Query) { q.Pin = q.Pin[:min(1, len(q.Pin))] }),
		onQuery("pinned videos pass every filter", func(q *search.Query) {
			if len(q.Pin) > 0 {
				q.Filter = search.Filter{}
			}
		}),
		onQuery("pinned videos shown to every caller", func(q *search.Query) {
			if len(q.Pin) > 0 {
				q.Access = catalogue.Access{PrivateChannels: true}
			}
		}),
		onQuery("pinned videos applied as a filter", func(q *search.Query) {
			if len(q.Pin) > 0 {
				q.Filter.IDs = q.Pin
			}
		}),
		{"pinned videos match only where the text does", func(b *buggy) {
			b.query = func(q *search.Query) {
				q.Pin = slices.DeleteFunc(slices.Clone(q.Pin), func(id catalogue.ID) bool {
					d := b.documents[id]
					return d == nil || !d.matches(b.analyse(q.Text), q.Level)
				})
			}
		}},
		{"pinned videos left out of the total", func(b *buggy) {
			b.result = func(q search.Query, r *search.Result) {
				for _, d := range b.candidates(b.analyse(q.Text), q.Level, q.Access, q.Today, q.Pin...) {
					if !d.matches(b.analyse(q.Text), q.Level) && passes(&d.Document, q.Filter) {
						r.Total--
					}
				}
			}
		}},
		{"facets without pinned videos", func(b *buggy) {
			b.result = b.facetsOf(func(q *search.Query) { q.Pin = nil })
		}},
		onQuery("pinned videos first by release date too", func(q *search.Query) {
			if len(q.Pin) > 0 {
				q.ByReleaseDate = false
			}
		}),
		onQuery("buried videos ignored", func(q *search.Query) { q.Bury = nil }),
		onQuery("buried videos come first", func(q *search.Query) { q.Pin = slices.Concat(q.Pin, q.Bury) }),
		{"buried videos left out", func(b *buggy) {
			b.query = func(q *search.Query) {
				if len(q.Bury) > 0 && q.Filter.IDs == nil {
					q.Filter.IDs = []catalogue.ID{}
					for id := range b.documents {
						if !slices.Contains(q.Bury, id) {
							q.Filter.IDs = append(q.Filter.IDs, id)
						}
					}
				}
			}
		}},
	}
}
