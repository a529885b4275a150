package searchtest

import (
	"reflect"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func wrongAccess() []Bug {
	return slices.Concat([]Bug{
		onQuery("private channels open to all", func(q *search.Query) { q.Access.PrivateChannels = true }),
		onQuery("private channels closed to all", func(q *search.Query) { q.Access.PrivateChannels = false }),
		onDocument("retired videos found", func(d *search.Document) { d.Retired = false }),
		onDocument("availability ignored", func(d *search.Document) { d.AvailableUntil = nil }),
		onQuery("the last day excluded", func(q *search.Query) { q.Today++ }),
		onQuery("one day more than the availability", func(q *search.Query) { q.Today-- }),
		onQuery("access rules ignored", func(q *search.Query) { q.Access.Rules = nil }),
		{"texts found without access rules", func(b *buggy) { b.finder = withoutRules }},
		{"found texts reported in the opposite order", func(b *buggy) { b.finds = slices.Reverse[[]bool] }},
		{"matches counted without access rules", func(b *buggy) { b.counter = withoutRules }},
		{"suggestions without access rules", func(b *buggy) { b.typist = withoutRules }},
	}, skippedRules(), wrongRules())
}

func withoutRules(access *catalogue.Access) { access.Rules = nil }

// skippedRules skips each list of Rules in turn, in all kinds of answers. It omits Collections, which has no effect of
// its own because Videos contains the videos of the collections.
func skippedRules() []Bug {
	var bugs []Bug
	for _, field := range reflect.VisibleFields(reflect.TypeFor[catalogue.Rules]()) {
		if field.IsExported() && field.Name != "Collections" {
			bugs = append(bugs, onVisible("an access rule skipped: "+field.Name, func(s view) bool {
				return s.under(func(r *catalogue.Rules) { reflect.ValueOf(r).Elem().FieldByIndex(field.Index).SetZero() })
			}))
		}
	}
	return bugs
}

// wrongRules combines rules in other ways than Rules.Passes does.
func wrongRules() []Bug {
	return []Bug{
		onVisible("both allow-lists required", func(s view) bool {
			return s.under(func(r *catalogue.Rules) { r.Videos = nil }) && s.under(func(r *catalogue.Rules) { r.Channels = nil })
		}),
		onVisible("an allow-list bypasses the other rules", func(s view) bool {
			return s.plain() || slices.Contains(s.rules().Videos, s.ID) && s.under(func(r *catalogue.Rules) {
				*r = catalogue.Rules{OpenChannels: r.OpenChannels}
			})
		}),
		onVisible("one of subjects and levels is enough", func(s view) bool {
			r := s.rules()
			return s.plain() || r.Subjects != nil && r.EducationLevels != nil &&
				(s.under(func(r *catalogue.Rules) { r.Subjects = nil }) || s.under(func(r *catalogue.Rules) { r.EducationLevels = nil }))
		}),
		onVisible("every level of a rule required", func(s view) bool {
			missing := slices.ContainsFunc(s.rules().EducationLevels, func(level string) bool {
				return !slices.Contains(s.EducationLevels, level)
			})
			return s.plain() && !missing
		}),
		onVisible("access by categories without their ancestors", func(s view) bool {
			return s.plain() && (s.rules().Categories == nil || sharesAny(s.Categories, s.rules().Categories))
		}),
		onVisible("an unknown language excluded", func(s view) bool {
			return s.plain() && (s.Language != "" || s.rules().ExcludedLanguages == nil)
		}),
		onVisible("a channel without distribution methods offers all of them", func(s view) bool {
			return s.plain() || len(s.DistributionMethods) == 0 && s.under(func(r *catalogue.Rules) { r.DistributionMethods = nil })
		}),
		onVisible("every distribution method of a rule required", func(s view) bool {
			return s.plain() && (s.rules().DistributionMethods == nil || len(s.DistributionMethods) >= len(s.rules().DistributionMethods))
		}),
		onVisible("a private channel opened by an allow-list", func(s view) bool {
			if slices.Contains(s.rules().Channels, s.Channel) {
				s.Private = false
			}
			return s.plain()
		}),
		onVisible("an open private channel allowed beside the allow-lists", func(s view) bool {
			return s.plain() || slices.Contains(s.rules().OpenChannels, s.Channel) &&
				s.under(func(r *catalogue.Rules) { r.Videos, r.Channels = nil, nil })
		}),
		onVisible("a warning excludes only videos without other warnings", func(s view) bool {
			return s.plain() || len(s.Warnings) > 1 && s.under(func(r *catalogue.Rules) { r.ExcludedWarnings = nil })
		}),
	}
}

// view is one video and the access of its viewer.
type view struct {
	catalogue.State
	access catalogue.Access
	today  catalogue.Date
}

// plain applies the correct rule.
func (s view) plain() bool { return s.VisibleTo(s.access, s.today) }

// rules returns the access rules. It returns empty rules if there are none.
func (s view) rules() *catalogue.Rules {
	if s.access.Rules == nil {
		return &catalogue.Rules{}
	}
	return s.access.Rules
}

// under applies the correct rule to changed lists.
func (s view) under(change func(*catalogue.Rules)) bool {
	rules := *s.rules()
	change(&rules)
	s.access.Rules = &rules
	return s.plain()
}

// onVisible replaces the rule that decides which caller sees which video.
func onVisible(name string, sees func(view) bool) Bug {
	return Bug{name, func(b *buggy) {
		b.sees = func(state *catalogue.State, access catalogue.Access, today catalogue.Date) bool {
			return sees(view{*state, access, today})
		}
	}}
}
