package catalogue

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// AccessRule is one rule of a content package, as an operator writes it.
type AccessRule struct {
	Type RuleType `json:"type"`
	// Values are IDs, codes or names, after the type; none for IncludeAllPrivateChannels, at least one
	// for every other.
	Values []string `json:"values,omitempty"`
}

// RuleType says what the values of an AccessRule are and what it does with them.
type RuleType string

// The types of rules: those that the catalogue's data can express.
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

// RuleTypes lists the types of rules: what includes, then what excludes.
func RuleTypes() []RuleType {
	return []RuleType{
		IncludedVideos, IncludedCollections, IncludedChannels, IncludedPrivateChannels, IncludeAllPrivateChannels,
		IncludedVideoTypes, IncludedSubjects, IncludedThemaCategories, IncludedEducationLevels,
		IncludedDistributionMethods,
		ExcludedVideos, ExcludedChannels, ExcludedVideoTypes, ExcludedLanguages, ExcludedPlaybackSources,
		ExcludedEducationLevels, ExcludedContentWarnings,
	}
}

// MaxRuleValues is the most values that the rules of one content package may have in all: they go along
// with every search.
const MaxRuleValues = 5000

// MaxRuleCollections is the most collections that one rule may name.
const MaxRuleCollections = 100

// CompileRules makes what a caller of an account with these rules may see. A list without rules opens
// everything but private channels. IncludedCollections opens no video yet: Access.WithCollections says which
// they hold. The error is a FieldErrors that names each fault as rules[i] or
// rules[i].values[j].
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

// WithCollections is the access with the videos of the collections that its rules name, by the collections'
// IDs. Of more than MaxRuleValues videos in all the first are taken, in the order of the collections' IDs and
// of each list, and complete is false: what the rest holds stays hidden.
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
		c.faults.Add(field+".type", "%q is not one of %v", Shorten(string(rule.Type)), RuleTypes())
		return
	case again:
		c.faults.Add(field+".type", "rules[%d] is of type %s already; one rule takes all values", first, rule.Type)
		return
	case rule.Type == IncludeAllPrivateChannels && len(rule.Values) > 0:
		c.faults.Add(field+".values", "%s takes none", rule.Type)
		return
	case rule.Type != IncludeAllPrivateChannels && len(rule.Values) == 0:
		c.faults.Add(field+".values", "%s needs at least one", rule.Type)
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

// ruleValues reads the values of a rule; what is no value of its kind is a fault.
func ruleValues[T cmp.Ordered](c *ruleCompiler, field string, rule AccessRule, parse func(string) (T, error)) []T {
	list := make([]T, 0, len(rule.Values))
	for i, text := range rule.Values {
		at := fmt.Sprintf("%s.values[%d]", field, i)
		if len(text) > MaxNameLength { // nothing that a rule may name is as long
			c.faults.Add(at, "%q is too long", Shorten(text))
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
	return "", fmt.Errorf("%q is not an id of %d lower-case hexadecimal characters", Shorten(text), IDLength)
}

func parseThema(text string) (string, error) {
	var f Faults
	if f.thema("", text); f.List() != nil {
		return "", fmt.Errorf("%q is not a Thema code", Shorten(text))
	}
	return text, nil
}

func parseLevelCode(text string) (string, error) {
	var f Faults
	if f.Text("", text, 1, MaxNameLength); f.List() != nil {
		return "", fmt.Errorf("%q is not the code of an education level", Shorten(text))
	}
	return text, nil
}

func parseProvider(text string) (PlaybackProvider, error) {
	return parseListed("playback source", text, PlaybackProviders())
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
