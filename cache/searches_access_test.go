package cache_test

import (
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// sampleRules returns a rule of each type that has values, with two values each.
func sampleRules() []catalogue.AccessRule {
	ids := []string{"0123456789abcdef01234567", "0123456789abcdef01234568"}
	values := map[catalogue.RuleType][]string{
		catalogue.IncludedVideoTypes:          {"NEWS", "STOCK"},
		catalogue.ExcludedVideoTypes:          {"NEWS", "STOCK"},
		catalogue.IncludedThemaCategories:     {"J", "K"},
		catalogue.ExcludedLanguages:           {"eng", "fra"},
		catalogue.ExcludedPlaybackSources:     {"HLS", "YOUTUBE"},
		catalogue.IncludedDistributionMethods: {"STREAM", "DOWNLOAD"},
	}
	var rules []catalogue.AccessRule
	for _, kind := range catalogue.RuleTypes() {
		if kind == catalogue.IncludeAllPrivateChannels {
			continue
		}
		if values[kind] == nil {
			values[kind] = ids
		}
		rules = append(rules, catalogue.AccessRule{Type: kind, Values: values[kind]})
	}
	return rules
}

// rulesWithout returns the sample rules, in which the rule at place has only its first kept values. If kept is 0, the
// rule is missing.
func rulesWithout(place, kept int) *catalogue.Rules {
	rules := sampleRules()
	if rules[place].Values = rules[place].Values[:kept]; kept == 0 {
		rules = slices.Delete(rules, place, place+1)
	}
	return compiled(rules)
}

func compiled(rules []catalogue.AccessRule) *catalogue.Rules {
	access, err := catalogue.CompileRules(rules)
	if err != nil {
		panic(err)
	}
	return access.Rules
}

// TestEqualRulesShareAnswers checks that callers share answers if their content packages have equal rules, in any order
// and spelling, and only then.
func TestEqualRulesShareAnswers(t *testing.T) {
	_, searches := openSearches(t, cache.SearchOptions{})
	packaged := func(rules ...catalogue.AccessRule) catalogue.Access {
		access, err := catalogue.CompileRules(rules)
		if err != nil {
			t.Fatal(err)
		}
		return access
	}
	news, both := []string{"NEWS"}, []string{"NEWS", "STOCK"}
	shared := [][]catalogue.Access{
		{{}, packaged()},
		{{PrivateChannels: true}, packaged(catalogue.AccessRule{Type: catalogue.IncludeAllPrivateChannels})},
		{
			packaged(catalogue.AccessRule{Type: catalogue.IncludedVideoTypes, Values: both}),
			packaged(catalogue.AccessRule{Type: catalogue.IncludedVideoTypes, Values: []string{"stock", "news", "NEWS"}}),
		},
		{packaged(catalogue.AccessRule{Type: catalogue.IncludedVideoTypes, Values: news})},
		{packaged(catalogue.AccessRule{Type: catalogue.ExcludedVideoTypes, Values: news})},
		{packaged(catalogue.AccessRule{Type: catalogue.IncludedVideoTypes, Values: news}, catalogue.AccessRule{Type: catalogue.IncludeAllPrivateChannels})},
	}
	seen := map[int]bool{}
	for i, group := range shared {
		answer := total(t, searches, search.Query{Access: group[0]})
		if seen[answer] {
			t.Errorf("group %d gets the answer of another", i)
		}
		seen[answer] = true
		for _, other := range group[1:] {
			if got := total(t, searches, search.Query{Access: other}); got != answer {
				t.Errorf("group %d: equal rules share no answer", i)
			}
		}
	}
}

// TestEqualRulesShareAnswersOfOtherProcesses checks the same for answers that processes share.
func TestEqualRulesShareAnswersOfOtherProcesses(t *testing.T) {
	far := memory.New(memory.Options{})
	asked := func(access catalogue.Access) int64 {
		t.Helper()
		index := &namedIndex{generation: "one"}
		searches := process(t, far, index, 5)
		total(t, searches, search.Query{Access: access})
		if _, err := searches.Matches(t.Context(), search.Text{}, nil, access, 0, 1); err != nil {
			t.Fatal(err)
		}
		_ = searches.Close() // Close writes the pending items.
		return index.searches.Load()
	}
	for _, step := range []struct {
		name   string
		access catalogue.Access
		want   int64
	}{
		{"no rules", catalogue.Access{}, 2},
		{"rules", catalogue.Access{Rules: compiled(sampleRules())}, 2},
		{"the same rules in another process", catalogue.Access{Rules: compiled(sampleRules())}, 0},
		{"other rules", catalogue.Access{Rules: rulesWithout(0, 1)}, 2},
		{"the same rules and private channels", catalogue.Access{PrivateChannels: true, Rules: compiled(sampleRules())}, 2},
		{"no rules again", catalogue.Access{}, 0},
	} {
		if got := asked(step.access); got != step.want {
			t.Errorf("%s: the index was asked %d times, want %d", step.name, got, step.want)
		}
	}
}
