package accesstest

import (
	"math/rand/v2"

	"github.com/filmstrip/filmstrip/catalogue"
)

// drawPackages draws the content packages for a catalogue; nil is no package.
func drawPackages(random *rand.Rand) [][]catalogue.AccessRule {
	packages := [][]catalogue.AccessRule{nil, {}, {{Type: catalogue.IncludeAllPrivateChannels}}}
	for range packagesPerCatalogue {
		packages = append(packages, drawPackage(random))
	}
	// Each type of rule on its own, a few at a time.
	types := catalogue.RuleTypes()
	for range 3 {
		packages = append(packages, []catalogue.AccessRule{drawRule(random, one(random, types))})
	}
	return packages
}

func drawPackage(random *rand.Rand) []catalogue.AccessRule {
	rules := []catalogue.AccessRule{}
	for _, kind := range catalogue.RuleTypes() {
		if chance(random, 0.2) {
			rules = append(rules, drawRule(random, kind))
		}
	}
	return rules
}

func drawRule(random *rand.Rand, kind catalogue.RuleType) catalogue.AccessRule {
	pool, share := valuesOf(kind)
	if pool == nil {
		return catalogue.AccessRule{Type: kind}
	}
	values := some(random, pool, share)
	if len(values) == 0 {
		values = []string{one(random, pool)}
	}
	return catalogue.AccessRule{Type: kind, Values: values}
}

// unknown is the ID of nothing; rules may name missing items.
const unknown = "ffffffffffffffffffffffff"

// valuesOf lists the values that a rule of a type may name, and the share to draw: large for rules that include, small
// for rules that exclude, so that packages rarely show nothing or everything.
func valuesOf(kind catalogue.RuleType) (pool []string, share float64) {
	const much, little = 0.6, 0.2
	switch kind {
	case catalogue.IncludedVideos:
		return append(texts(videoIDs), unknown), much
	case catalogue.IncludedCollections:
		return append(texts(collectionIDs), unknown), much
	case catalogue.ExcludedVideos:
		return append(texts(videoIDs), unknown), little
	case catalogue.IncludedChannels:
		return append(texts(channelIDs), unknown), much
	case catalogue.IncludedPrivateChannels:
		return texts(channelIDs), much
	case catalogue.ExcludedChannels:
		return texts(channelIDs), little
	case catalogue.IncludedVideoTypes:
		return texts(catalogue.VideoTypes()), much
	case catalogue.ExcludedVideoTypes:
		return texts(catalogue.VideoTypes()), little
	case catalogue.IncludedSubjects:
		return append(texts(subjectIDs), unknown), much
	case catalogue.IncludedThemaCategories:
		return append(texts(themaCodes), "JNAX", "Z"), much
	case catalogue.IncludedEducationLevels:
		return append(texts(levelCodes), "4CZ"), much
	case catalogue.IncludedDistributionMethods:
		return texts(catalogue.DistributionMethods()), much
	case catalogue.ExcludedEducationLevels:
		return texts(levelCodes), little
	case catalogue.ExcludedLanguages:
		return texts(languageCodes), little
	case catalogue.ExcludedPlaybackSources:
		return texts(catalogue.PlaybackProviders()), little
	case catalogue.ExcludedContentWarnings:
		return texts(warningIDs), little
	}
	return nil, 0
}

func texts[T ~string](values []T) []string {
	return mapped(values, func(value T) string { return string(value) })
}
