package searchtest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
)

// access draws the access of a caller. Half of the callers have a content package. It has few rules, because many rules
// leave nothing to compare.
func (d drawer) access() catalogue.Access {
	if d.yes("no content package") {
		return catalogue.Access{PrivateChannels: d.yes("may see private")}
	}
	var rules []catalogue.AccessRule
	for range 1 + d.upTo("more rules", 2) {
		kind := drawOne(d, "rule", catalogue.RuleTypes())
		if !slices.ContainsFunc(rules, func(r catalogue.AccessRule) bool { return r.Type == kind }) {
			rules = append(rules, catalogue.AccessRule{Type: kind, Values: d.ruleValues(kind)})
		}
	}
	return accessBy(rules...)
}

// accessBy returns the access of a caller whose content package has the given rules.
func accessBy(rules ...catalogue.AccessRule) catalogue.Access {
	access, err := catalogue.CompileRules(rules)
	if err != nil {
		panic(err)
	}
	access, _ = access.WithCollections(held)
	return access
}

// heldPool contains the collections that rules may name; the last one does not exist. held maps collections to their
// videos.
var (
	heldPool = []catalogue.ID{collectionID(0), collectionID(1), collectionID(2), collectionID(3)}
	held     = func() map[catalogue.ID][]catalogue.ID {
		held := map[catalogue.ID][]catalogue.ID{}
		for n := range 30 {
			held[heldPool[n%3]] = append(held[heldPool[n%3]], videoID(n))
		}
		return held
	}()
)

// ruleValues draws the values of a rule. Lists of included videos are long, so that they include something. Exclusions
// are few, so that they leave something.
func (d drawer) ruleValues(kind catalogue.RuleType) []string {
	switch kind {
	case catalogue.IncludeAllPrivateChannels:
		return nil
	case catalogue.IncludedVideos, catalogue.ExcludedVideos:
		values := make([]string, 1+d.upTo("more ids", 14))
		for i := range values {
			values[i] = string(videoID(d.upTo("id", 30)))
		}
		return values
	case catalogue.IncludedCollections:
		return ruled(d, heldPool)
	case catalogue.IncludedChannels, catalogue.IncludedPrivateChannels, catalogue.ExcludedChannels:
		return ruled(d, channelPool)
	case catalogue.IncludedVideoTypes, catalogue.ExcludedVideoTypes:
		return ruled(d, catalogue.VideoTypes())
	case catalogue.IncludedSubjects:
		return ruled(d, subjectPool)
	case catalogue.IncludedThemaCategories:
		return ruled(d, categoryPool)
	case catalogue.IncludedEducationLevels, catalogue.ExcludedEducationLevels:
		return ruled(d, levelPool)
	case catalogue.IncludedDistributionMethods:
		return ruled(d, catalogue.DistributionMethods())
	case catalogue.ExcludedLanguages:
		return ruled(d, languagePool[1:])
	case catalogue.ExcludedPlaybackSources:
		return ruled(d, catalogue.PlaybackProviders())
	case catalogue.ExcludedContentWarnings:
		return ruled(d, warningPool)
	}
	panic("no values are known for rules of type " + kind)
}

func ruled[T ~string](d drawer, pool []T) []string {
	var values []string
	for _, value := range rapid.SliceOfN(rapid.SampledFrom(pool), 1, 2).Draw(d.t, "rule values") {
		values = append(values, string(value))
	}
	return values
}
