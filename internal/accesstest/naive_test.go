package accesstest

import (
	"math/rand/v2"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

const today = catalogue.Date(20_000)

// TestEveryRuleHides: among the drawn packages, rules of each type hide some videos but not all; otherwise the test
// would prove little.
func TestEveryRuleHides(t *testing.T) {
	hides, leaves := map[catalogue.RuleType]bool{}, map[catalogue.RuleType]bool{}
	for round := range uint64(20) {
		random := rand.New(rand.NewPCG(1, round))
		w := drawWorld(random, today)
		open := len(w.through([]catalogue.AccessRule{{Type: catalogue.IncludeAllPrivateChannels}}).videos)
		for _, kind := range catalogue.RuleTypes() {
			seen := len(w.through([]catalogue.AccessRule{drawRule(random, kind)}).videos)
			hides[kind] = hides[kind] || seen < open
			leaves[kind] = leaves[kind] || seen > 0
		}
	}
	for _, kind := range catalogue.RuleTypes() {
		if hides[kind] != (kind != catalogue.IncludeAllPrivateChannels) || !leaves[kind] {
			t.Errorf("%s hides: %v, leaves: %v", kind, hides[kind], leaves[kind])
		}
	}
}

// TestRulesAreValid: an operator may write every drawn rule.
func TestRulesAreValid(t *testing.T) {
	for round := range uint64(20) {
		for _, rules := range drawPackages(rand.New(rand.NewPCG(2, round))) {
			if _, err := catalogue.CompileRules(rules); err != nil {
				t.Errorf("%v: %v", rules, err)
			}
		}
	}
}

// TestNaive checks the naive evaluation against cases worked out by hand.
func TestNaive(t *testing.T) {
	open, private := &catalogue.Channel{Meta: meta(catalogue.KindChannel, 0), Categories: []string{"JN"}, DistributionMethods: catalogue.DistributionMethods()[:1]}, &catalogue.Channel{Meta: meta(catalogue.KindChannel, 1), Private: true}
	french, yesterday := catalogue.Language("fra"), today-1
	video := func(i int, channel *catalogue.Channel) *catalogue.Video {
		return &catalogue.Video{Meta: meta(catalogue.KindVideo, i), ChannelID: channel.ID, Type: catalogue.News, Playback: catalogue.Playback{Provider: catalogue.ProviderHLS}}
	}
	plain, hidden, over, spoken := video(0, open), video(1, private), video(2, open), video(3, open)
	over.AvailableUntil = &yesterday
	spoken.Language, spoken.EducationLevels = &french, []string{"4CA"}
	w := &world{today: today, channels: []*catalogue.Channel{open, private}, videos: []*catalogue.Video{plain, hidden, over, spoken}}
	rule := func(kind catalogue.RuleType, values ...string) catalogue.AccessRule {
		return catalogue.AccessRule{Type: kind, Values: values}
	}
	for name, test := range map[string]struct {
		rules    []catalogue.AccessRule
		videos   []*catalogue.Video
		channels int
	}{
		"none":                         {nil, []*catalogue.Video{plain, spoken}, 1},
		"private ones by name":         {[]catalogue.AccessRule{rule(catalogue.IncludedPrivateChannels, string(private.ID))}, []*catalogue.Video{plain, hidden, spoken}, 2},
		"all private ones":             {[]catalogue.AccessRule{rule(catalogue.IncludeAllPrivateChannels)}, []*catalogue.Video{plain, hidden, spoken}, 2},
		"a private video stays hidden": {[]catalogue.AccessRule{rule(catalogue.IncludedVideos, string(hidden.ID))}, nil, 0},
		"one list or the other":        {[]catalogue.AccessRule{rule(catalogue.IncludedVideos, string(plain.ID)), rule(catalogue.IncludedChannels, unknown)}, []*catalogue.Video{plain}, 1},
		"by an ancestor":               {[]catalogue.AccessRule{rule(catalogue.IncludedThemaCategories, "J")}, []*catalogue.Video{plain, spoken}, 1},
		"not by a descendant":          {[]catalogue.AccessRule{rule(catalogue.IncludedThemaCategories, "JNA")}, nil, 0},
		"by a method of the channel":   {[]catalogue.AccessRule{rule(catalogue.IncludedDistributionMethods, "DOWNLOAD", "STREAM")}, []*catalogue.Video{plain, spoken}, 1},
		"not by another method":        {[]catalogue.AccessRule{rule(catalogue.IncludedDistributionMethods, "DOWNLOAD")}, nil, 0},
		"no method is given": {[]catalogue.AccessRule{
			rule(catalogue.IncludedDistributionMethods, "DOWNLOAD", "STREAM"), rule(catalogue.IncludeAllPrivateChannels),
		}, []*catalogue.Video{plain, spoken}, 1},
		"both of two":               {[]catalogue.AccessRule{rule(catalogue.IncludedVideoTypes, "NEWS"), rule(catalogue.IncludedEducationLevels, "4CA")}, []*catalogue.Video{spoken}, 1},
		"excluding wins":            {[]catalogue.AccessRule{rule(catalogue.IncludedVideos, string(spoken.ID)), rule(catalogue.ExcludedLanguages, "fra")}, nil, 0},
		"an unknown language stays": {[]catalogue.AccessRule{rule(catalogue.ExcludedLanguages, "fra")}, []*catalogue.Video{plain}, 1},
	} {
		seen := w.through(test.rules)
		if len(seen.videos) != len(test.videos) || len(seen.channels) != test.channels {
			t.Errorf("%s: %d videos, %d channels", name, len(seen.videos), len(seen.channels))
		}
		for _, v := range test.videos {
			if !seen.sees(v) {
				t.Errorf("%s: %s is hidden", name, v.Reference)
			}
		}
	}
}
