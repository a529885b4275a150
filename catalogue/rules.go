package catalogue

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/fault"
)

// AccessRule is a rule of a content package as an operator writes it.
type AccessRule struct {
	Type RuleType `json:"type"`
	// Values are IDs, codes or names, depending on the type. IncludeAllPrivateChannels has none; every other type
	// needs at least one.
	Values []string `json:"values,omitempty"`
}

// RuleType determines the values and the effect of an AccessRule.
type RuleType string

// The rule types.
const (
	IncludedVideos              RuleType = "IncludedVideos"
	IncludedCollections         RuleType = "IncludedCollections"
	IncludedChannels            RuleType = "IncludedChannels"
	IncludedPrivateChannels     RuleType = "IncludedPrivateChannels"
	IncludeAllPrivateChannels   RuleType = "IncludeAllPrivateChannels"
	IncludedVideoTypes          RuleType = "IncludedVideoTypes"
	IncludedSubjects            RuleType = "IncludedSubjects"
	IncludedThemaCategories     RuleType = "IncludedThemaCategories"
	IncludedEducationLevels     RuleType = "IncludedEducationLevels"
	IncludedDistributionMethods RuleType = "IncludedDistributionMethods"
	ExcludedVideos              RuleType = "ExcludedVideos"
	ExcludedChannels            RuleType = "ExcludedChannels"
	ExcludedVideoTypes          RuleType = "ExcludedVideoTypes"
	ExcludedLanguages           RuleType = "ExcludedLanguages"
	ExcludedPlaybackSources     RuleType = "ExcludedPlaybackSources"
	ExcludedEducationLevels     RuleType = "ExcludedEducationLevels"
	ExcludedContentWarnings     RuleType = "ExcludedContentWarnings"
)

// RuleTypes returns the rule types, inclusions first.
func RuleTypes() []RuleType {
	return []RuleType{
		IncludedVideos, IncludedCollections, IncludedChannels, IncludedPrivateChannels, IncludeAllPrivateChannels,
		IncludedVideoTypes, IncludedSubjects, IncludedThemaCategories, IncludedEducationLevels,
		IncludedDistributionMethods,
		ExcludedVideos, ExcludedChannels, ExcludedVideoTypes, ExcludedLanguages, ExcludedPlaybackSources,
		ExcludedEducationLevels, ExcludedContentWarnings,
	}
}

// MaxRuleValues is the maximum number of values in all rules of a content package. They are part of every search.
const MaxRuleValues = 5000

// MaxRuleCollections is the maximum number of collections in a rule.
const MaxRuleCollections = 100

// CompileRules returns the access of accounts with these rules. An empty list grants access to everything except
// private channels. IncludedCollections grants access to no video until Access.WithCollections adds their contents.
// The error is a fault.FieldErrors whose fields are rules[i] or rules[i].values[j].
func CompileRules(list []AccessRule) (Access, error) {
	c := &ruleCompiler{rules: &Rules{}, at: map[RuleType]int{}}
	for i, rule := range list {
		c.add(i, rule)
	}
	if c.values > MaxRuleValues {
		c.faults.Add("rules", "have %d values in all, at most %d are allowed", c.values, MaxRuleValues)
	}
	if c.faults.List() != nil {
		return Access{}, c.faults.List()
	}
	access := Access{PrivateChannels: c.allPrivate}
	if len(list) > 0 && (len(list) > 1 || !c.allPrivate) {
		if c.rules.Collections != nil && c.rules.Videos == nil {
			c.rules.Videos = []ID{}
		}
		access.Rules = c.rules.sealed()
	}
	return access, nil
}

// WithCollections returns the access with the videos of the collections named by its rules, keyed by collection ID.
// If there are more than MaxRuleValues videos in total, it takes the first ones, in order of collection ID and
// position, and complete is false; the other videos stay hidden.
func (a Access) WithCollections(held map[ID][]ID) (filled Access, complete bool) {
	if a.Rules == nil || a.Rules.Collections == nil {
		return a, true
	}
	rules := *a.Rules
	rules.Videos = slices.Clone(rules.Videos)
	for _, collection := range rules.Collections {
		rules.Videos = append(rules.Videos, held[collection]...)
	}
	complete = len(rules.Videos) <= MaxRuleValues
	rules.Videos = rules.Videos[:min(len(rules.Videos), MaxRuleValues)]
	slices.Sort(rules.Videos)
	rules.Videos = slices.Compact(rules.Videos)
	a.Rules = rules.sealed()
	return a, complete
}

type ruleCompiler struct {
	rules      *Rules
	allPrivate bool
	values     int
	at         map[RuleType]int
	faults     Faults
}

func (c *ruleCompiler) add(i int, rule AccessRule) {
	field := fmt.Sprintf("rules[%d]", i)
	first, again := c.at[rule.Type]
	switch {
	case !slices.Contains(RuleTypes(), rule.Type):
		Listed(&c.faults, field+".type", rule.Type, RuleTypes())
		return
	case again:
		c.faults.Add(field+".type", "rules[%d] already has type %s; put all values into one rule", first, rule.Type)
		return
	case rule.Type == IncludeAllPrivateChannels && len(rule.Values) > 0:
		c.faults.Add(field+".values", "%s takes no values", rule.Type)
		return
	case rule.Type != IncludeAllPrivateChannels && len(rule.Values) == 0:
		c.faults.Add(field+".values", "%s needs at least one value", rule.Type)
		return
	case rule.Type == IncludedCollections && len(rule.Values) > MaxRuleCollections:
		c.faults.Add(field+".values", "has %d collections, at most %d are allowed", len(rule.Values), MaxRuleCollections)
		return
	}
	c.at[rule.Type] = i
	c.values += len(rule.Values)
	c.compile(field, rule)
}

func (c *ruleCompiler) compile(field string, rule AccessRule) {
	r := c.rules
	switch rule.Type {
	case IncludedVideos:
		r.Videos = ruleValues(c, field, rule, parseID)
	case IncludedCollections:
		r.Collections = ruleValues(c, field, rule, parseID)
	case IncludedChannels:
		r.Channels = ruleValues(c, field, rule, parseID)
	case IncludedPrivateChannels:
		r.OpenChannels = ruleValues(c, field, rule, parseID)
	case IncludeAllPrivateChannels:
		c.allPrivate = true
	case IncludedVideoTypes:
		r.Types = ruleValues(c, field, rule, ParseVideoType)
	case IncludedSubjects:
		r.Subjects = ruleValues(c, field, rule, parseID)
	case IncludedThemaCategories:
		r.Categories = ruleValues(c, field, rule, parseThema)
	case IncludedEducationLevels:
		r.EducationLevels = ruleValues(c, field, rule, parseLevelCode)
	case IncludedDistributionMethods:
		r.DistributionMethods = ruleValues(c, field, rule, ParseDistributionMethod)
	case ExcludedVideos:
		r.ExcludedVideos = ruleValues(c, field, rule, parseID)
	case ExcludedChannels:
		r.ExcludedChannels = ruleValues(c, field, rule, parseID)
	case ExcludedVideoTypes:
		r.ExcludedTypes = ruleValues(c, field, rule, ParseVideoType)
	case ExcludedLanguages:
		r.ExcludedLanguages = ruleValues(c, field, rule, ParseLanguage)
	case ExcludedPlaybackSources:
		r.ExcludedProviders = ruleValues(c, field, rule, parseProvider)
	case ExcludedEducationLevels:
		r.ExcludedEducationLevels = ruleValues(c, field, rule, parseLevelCode)
	case ExcludedContentWarnings:
		r.ExcludedWarnings = ruleValues(c, field, rule, parseID)
	}
}

// ruleValues parses the values of a rule and reports invalid ones.
func ruleValues[T cmp.Ordered](c *ruleCompiler, field string, rule AccessRule, parse func(string) (T, error)) []T {
	list := make([]T, 0, len(rule.Values))
	for i, text := range rule.Values {
		at := fmt.Sprintf("%s.values[%d]", field, i)
		if len(text) > MaxNameLength { // nothing that a rule may name is as long
			c.faults.Add(at, "%q is too long", fault.Shorten(text))
			continue
		}
		value, err := parse(text)
		if err != nil {
			c.faults.Add(at, "%s", err)
			continue
		}
		list = append(list, value)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func parseID(text string) (ID, error) {
	if id := ID(text); id.Valid() {
		return id, nil
	}
	return "", fmt.Errorf("%q is not an id of %d lower-case hexadecimal characters", fault.Shorten(text), IDLength)
}

func parseThema(text string) (string, error) {
	var f Faults
	if f.thema("", text); f.List() != nil {
		return "", fmt.Errorf("%q is not a Thema code", fault.Shorten(text))
	}
	return text, nil
}

func parseLevelCode(text string) (string, error) {
	var f Faults
	if f.Text("", text, 1, MaxNameLength); f.List() != nil {
		return "", fmt.Errorf("%q is not the code of an education level", fault.Shorten(text))
	}
	return text, nil
}

func parseProvider(text string) (PlaybackProvider, error) {
	return parseListed(text, PlaybackProviders())
}

func (r *Rules) sealed() *Rules {
	encoded, err := json.Marshal(r)
	if err != nil { // lists of texts always encode
		panic(err)
	}
	sum := sha256.Sum256(encoded)
	r.fingerprint = hex.EncodeToString(sum[:16])
	return r
}
