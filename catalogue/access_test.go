package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// ruleID returns a valid ID that ends in n.
func ruleID(n int) string { return fmt.Sprintf("%024x", n) }

// ruleIDs returns n consecutive IDs that start at from.
func ruleIDs(from, n int) (list []string) {
	for i := range n {
		list = append(list, ruleID(from+i))
	}
	return list
}

func rule(kind catalogue.RuleType, values ...string) catalogue.AccessRule {
	return catalogue.AccessRule{Type: kind, Values: values}
}

func compiled(t testing.TB, rules ...catalogue.AccessRule) catalogue.Access {
	t.Helper()
	access, err := catalogue.CompileRules(rules)
	if err != nil {
		t.Fatal(err)
	}
	return access
}

// oneOfEach returns valid values for each type of rule.
func oneOfEach() map[catalogue.RuleType][]string {
	return map[catalogue.RuleType][]string{
		catalogue.IncludedVideos: {ruleID(1)}, catalogue.IncludedCollections: {ruleID(1)}, catalogue.IncludedChannels: {ruleID(1)}, catalogue.IncludedPrivateChannels: {ruleID(1)},
		catalogue.IncludeAllPrivateChannels: nil, catalogue.IncludedVideoTypes: {"NEWS"}, catalogue.IncludedSubjects: {ruleID(1)},
		catalogue.IncludedThemaCategories: {"JN"}, catalogue.IncludedEducationLevels: {"4CA"},
		catalogue.IncludedDistributionMethods: {"DOWNLOAD"},
		catalogue.ExcludedVideos:              {ruleID(1)}, catalogue.ExcludedChannels: {ruleID(1)}, catalogue.ExcludedVideoTypes: {"NEWS"},
		catalogue.ExcludedLanguages: {"eng"}, catalogue.ExcludedPlaybackSources: {"YOUTUBE"},
		catalogue.ExcludedEducationLevels: {"4CA"}, catalogue.ExcludedContentWarnings: {ruleID(1)},
	}
}

func TestCompileRules(t *testing.T) {
	var all []catalogue.AccessRule
	for _, kind := range catalogue.RuleTypes() {
		all = append(all, rule(kind, oneOfEach()[kind]...))
	}
	access := compiled(t, all...)
	want := catalogue.Rules{
		Videos: []catalogue.ID{catalogue.ID(ruleID(1))}, Collections: []catalogue.ID{catalogue.ID(ruleID(1))}, Channels: []catalogue.ID{catalogue.ID(ruleID(1))},
		Types: []catalogue.VideoType{catalogue.News}, Subjects: []catalogue.ID{catalogue.ID(ruleID(1))},
		Categories: []string{"JN"}, EducationLevels: []string{"4CA"}, DistributionMethods: []catalogue.DistributionMethod{"DOWNLOAD"},
		ExcludedVideos: []catalogue.ID{catalogue.ID(ruleID(1))}, ExcludedChannels: []catalogue.ID{catalogue.ID(ruleID(1))},
		ExcludedTypes: []catalogue.VideoType{catalogue.News}, ExcludedLanguages: []catalogue.Language{"eng"},
		ExcludedProviders: []catalogue.PlaybackProvider{catalogue.ProviderYouTube}, ExcludedEducationLevels: []string{"4CA"},
		ExcludedWarnings: []catalogue.ID{catalogue.ID(ruleID(1))}, OpenChannels: []catalogue.ID{catalogue.ID(ruleID(1))},
	}
	if diff := cmp.Diff(&want, access.Rules, ignoringFingerprint()); diff != "" || !access.PrivateChannels {
		t.Errorf("private channels %t, rules (-want +got):\n%s", access.PrivateChannels, diff)
	}
	messy := compiled(t, rule(catalogue.ExcludedVideos, ruleID(3), ruleID(1), ruleID(3), ruleID(2)), rule(catalogue.ExcludedLanguages, "EN", "eng"))
	if got, want := messy.Rules.ExcludedVideos, []catalogue.ID{catalogue.ID(ruleID(1)), catalogue.ID(ruleID(2)), catalogue.ID(ruleID(3))}; !slices.Equal(got, want) {
		t.Errorf("got %v, want each once in order", got)
	}
	if got := messy.Rules.ExcludedLanguages; !slices.Equal(got, []catalogue.Language{"eng"}) {
		t.Errorf("two codes of one language are %v", got)
	}
	for name, rules := range map[string][]catalogue.AccessRule{"nil": nil, "empty": {}} {
		if access := compiled(t, rules...); access != (catalogue.Access{}) {
			t.Errorf("%s list: got %+v", name, access)
		}
	}
	if access := compiled(t, rule(catalogue.IncludeAllPrivateChannels)); access != (catalogue.Access{PrivateChannels: true}) {
		t.Errorf("private channels alone: got %+v", access)
	}
}

func ignoringFingerprint() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".fingerprint" }, cmp.Ignore())
}

func TestCompileRulesFaults(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for name, c := range map[string]struct {
		rules []catalogue.AccessRule
		want  []string // the field, then texts that the problem must contain
	}{
		"no type":            {[]catalogue.AccessRule{{}}, []string{"rules[0].type", `"" is not one of`}},
		"unknown type":       {[]catalogue.AccessRule{rule("IncludedVideoVoiceTypes", "WITH_VOICE")}, []string{"rules[0].type", `"IncludedVideoVoiceTypes"`}},
		"type in a case":     {[]catalogue.AccessRule{rule("includedvideos", ruleID(1))}, []string{"rules[0].type", "includedvideos"}},
		"duplicate type":     {[]catalogue.AccessRule{rule(catalogue.ExcludedVideos, ruleID(1)), rule(catalogue.ExcludedVideos, ruleID(2))}, []string{"rules[1].type", "rules[0] already has type ExcludedVideos"}},
		"unexpected value":   {[]catalogue.AccessRule{rule(catalogue.IncludeAllPrivateChannels, "x")}, []string{"rules[0].values", "takes no values"}},
		"no value":           {[]catalogue.AccessRule{rule(catalogue.IncludedVideos)}, []string{"rules[0].values", "needs at least one"}},
		"video":              {[]catalogue.AccessRule{rule(catalogue.IncludedVideos, ruleID(1), "x1")}, []string{"rules[0].values[1]", `"x1"`}},
		"collection":         {[]catalogue.AccessRule{rule(catalogue.IncludedCollections, "saved")}, []string{"rules[0].values[0]", "saved"}},
		"collections":        {[]catalogue.AccessRule{rule(catalogue.IncludedCollections, ruleIDs(0, catalogue.MaxRuleCollections+1)...)}, []string{"rules[0].values", "101 collections"}},
		"channel":            {[]catalogue.AccessRule{rule(catalogue.IncludedChannels, strings.ToUpper(ruleID(10)))}, []string{"rules[0].values[0]", "lower-case hexadecimal"}},
		"private channel":    {[]catalogue.AccessRule{rule(catalogue.IncludedPrivateChannels, "")}, []string{"rules[0].values[0]", `""`}},
		"video type":         {[]catalogue.AccessRule{rule(catalogue.IncludedVideoTypes, "FILM")}, []string{"rules[0].values[0]", "FILM"}},
		"subject":            {[]catalogue.AccessRule{rule(catalogue.IncludedSubjects, "maths")}, []string{"rules[0].values[0]", "maths"}},
		"category":           {[]catalogue.AccessRule{rule(catalogue.IncludedThemaCategories, "jn")}, []string{"rules[0].values[0]", `"jn" is not a Thema code`}},
		"empty category":     {[]catalogue.AccessRule{rule(catalogue.IncludedThemaCategories, "")}, []string{"rules[0].values[0]", "Thema code"}},
		"level":              {[]catalogue.AccessRule{rule(catalogue.IncludedEducationLevels, " ")}, []string{"rules[0].values[0]", "education level"}},
		"method":             {[]catalogue.AccessRule{rule(catalogue.IncludedDistributionMethods, "STREAM", "DVD")}, []string{"rules[0].values[1]", `"DVD" is not one of STREAM, DOWNLOAD`}},
		"no video":           {[]catalogue.AccessRule{rule(catalogue.ExcludedVideos, "x2")}, []string{"rules[0].values[0]", "x2"}},
		"no channel":         {[]catalogue.AccessRule{rule(catalogue.ExcludedChannels, "x3")}, []string{"rules[0].values[0]", "x3"}},
		"no video type":      {[]catalogue.AccessRule{rule(catalogue.ExcludedVideoTypes, "FILM")}, []string{"rules[0].values[0]", "FILM"}},
		"language":           {[]catalogue.AccessRule{rule(catalogue.ExcludedLanguages, "xx")}, []string{"rules[0].values[0]", "xx"}},
		"source":             {[]catalogue.AccessRule{rule(catalogue.ExcludedPlaybackSources, "VIMEO")}, []string{"rules[0].values[0]", "VIMEO"}},
		"no level":           {[]catalogue.AccessRule{rule(catalogue.ExcludedEducationLevels, "\xff")}, []string{"rules[0].values[0]", "education level"}},
		"warning":            {[]catalogue.AccessRule{rule(catalogue.ExcludedContentWarnings, "blood")}, []string{"rules[0].values[0]", "blood"}},
		"very long warning":  {[]catalogue.AccessRule{rule(catalogue.ExcludedContentWarnings, long)}, []string{"rules[0].values[0]", "…"}},
		"very long type":     {[]catalogue.AccessRule{rule(catalogue.IncludedVideoTypes, long)}, []string{"rules[0].values[0]", "…"}},
		"very long language": {[]catalogue.AccessRule{rule(catalogue.ExcludedLanguages, long)}, []string{"rules[0].values[0]", "…"}},
		"several": {
			[]catalogue.AccessRule{rule(catalogue.IncludedVideos, "a", ruleID(1), "b"), rule("None")},
			[]string{"rules[0].values[0]", "a", "rules[0].values[2]", "b", "rules[1].type", "None"},
		},
	} {
		access, err := catalogue.CompileRules(c.rules)
		var faults fault.FieldErrors
		if !errors.As(err, &faults) || len(faults) != len(c.want)/2 || access != (catalogue.Access{}) {
			t.Errorf("%s: got %v with %+v", name, err, access)
			continue
		}
		for i, problem := range faults {
			if problem.Field != c.want[2*i] || !strings.Contains(problem.Problem, c.want[2*i+1]) || len(problem.Problem) > 600 {
				t.Errorf("%s: fault %d is %s: %s", name, i, problem.Field, problem.Problem)
			}
		}
	}
}

func TestMaxRuleValues(t *testing.T) {
	most := []catalogue.AccessRule{
		rule(catalogue.ExcludedVideos, ruleIDs(0, catalogue.MaxRuleValues-1)...), rule(catalogue.ExcludedChannels, ruleIDs(0, 1)...),
	}
	if _, err := catalogue.CompileRules(most); err != nil {
		t.Errorf("as many as may be: %v", err)
	}
	most[1].Values = ruleIDs(0, 2)
	_, err := catalogue.CompileRules(most)
	var faults fault.FieldErrors
	if !errors.As(err, &faults) || len(faults) != 1 || faults[0].Field != "rules" || !strings.Contains(faults[0].Problem, "5001") {
		t.Errorf("one more: %v", err)
	}
}

func TestWithCollections(t *testing.T) {
	one, two, three := catalogue.ID(ruleID(1)), catalogue.ID(ruleID(2)), catalogue.ID(ruleID(3))
	named := compiled(t, rule(catalogue.IncludedCollections, ruleID(1), ruleID(2)))
	if named.Rules.Videos == nil || named.Rules.Passes(one, &catalogue.Traits{}) {
		t.Error("a collection opens videos before anybody said which it holds")
	}
	filled, complete := named.WithCollections(map[catalogue.ID][]catalogue.ID{one: {three, two}, two: {two}, three: {one}})
	if want := []catalogue.ID{two, three}; !complete || !slices.Equal(filled.Rules.Videos, want) {
		t.Errorf("complete: %t, got %v, want %v", complete, filled.Rules.Videos, want)
	}
	if len(named.Rules.Videos) > 0 || named.Fingerprint() == filled.Fingerprint() {
		t.Error("the access that it was made of changed, or goes by the same name")
	}
	empty, _ := named.WithCollections(nil)
	if empty.Rules.Videos == nil || empty.Rules.Passes(two, &catalogue.Traits{}) {
		t.Error("collections that are gone open videos")
	}

	long := make([]catalogue.ID, catalogue.MaxRuleValues)
	for i := range long {
		long[i] = catalogue.ID(ruleID(i))
	}
	filled, complete = named.WithCollections(map[catalogue.ID][]catalogue.ID{one: long})
	if !complete || len(filled.Rules.Videos) != catalogue.MaxRuleValues {
		t.Errorf("as many as may be: complete %t, %d videos", complete, len(filled.Rules.Videos))
	}
	last := catalogue.ID(ruleID(catalogue.MaxRuleValues))
	filled, complete = named.WithCollections(map[catalogue.ID][]catalogue.ID{one: long, two: {last}})
	if complete || len(filled.Rules.Videos) != catalogue.MaxRuleValues || filled.Rules.Passes(last, &catalogue.Traits{}) {
		t.Errorf("one more: complete %t, %d videos", complete, len(filled.Rules.Videos))
	}
}

func TestFingerprint(t *testing.T) {
	same := func(name string, a, b catalogue.Access) {
		if a.Fingerprint() != b.Fingerprint() {
			t.Errorf("%s: %s and %s", name, a.Fingerprint(), b.Fingerprint())
		}
	}
	same("order and repetition of values",
		compiled(t, rule(catalogue.ExcludedVideos, ruleID(1), ruleID(2))), compiled(t, rule(catalogue.ExcludedVideos, ruleID(2), ruleID(1), ruleID(2))))
	same("order of rules",
		compiled(t, rule(catalogue.ExcludedVideos, ruleID(1)), rule(catalogue.IncludeAllPrivateChannels), rule(catalogue.ExcludedLanguages, "eng")),
		compiled(t, rule(catalogue.ExcludedLanguages, "en"), rule(catalogue.ExcludedVideos, ruleID(1)), rule(catalogue.IncludeAllPrivateChannels)))
	same("no rules", compiled(t), catalogue.Access{})

	others := map[string]catalogue.Access{"open": {}, "all": {PrivateChannels: true}}
	for _, kind := range catalogue.RuleTypes() {
		values := oneOfEach()[kind]
		if values == nil {
			continue
		}
		others[string(kind)] = compiled(t, rule(kind, values...))
		others[string(kind)+" and all private channels"] = compiled(t, rule(kind, values...), rule(catalogue.IncludeAllPrivateChannels))
		others[string(kind)+" and another"] = compiled(t, rule(kind, append(values, another(kind))...))
	}
	met := map[string]string{}
	for name, access := range others {
		fingerprint := access.Fingerprint()
		if met[fingerprint] != "" {
			t.Errorf("%s and %s are both %s", name, met[fingerprint], fingerprint)
		}
		met[fingerprint] = name
		if strings.Trim(fingerprint, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || len(fingerprint) > 40 {
			t.Errorf("%s: %q is not short and printable", name, fingerprint)
		}
	}
}

// another returns a second valid value for a type of rule.
func another(kind catalogue.RuleType) string {
	switch kind {
	case catalogue.IncludedVideoTypes, catalogue.ExcludedVideoTypes:
		return "STOCK"
	case catalogue.IncludedThemaCategories:
		return "YP"
	case catalogue.ExcludedLanguages:
		return "nob"
	case catalogue.ExcludedPlaybackSources:
		return "HLS"
	case catalogue.IncludedDistributionMethods:
		return "STREAM"
	}
	return ruleID(2)
}

// FuzzCompileRules checks that CompileRules either compiles rules or names their fault, that compiled lists are sorted,
// and that equivalent rules compile to the same result.
func FuzzCompileRules(f *testing.F) {
	for _, kind := range catalogue.RuleTypes() {
		seed, _ := json.Marshal([]catalogue.AccessRule{rule(kind, oneOfEach()[kind]...), rule(catalogue.ExcludedVideos, ruleID(2), ruleID(1), ruleID(2))})
		f.Add(seed)
	}
	f.Add([]byte(`[{"type":"ExcludedLanguages","values":["EN","eng","\ufffd"]},{"type":"IncludeAllPrivateChannels","values":[]}]`))
	f.Add([]byte(`[{}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var rules []catalogue.AccessRule
		if json.Unmarshal(text, &rules) != nil {
			t.Skip()
		}
		access, err := catalogue.CompileRules(rules)
		if err != nil {
			var faults fault.FieldErrors
			if !errors.As(err, &faults) || len(faults) == 0 || access != (catalogue.Access{}) {
				t.Fatalf("%v with %+v", err, access)
			}
			for _, problem := range faults {
				if !strings.HasPrefix(problem.Field, "rules") || problem.Problem == "" {
					t.Fatalf("fault %+v", problem)
				}
			}
			return
		}
		if r := access.Rules; r != nil {
			inOrder := slices.IsSorted(r.Videos) && slices.IsSorted(r.ExcludedVideos) && slices.IsSorted(r.Categories) &&
				slices.IsSorted(r.ExcludedLanguages) && slices.IsSorted(r.EducationLevels) && slices.IsSorted(r.OpenChannels)
			if !inOrder {
				t.Fatalf("not in order: %+v", r)
			}
		}
		slices.Reverse(rules)
		for _, rule := range rules {
			slices.Reverse(rule.Values)
		}
		again, err := catalogue.CompileRules(rules)
		if err != nil || again.Fingerprint() != access.Fingerprint() {
			t.Fatalf("turned round: %s and %s, %v", access.Fingerprint(), again.Fingerprint(), err)
		}
	})
}
