package searchtest

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Bug is a planted fault that Properties must detect.
type Bug = BugOf[buggy]

// buggy is a Model with faults. Each hook that is set changes an input or an output.
type buggy struct {
	*Model
	faultyWrites[search.Document]
	query   func(*search.Query)
	result  func(search.Query, *search.Result)
	level   func(*search.MatchLevel) // of Matches
	counts  func([]int)
	counter func(*catalogue.Access) // of Matches
	finder  func(*catalogue.Access) // of Finds
	finds   func([]bool)
	typist  func(*catalogue.Access) // of Phrases
	phrases func([]search.Phrase) []search.Phrase
	// keeps replaces the rule of one filter. drop removes that filter from the query.
	drop  func(*search.Filter)
	keeps func(search.Filter, *search.Document) bool
}

func (b *buggy) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	asked := query
	if b.query != nil {
		b.query(&query)
	}
	result, err := b.Model.Search(ctx, query)
	if err == nil && b.keeps != nil {
		result, err = b.refiltered(ctx, query, result.Facets)
	}
	if err == nil && b.result != nil {
		b.result(asked, result)
	}
	return result, err
}

// refiltered applies the wrong rule to results that were not filtered by the correct rule.
func (b *buggy) refiltered(ctx context.Context, query search.Query, facets *search.Facets) (*search.Result, error) {
	all := query
	b.drop(&all.Filter)
	all.Offset, all.Size, all.Facets = 0, search.MaxWindow, nil
	result, err := b.Model.Search(ctx, all)
	if err != nil {
		return nil, err
	}
	hits := slices.DeleteFunc(result.Refs, func(ref catalogue.Ref) bool {
		return !b.keeps(query.Filter, &b.documents[ref.ID].Document)
	})
	from := min(query.Offset, len(hits))
	return &search.Result{Refs: hits[from:min(from+query.Size, len(hits))], Total: len(hits), Facets: facets}, nil
}

func (b *buggy) Matches(
	ctx context.Context, text search.Text, levels []search.MatchLevel, access catalogue.Access, day catalogue.Date, enough int,
) ([]int, error) {
	query := search.Query{Text: text, Access: access, Today: day}
	if b.query != nil {
		b.query(&query)
	}
	if b.counter != nil {
		b.counter(&query.Access)
	}
	levels = slices.Clone(levels)
	for i := range levels {
		if b.level != nil {
			b.level(&levels[i])
		}
	}
	counts, err := b.Model.Matches(ctx, query.Text, levels, query.Access, query.Today, enough)
	if err == nil && b.counts != nil {
		b.counts(counts)
	}
	return counts, err
}

func (b *buggy) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, day catalogue.Date,
) ([]bool, error) {
	texts = slices.Clone(texts)
	for i := range texts {
		query := search.Query{Text: texts[i]}
		if b.query != nil {
			b.query(&query)
		}
		texts[i] = query.Text
	}
	if b.finder != nil {
		b.finder(&access)
	}
	finds, err := b.Model.Finds(ctx, texts, access, day)
	if err == nil && b.finds != nil {
		b.finds(finds)
	}
	return finds, err
}

func (b *buggy) Phrases(
	ctx context.Context, text string, access catalogue.Access, day catalogue.Date, limit int,
) ([]search.Phrase, error) {
	if b.typist != nil {
		b.typist(&access)
	}
	if b.phrases == nil {
		return b.Model.Phrases(ctx, text, access, day, limit)
	}
	phrases, err := b.Model.Phrases(ctx, text, access, day, search.MaxWindow)
	phrases = b.phrases(phrases)
	return phrases[:min(limit, len(phrases))], err
}

func (b *buggy) Apply(ctx context.Context, batch search.Batch) error {
	return b.apply(ctx, b.Model, batch)
}

func (b *buggy) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	return b.rebuild(ctx, b.Model, position, documents)
}

// PlantedBugs returns the faults that Properties is proven to detect.
func PlantedBugs() []Bug {
	return slices.Concat(droppedFilters(), wrongFilters(), wrongFacets(), wrongText(), wrongOrder(), wrongWrites(), wrongAccess(), wrongSearchRules(), wrongSynonyms(), wrongMeaning())
}

// onQuery plants a fault in the query, onFilter in its filters, onDocument in the indexed document, and onResult in the
// result.
func onQuery(name string, change func(*search.Query)) Bug {
	return Bug{name, func(b *buggy) { b.query = change }}
}

func onFilter(name string, change func(*search.Filter)) Bug {
	return onQuery(name, func(q *search.Query) { change(&q.Filter) })
}

func onDocument(name string, change func(*search.Document)) Bug {
	return Bug{name, func(b *buggy) { b.document = change }}
}

func onResult(name string, change func(search.Query, *search.Result)) Bug {
	return Bug{name, func(b *buggy) { b.result = change }}
}

// wrongRule replaces the rule of a filter with another rule.
func wrongRule(name string, drop func(*search.Filter), keeps func(search.Filter, *search.Document) bool) Bug {
	return Bug{name, func(b *buggy) { b.drop, b.keeps = drop, keeps }}
}

func droppedFilters() []Bug {
	dropped := func(name string, drop func(*search.Filter)) Bug { return onFilter("filter dropped: "+name, drop) }
	return []Bug{
		dropped("nothing", func(f *search.Filter) { f.Nothing = false }),
		dropped("ids", func(f *search.Filter) { f.IDs = nil }),
		dropped("durations", func(f *search.Filter) { f.Durations = nil }),
		dropped("released from", func(f *search.Filter) { f.ReleasedFrom = nil }),
		dropped("released to", func(f *search.Filter) { f.ReleasedTo = nil }),
		dropped("updated from", func(f *search.Filter) { f.UpdatedFrom = nil }),
		dropped("ages", func(f *search.Filter) { f.Ages = nil }),
		dropped("lowest age", func(f *search.Filter) { f.AgeMin = nil }),
		dropped("highest age", func(f *search.Filter) { f.AgeMax = nil }),
		dropped("subjects", func(f *search.Filter) { f.Subjects = nil }),
		dropped("subjects set manually", func(f *search.Filter) { f.SubjectsSetManually = nil }),
		dropped("channels", func(f *search.Filter) { f.Channels = nil }),
		dropped("types", func(f *search.Filter) { f.Types = nil }),
		dropped("tags", func(f *search.Filter) { f.Tags = nil }),
		dropped("promoted", func(f *search.Filter) { f.Promoted = nil }),
		dropped("languages", func(f *search.Filter) { f.Languages = nil }),
		dropped("education levels", func(f *search.Filter) { f.EducationLevels = nil }),
		dropped("CEFR", func(f *search.Filter) { f.CEFR = nil }),
		dropped("subtypes", func(f *search.Filter) { f.Subtypes = nil }),
		dropped("resource types", func(f *search.Filter) { f.ResourceTypes = nil }),
		dropped("categories", func(f *search.Filter) { f.Categories = nil }),
		dropped("topics", func(f *search.Filter) { f.Topics = nil }),
		dropped("curriculum", func(f *search.Filter) { f.Curriculum = nil }),
		dropped("YouTube", func(f *search.Filter) { f.YouTube = nil }),
	}
}

func wrongFilters() []Bug {
	return []Bug{
		onFilter("videos of unknown language not found", func(f *search.Filter) {
			f.Languages = slices.DeleteFunc(slices.Clone(f.Languages), func(l catalogue.Language) bool { return l == catalogue.Undetermined })
		}),
		onFilter("an empty list applied as no filter", func(f *search.Filter) {
			if len(f.Subjects) == 0 {
				f.Subjects = nil
			}
		}),
		onFilter("only the first value of a list counts", func(f *search.Filter) { f.Types = f.Types[:min(1, len(f.Types))] }),
		onFilter("duration's upper end excluded", func(f *search.Filter) { f.Durations = shiftedEnds(f.Durations, -1) }),
		onFilter("duration without an upper end limited to less than 24 hours", func(f *search.Filter) {
			f.Durations = slices.Clone(f.Durations)
			for i, r := range f.Durations {
				if r.Max == nil {
					f.Durations[i].Max = new(catalogue.Day - 1)
				}
			}
		}),
		onFilter("released from excluded", func(f *search.Filter) {
			if f.ReleasedFrom != nil {
				f.ReleasedFrom = new(*f.ReleasedFrom + 1)
			}
		}),
		onFilter("released to excluded", func(f *search.Filter) {
			if f.ReleasedTo != nil {
				f.ReleasedTo = new(*f.ReleasedTo - 1)
			}
		}),
		onFilter("updated from excluded", func(f *search.Filter) {
			if f.UpdatedFrom != nil {
				f.UpdatedFrom = new(f.UpdatedFrom.Add(time.Microsecond))
			}
		}),
		wrongRule("tags combined with OR", func(f *search.Filter) { f.Tags = nil }, func(f search.Filter, d *search.Document) bool {
			return anyOf(f.Tags, d.Tags)
		}),
		wrongRule("age brackets that share a single age match", func(f *search.Filter) { f.Ages = nil }, func(f search.Filter, d *search.Document) bool {
			return anyMatches(f.Ages, func(b catalogue.AgeBracket) bool {
				lowest, highest, known := d.Ages.Ages()
				return known && min(highest, b.To) >= max(lowest, b.From)
			})
		}),
		wrongRule("unknown ages match", func(f *search.Filter) { f.Ages = nil }, func(f search.Filter, d *search.Document) bool {
			return !d.Ages.Known() || anyMatches(f.Ages, func(b catalogue.AgeBracket) bool { return b.Matches(d.Ages) })
		}),
		wrongRule("an unknown lowest age matches", func(f *search.Filter) { f.AgeMin, f.AgeMax = nil, nil },
			func(f search.Filter, d *search.Document) bool {
				ages := d.Ages
				if ages.Min == nil {
					ages.Min = f.AgeMin
				}
				return withinAges(ages, f.AgeMin, f.AgeMax)
			}),
		wrongRule("lowest and highest age checked separately", func(f *search.Filter) { f.AgeMin, f.AgeMax = nil, nil },
			func(f search.Filter, d *search.Document) bool {
				return withinAges(d.Ages, f.AgeMin, nil) && withinAges(d.Ages, nil, f.AgeMax)
			}),
		wrongRule("categories without their ancestors", func(f *search.Filter) { f.Categories = nil },
			func(f search.Filter, d *search.Document) bool { return anyOf(f.Categories, d.Categories) }),
		wrongRule("category and level matched at different places in a curriculum", func(f *search.Filter) { f.Curriculum = nil },
			func(f search.Filter, d *search.Document) bool {
				return f.Curriculum == nil ||
					anyMatches(f.Curriculum, func(p search.Place) bool { return isAt(d, search.Place{Categories: p.Categories}) }) &&
						anyMatches(f.Curriculum, func(p search.Place) bool { return isAt(d, search.Place{EducationLevels: p.EducationLevels}) })
			}),
		wrongRule("a place in a curriculum without levels matches any level", func(f *search.Filter) { f.Curriculum = nil },
			func(f search.Filter, d *search.Document) bool {
				return anyMatches(f.Curriculum, func(p search.Place) bool {
					return isAt(d, p) || len(p.EducationLevels) == 0 && isAt(d, search.Place{Categories: p.Categories})
				})
			}),
		onFilter("YouTube filter inverted", func(f *search.Filter) {
			if f.YouTube != nil {
				f.YouTube = new(!*f.YouTube)
			}
		}),
	}
}

func shiftedEnds(ranges []catalogue.DurationRange, by catalogue.Duration) []catalogue.DurationRange {
	ranges = slices.Clone(ranges)
	for i, r := range ranges {
		if r.Max != nil {
			ranges[i].Max = new(*r.Max + by)
		}
	}
	return ranges
}
