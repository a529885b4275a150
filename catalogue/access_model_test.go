package catalogue_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
)

// accessModel is a naive evaluation of rules, one after the other, as the operator wrote them. bug is the name of a bug
// to plant, or "" for none.
type accessModel struct {
	rules []catalogue.AccessRule
	bug   string
}

// accessBugs returns the bugs that the model can plant. If the comparison with catalogue.State.VisibleTo does not find
// one of them, the test cases are incomplete.
func accessBugs() []string {
	bugs := []string{
		"only the first value of a rule counts",
		"allow-lists AND-ed",
		"other includes OR-ed",
		"includes win over excludes",
		"an id of a collection taken for a video's",
		"an allow-list opens private channels",
		"an open channel is allowed by that",
		"an excluded channel is closed only where it is private",
		"categories without their ancestors",
		"categories by their descendants",
		"languages that are not known excluded",
		"a channel that says no distribution method offers all",
		"private channels open to all",
		"private channels closed to all",
		"retired videos seen",
		"availability ignored",
		"the last day excluded",
		"a day more than available",
	}
	for _, kind := range catalogue.RuleTypes() {
		bugs = append(bugs, "rule dropped: "+string(kind))
	}
	return bugs
}

func (m accessModel) sees(s catalogue.State, today catalogue.Date) bool {
	return (!s.Retired || m.bug == "retired videos seen") && m.available(s, today) && m.opens(s) && m.passes(s)
}

func (m accessModel) available(s catalogue.State, today catalogue.Date) bool {
	switch {
	case s.AvailableUntil == nil, m.bug == "availability ignored":
		return true
	case m.bug == "the last day excluded":
		return *s.AvailableUntil > today
	case m.bug == "a day more than available":
		return *s.AvailableUntil+1 >= today
	}
	return *s.AvailableUntil >= today
}

func (m accessModel) opens(s catalogue.State) bool {
	switch {
	case !s.Private || m.bug == "private channels open to all":
		return true
	case m.bug == "private channels closed to all":
		return false
	case m.bug == "an allow-list opens private channels" && (m.names(catalogue.IncludedVideos, s) || m.names(catalogue.IncludedChannels, s)):
		return true
	}
	return m.names(catalogue.IncludeAllPrivateChannels, s) || m.names(catalogue.IncludedPrivateChannels, s)
}

func (m accessModel) passes(s catalogue.State) bool {
	var lists, allows, others, included, excluded int
	for _, kind := range catalogue.RuleTypes() {
		if !m.has(kind) {
			continue
		}
		names := 0
		if m.names(kind, s) {
			names = 1
		}
		switch kind {
		case catalogue.IncludedVideos, catalogue.IncludedCollections, catalogue.IncludedChannels:
			lists, allows = lists+1, allows+names
		case catalogue.IncludeAllPrivateChannels:
		case catalogue.IncludedPrivateChannels:
			if m.bug == "an open channel is allowed by that" {
				allows += names
			}
		case catalogue.ExcludedChannels:
			if m.bug != "an excluded channel is closed only where it is private" || s.Private {
				excluded += names
			}
		default:
			if strings.HasPrefix(string(kind), "Excluded") {
				excluded += names
			} else {
				others, included = others+1, included+names
			}
		}
	}
	allowed := lists == 0 || allows > 0
	if m.bug == "allow-lists AND-ed" {
		allowed = allows == lists
	}
	fits := included == others
	if m.bug == "other includes OR-ed" {
		fits = others == 0 || included > 0
	}
	if m.bug == "includes win over excludes" && lists > 0 && allows > 0 {
		excluded = 0
	}
	return allowed && fits && excluded == 0
}

func (m accessModel) has(kind catalogue.RuleType) bool {
	return m.bug != "rule dropped: "+string(kind) &&
		slices.ContainsFunc(m.rules, func(r catalogue.AccessRule) bool { return r.Type == kind })
}

// names reports whether a rule of a type names the video or applies to all videos.
func (m accessModel) names(kind catalogue.RuleType, s catalogue.State) bool {
	if !m.has(kind) {
		return false
	}
	if kind == catalogue.IncludeAllPrivateChannels {
		return true
	}
	values := m.rules[slices.IndexFunc(m.rules, func(r catalogue.AccessRule) bool { return r.Type == kind })].Values
	if m.bug == "only the first value of a rule counts" {
		values = values[:1]
	}
	return slices.ContainsFunc(values, func(value string) bool { return m.matches(kind, value, s) })
}

func (m accessModel) matches(kind catalogue.RuleType, value string, s catalogue.State) bool {
	switch kind {
	case catalogue.IncludedVideos, catalogue.ExcludedVideos:
		return string(s.ID) == value
	case catalogue.IncludedCollections:
		if m.bug == "an id of a collection taken for a video's" {
			return string(s.ID) == value
		}
		return slices.Contains(heldInCases[catalogue.ID(value)], s.ID)
	case catalogue.IncludedChannels, catalogue.ExcludedChannels, catalogue.IncludedPrivateChannels:
		return string(s.Channel) == value
	case catalogue.IncludedVideoTypes, catalogue.ExcludedVideoTypes:
		return string(s.Type) == value
	case catalogue.IncludedSubjects:
		return slices.Contains(s.Subjects, catalogue.ID(value))
	case catalogue.IncludedThemaCategories:
		return slices.ContainsFunc(s.Categories, func(code string) bool {
			switch m.bug {
			case "categories without their ancestors":
				return code == value
			case "categories by their descendants":
				return strings.HasPrefix(value, code)
			}
			return code == value || strings.HasPrefix(code, value)
		})
	case catalogue.IncludedEducationLevels, catalogue.ExcludedEducationLevels:
		return slices.Contains(s.EducationLevels, value)
	case catalogue.IncludedDistributionMethods:
		return slices.Contains(s.DistributionMethods, catalogue.DistributionMethod(value)) ||
			len(s.DistributionMethods) == 0 && m.bug == "a channel that says no distribution method offers all"
	case catalogue.ExcludedLanguages:
		return string(s.Language) == value || s.Language == "" && m.bug == "languages that are not known excluded"
	case catalogue.ExcludedPlaybackSources:
		return s.YouTube == (value == "YOUTUBE")
	case catalogue.ExcludedContentWarnings:
		return slices.Contains(s.Warnings, catalogue.ID(value))
	}
	return false
}

// heldInCases contains the videos of the collections that cases name. One of these collections does not exist.
var heldInCases = map[catalogue.ID][]catalogue.ID{
	catalogue.ID(ruleID(1)): {catalogue.ID(ruleID(3)), catalogue.ID(ruleID(2))},
	catalogue.ID(ruleID(2)): {},
}

// accessCase is a package and the video to evaluate.
type accessCase struct {
	rules []catalogue.AccessRule
	state catalogue.State
	today catalogue.Date
}

var accessCases = rapid.Custom(func(t *rapid.T) accessCase {
	c := accessCase{state: drawState(t), today: 20_000}
	ids := []string{ruleID(1), ruleID(2), ruleID(3)}
	values := map[catalogue.RuleType][]string{
		catalogue.IncludedVideoTypes: {"NEWS", "STOCK", "PODCAST"}, catalogue.ExcludedVideoTypes: {"NEWS", "STOCK", "PODCAST"},
		catalogue.IncludedThemaCategories: {"J", "JN", "JNU", "YP"}, catalogue.ExcludedLanguages: {"eng", "nob", "fra"},
		catalogue.ExcludedPlaybackSources: {"HLS", "YOUTUBE"}, catalogue.IncludeAllPrivateChannels: {},
		catalogue.IncludedDistributionMethods: {"STREAM", "DOWNLOAD"},
	}
	kinds := rapid.SliceOfNDistinct(rapid.SampledFrom(catalogue.RuleTypes()), 0, 4, rapid.ID[catalogue.RuleType])
	for _, kind := range kinds.Draw(t, "rules") {
		of, ok := values[kind]
		if !ok {
			of = ids
		}
		least := min(1, len(of))
		c.rules = append(c.rules, rule(kind, drawn(t, string(kind), of, least, 2)...))
	}
	return c
})

func drawState(t *rapid.T) catalogue.State {
	ids := []catalogue.ID{catalogue.ID(ruleID(1)), catalogue.ID(ruleID(2)), catalogue.ID(ruleID(3))}
	levels := []string{ruleID(1), ruleID(2), ruleID(3)} // any text is a valid code of a level
	return catalogue.State{
		Ref:     catalogue.Ref{ID: rapid.SampledFrom(ids).Draw(t, "video")},
		Private: rapid.Bool().Draw(t, "private"), Retired: rapid.IntRange(0, 5).Draw(t, "retired") == 0,
		AvailableUntil: rapid.SampledFrom([]*catalogue.Date{nil, nil, new(catalogue.Date(19_999)), new(catalogue.Date(20_000))}).Draw(t, "until"),
		Traits: catalogue.Traits{
			Type:    rapid.SampledFrom([]catalogue.VideoType{"NEWS", "STOCK", "INSTRUCTIONAL"}).Draw(t, "type"),
			Channel: rapid.SampledFrom(ids).Draw(t, "channel"), Subjects: drawn(t, "subjects", ids, 0, 2),
			EducationLevels: drawn(t, "levels", levels, 0, 2), Categories: drawn(t, "categories", []string{"J", "JN", "JNUM", "AB"}, 0, 2),
			Warnings: drawn(t, "warnings", ids, 0, 2), Language: rapid.SampledFrom([]catalogue.Language{"", "eng", "nob"}).Draw(t, "language"),
			YouTube: rapid.Bool().Draw(t, "YouTube"), DistributionMethods: drawn(t, "methods", catalogue.DistributionMethods(), 0, 2),
		},
	}
}

func drawn[T comparable](t *rapid.T, label string, of []T, least, most int) []T {
	if len(of) == 0 {
		return nil
	}
	return rapid.SliceOfNDistinct(rapid.SampledFrom(of), least, most, rapid.ID[T]).Draw(t, label)
}

func (c accessCase) access(t testing.TB) catalogue.Access {
	access, complete := compiled(t, c.rules...).WithCollections(heldInCases)
	if !complete {
		t.Fatalf("%+v is cut", access.Rules)
	}
	return access
}

// differs returns the result of VisibleTo, and whether the model with a bug gives another.
func (c accessCase) differs(t testing.TB, bug string) (seen, differs bool) {
	seen = c.state.VisibleTo(c.access(t), c.today)
	return seen, seen != accessModel{c.rules, bug}.sees(c.state, c.today)
}

func TestVisibleToByRules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		for range 20 {
			c := accessCases.Draw(rt, "case")
			if seen, differs := c.differs(t, ""); differs {
				rt.Fatalf("seen: %t, the model says otherwise: %+v", seen, c)
			}
		}
	})
}

func TestPlantedAccessBugsAreCaught(t *testing.T) {
	const most = 20_000
	cases := make([]accessCase, 0, most)
	for _, bug := range accessBugs() {
		caught := false
		for i := 0; i < most && !caught; i++ {
			if i == len(cases) {
				cases = append(cases, accessCases.Example(i))
			}
			_, caught = cases[i].differs(t, bug)
		}
		if !caught {
			t.Errorf("not caught in %d cases: %s", most, bug)
		}
	}
}

// TestOpensChannel checks that a caller who sees a video of a channel also sees the channel.
func TestOpensChannel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		for range 20 {
			c := accessCases.Draw(rt, "case")
			access := c.access(t)
			channel := &catalogue.Channel{
				Meta: catalogue.Meta{ID: c.state.Channel}, Private: c.state.Private, DistributionMethods: c.state.DistributionMethods,
			}
			if c.state.VisibleTo(access, c.today) && !access.OpensChannel(channel) {
				rt.Fatalf("the video is seen, its channel is not: %+v", c)
			}
		}
	})
	hidden := &catalogue.Channel{Meta: catalogue.Meta{ID: catalogue.ID(ruleID(1))}, Private: true}
	open := &catalogue.Channel{Meta: catalogue.Meta{ID: catalogue.ID(ruleID(2))}, DistributionMethods: []catalogue.DistributionMethod{"STREAM"}}
	for name, c := range map[string]struct {
		rules        []catalogue.AccessRule
		hidden, open bool
	}{
		"no rules":            {nil, false, true},
		"all private":         {[]catalogue.AccessRule{rule(catalogue.IncludeAllPrivateChannels)}, true, true},
		"this private":        {[]catalogue.AccessRule{rule(catalogue.IncludedPrivateChannels, ruleID(1))}, true, true},
		"another private":     {[]catalogue.AccessRule{rule(catalogue.IncludedPrivateChannels, ruleID(3))}, false, true},
		"allowed alone":       {[]catalogue.AccessRule{rule(catalogue.IncludedChannels, ruleID(1))}, false, false},
		"allowed and open":    {[]catalogue.AccessRule{rule(catalogue.IncludedChannels, ruleID(1)), rule(catalogue.IncludeAllPrivateChannels)}, true, false},
		"allowed with videos": {[]catalogue.AccessRule{rule(catalogue.IncludedChannels, ruleID(3)), rule(catalogue.IncludedVideos, ruleID(4))}, false, true},
		"excluded":            {[]catalogue.AccessRule{rule(catalogue.ExcludedChannels, ruleID(1), ruleID(2)), rule(catalogue.IncludeAllPrivateChannels)}, false, false},
		"offered":             {[]catalogue.AccessRule{rule(catalogue.IncludedDistributionMethods, "STREAM", "DOWNLOAD"), rule(catalogue.IncludeAllPrivateChannels)}, false, true},
		"not offered":         {[]catalogue.AccessRule{rule(catalogue.IncludedDistributionMethods, "DOWNLOAD"), rule(catalogue.IncludeAllPrivateChannels)}, false, false},
		"videos hidden":       {[]catalogue.AccessRule{rule(catalogue.ExcludedVideoTypes, "NEWS")}, false, true},
	} {
		access := compiled(t, c.rules...)
		if got := access.OpensChannel(hidden); got != c.hidden {
			t.Errorf("%s: the private channel is open: %t", name, got)
		}
		if got := access.OpensChannel(open); got != c.open {
			t.Errorf("%s: the other channel is open: %t", name, got)
		}
	}
}
