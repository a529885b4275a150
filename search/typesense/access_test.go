package typesense

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// TestVisible compares the condition on traits with State.VisibleTo. The values include codes that are used as tokens
// directly and values that are too long for that.
func TestVisible(t *testing.T) {
	shown, hidden := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d, today := drawDocument(t), catalogue.Date(20_000)
		access := drawAccess(t)
		condition := (&Index{}).visible(access, today)
		want := d.VisibleTo(access, today)
		if got := holdsTraits(t, condition, traitsOf(d)); got != want {
			t.Fatalf("%+v by %+v: %t, traits %v by %s", d.State, access.Rules, got, traitsOf(d), condition)
		}
		if want {
			shown++
		} else {
			hidden++
		}
	})
	if shown == 0 || hidden == 0 {
		t.Errorf("%d shown, %d hidden", shown, hidden)
	}
}

// accessIDs and accessLevels are values of rules.
var (
	accessIDs    = []catalogue.ID{"0123456789abcdef01234567", "0123456789abcdef01234568", "1123456789abcdef01234567"}
	accessLevels = []string{"4C", "4CD", "a level that is no code"}
)

func drawSome[T any](t *rapid.T, label string, of []T, least int) []T {
	if len(of) == 0 {
		return nil
	}
	places := rapid.SliceOfNDistinct(rapid.IntRange(0, len(of)-1), least, 2, rapid.ID[int]).Draw(t, label)
	some := make([]T, len(places))
	for i, place := range places {
		some[i] = of[place]
	}
	return some
}

func drawDocument(t *rapid.T) *search.Document {
	past, present := catalogue.Date(19_999), catalogue.Date(20_000)
	return &search.Document{State: catalogue.State{
		Ref:            catalogue.Ref{ID: rapid.SampledFrom(accessIDs).Draw(t, "video")},
		AvailableUntil: rapid.SampledFrom([]*catalogue.Date{nil, nil, nil, &past, &present}).Draw(t, "until"),
		Private:        rapid.Bool().Draw(t, "private"), Retired: rapid.IntRange(0, 5).Draw(t, "retired") == 0,
		Traits: catalogue.Traits{
			Type:            rapid.SampledFrom(catalogue.VideoTypes()).Draw(t, "type"),
			Channel:         rapid.SampledFrom(accessIDs).Draw(t, "channel"),
			Subjects:        drawSome(t, "subjects", accessIDs, 0),
			EducationLevels: drawSome(t, "levels", accessLevels, 0),
			Categories:      drawSome(t, "categories", []string{"J", "JN", "YP"}, 0),
			Warnings:        drawSome(t, "warnings", accessIDs, 0),
			Language:        rapid.SampledFrom([]catalogue.Language{"", "eng", "nob"}).Draw(t, "language"),
			YouTube:         rapid.Bool().Draw(t, "YouTube"),

			DistributionMethods: drawSome(t, "methods", catalogue.DistributionMethods(), 0),
		},
	}}
}

func drawAccess(t *rapid.T) catalogue.Access {
	var ids, types []string
	for _, id := range accessIDs {
		ids = append(ids, string(id))
	}
	for _, kind := range catalogue.VideoTypes() {
		types = append(types, string(kind))
	}
	values := map[catalogue.RuleType][]string{
		catalogue.IncludedVideoTypes: types, catalogue.ExcludedVideoTypes: types,
		catalogue.IncludedThemaCategories: {"J", "JN"}, catalogue.ExcludedLanguages: {"eng", "nob"},
		catalogue.IncludedEducationLevels: accessLevels, catalogue.ExcludedEducationLevels: accessLevels,
		catalogue.ExcludedPlaybackSources: {"HLS", "YOUTUBE"}, catalogue.IncludeAllPrivateChannels: {},
		catalogue.IncludedDistributionMethods: {"STREAM", "DOWNLOAD"},
	}
	kinds := rapid.SliceOfNDistinct(rapid.SampledFrom(catalogue.RuleTypes()), 0, 3, rapid.ID[catalogue.RuleType]).Draw(t, "rules")
	if every := catalogue.IncludeAllPrivateChannels; !slices.Contains(kinds, every) && rapid.Bool().Draw(t, "all private") {
		kinds = append(kinds, every)
	}
	var rules []catalogue.AccessRule
	for _, kind := range kinds {
		of, special := values[kind]
		if !special {
			of = ids
		}
		rules = append(rules, catalogue.AccessRule{Type: kind, Values: drawSome(t, fmt.Sprint(kind), of, 1)})
	}
	access, err := catalogue.CompileRules(rules)
	if err != nil {
		t.Fatal(err)
	}
	return access
}

// holdsTraits evaluates a condition on traits.
func holdsTraits(t *rapid.T, condition string, traits []string) bool {
	has := func(token string) bool { return slices.Contains(traits, token) }
	for part := range strings.SplitSeq(condition, " && ") {
		if part == nothing {
			return false
		}
		list, ok := strings.CutPrefix(part, fieldTraits+":")
		if !ok {
			t.Fatalf("not on traits: %s", part)
		}
		excluded, excludes := strings.CutPrefix(list, "!=")
		tokens := strings.Split(strings.Trim(excluded, "[]"), ",")
		if slices.ContainsFunc(tokens, has) == excludes {
			return false
		}
	}
	return true
}
