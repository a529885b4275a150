package catalogue

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Access is what a caller may see of the catalogue, beside what nobody sees. The zero value is that of
// an account without a content package: everything that is not private.
type Access struct {
	// PrivateChannels lets the caller see all private channels and their videos.
	PrivateChannels bool
	// Rules are those of the caller's content package; nil: it has none.
	Rules *Rules
}

// Fingerprint is the same for two Accesses that let the same through by the same rules, and for no
// others: a name for answers that were found under one. It is short and printable.
func (a Access) Fingerprint() string {
	kind := "open"
	if a.PrivateChannels {
		kind = "all"
	}
	if a.Rules != nil {
		kind += "-" + a.Rules.fingerprint
	}
	return kind
}

// OpensChannel reports whether the caller may see that a channel exists: it is not private, or opened by
// name or with all others; the rules do not exclude it; and where they allow channels and no single
// videos, it is one of those. It may hold no video that the caller sees all the same.
func (a Access) OpensChannel(channel *Channel) bool {
	if !a.opensPrivate(channel.Private, channel.ID) {
		return false
	}
	r := a.Rules
	return r == nil || !in(r.ExcludedChannels, channel.ID) &&
		(r.Channels == nil || r.Videos != nil || in(r.Channels, channel.ID))
}

func (a Access) opensPrivate(private bool, channel ID) bool {
	return !private || a.PrivateChannels || a.Rules != nil && in(a.Rules.OpenChannels, channel)
}

// Rules are the access rules of a content package, taken apart for evaluation. They are immutable and
// shared. Every list is sorted, holds each value once, and is nil where there is no such rule.
//
// A video passes where the allow-lists Videos and Channels are both nil or one of them holds it, where
// it has a value of each of Types, Subjects, Categories and EducationLevels that is not nil, and where
// no Excluded list holds a value of its own: what is excluded is hidden, whatever includes it. Whether a
// private channel is open is another question, which OpenChannels answers.
type Rules struct {
	Videos, Channels []ID

	Types    []VideoType
	Subjects []ID
	// Categories are Thema codes; a video has one by its own codes and its channel's, and by their
	// ancestors, which are their proper prefixes.
	Categories      []string
	EducationLevels []string

	ExcludedVideos, ExcludedChannels []ID
	ExcludedTypes                    []VideoType
	// ExcludedLanguages hide no video whose language is not known.
	ExcludedLanguages       []Language
	ExcludedProviders       []PlaybackProvider
	ExcludedEducationLevels []string
	ExcludedWarnings        []ID

	// OpenChannels are private channels that are open.
	OpenChannels []ID

	fingerprint string
}

// Traits are what access rules ask of a video. Who changes the slices changes the video.
type Traits struct {
	Type            VideoType
	Channel         ID
	Subjects        []ID
	EducationLevels []string
	// Categories are Thema codes as the video and its channel have them, without their ancestors.
	Categories []string
	Warnings   []ID
	// Language is "" where it is not known.
	Language Language
	YouTube  bool
}

// TraitsOf is what access rules ask of a video in a channel; nil: the channel is not known. It shares the
// video's lists.
func TraitsOf(v *Video, channel *Channel) Traits {
	traits := Traits{
		Type: v.Type, Channel: v.ChannelID, Subjects: v.SubjectIDs, EducationLevels: v.EducationLevels,
		Categories: categoriesOf(v, channel), Warnings: v.ContentWarningIDs,
		YouTube: v.Playback.Provider == ProviderYouTube,
	}
	if v.Language != nil {
		traits.Language = *v.Language
	}
	return traits
}

func categoriesOf(v *Video, channel *Channel) []string {
	codes := slices.Clone(v.Categories)
	if channel != nil {
		codes = append(codes, channel.Categories...)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// Passes reports whether the rules let a video through; nil lets every video through. It does not say
// whether the video's channel is open.
func (r *Rules) Passes(video ID, t *Traits) bool {
	return r == nil || r.allows(video, t) && r.includes(t) && !r.excludes(video, t)
}

func (r *Rules) allows(video ID, t *Traits) bool {
	return r.Videos == nil && r.Channels == nil || in(r.Videos, video) || in(r.Channels, t.Channel)
}

func (r *Rules) includes(t *Traits) bool {
	return (r.Types == nil || in(r.Types, t.Type)) &&
		(r.Subjects == nil || anyIn(r.Subjects, t.Subjects)) &&
		(r.EducationLevels == nil || anyIn(r.EducationLevels, t.EducationLevels)) &&
		(r.Categories == nil || slices.ContainsFunc(t.Categories, r.hasCategory))
}

func (r *Rules) hasCategory(code string) bool {
	return slices.ContainsFunc(r.Categories, func(of string) bool { return strings.HasPrefix(code, of) })
}

func (r *Rules) excludes(video ID, t *Traits) bool {
	return in(r.ExcludedVideos, video) || in(r.ExcludedChannels, t.Channel) || in(r.ExcludedTypes, t.Type) ||
		t.Language != "" && in(r.ExcludedLanguages, t.Language) || in(r.ExcludedProviders, t.provider()) ||
		anyIn(r.ExcludedEducationLevels, t.EducationLevels) || anyIn(r.ExcludedWarnings, t.Warnings)
}

func (t *Traits) provider() PlaybackProvider {
	if t.YouTube {
		return ProviderYouTube
	}
	return ProviderHLS
}

func in[T cmp.Ordered](sorted []T, value T) bool {
	_, found := slices.BinarySearch(sorted, value)
	return found
}

func anyIn[T cmp.Ordered](sorted, values []T) bool {
	return sorted != nil && slices.ContainsFunc(values, func(value T) bool { return in(sorted, value) })
}

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
	IncludedVideos            RuleType = "IncludedVideos"
	IncludedChannels          RuleType = "IncludedChannels"
	IncludedPrivateChannels   RuleType = "IncludedPrivateChannels"
	IncludeAllPrivateChannels RuleType = "IncludeAllPrivateChannels"
	IncludedVideoTypes        RuleType = "IncludedVideoTypes"
	IncludedSubjects          RuleType = "IncludedSubjects"
	IncludedThemaCategories   RuleType = "IncludedThemaCategories"
	IncludedEducationLevels   RuleType = "IncludedEducationLevels"
	ExcludedVideos            RuleType = "ExcludedVideos"
	ExcludedChannels          RuleType = "ExcludedChannels"
	ExcludedVideoTypes        RuleType = "ExcludedVideoTypes"
	ExcludedLanguages         RuleType = "ExcludedLanguages"
	ExcludedPlaybackSources   RuleType = "ExcludedPlaybackSources"
	ExcludedEducationLevels   RuleType = "ExcludedEducationLevels"
	ExcludedContentWarnings   RuleType = "ExcludedContentWarnings"
)

// RuleTypes lists the types of rules: what includes, then what excludes.
func RuleTypes() []RuleType {
	return []RuleType{
		IncludedVideos, IncludedChannels, IncludedPrivateChannels, IncludeAllPrivateChannels, IncludedVideoTypes,
		IncludedSubjects, IncludedThemaCategories, IncludedEducationLevels,
		ExcludedVideos, ExcludedChannels, ExcludedVideoTypes, ExcludedLanguages, ExcludedPlaybackSources,
		ExcludedEducationLevels, ExcludedContentWarnings,
	}
}

// MaxRuleValues is the most values that the rules of one content package may have in all: they go along
// with every search.
const MaxRuleValues = 5000

// CompileRules makes what a caller of an account with these rules may see. A list without rules opens
// everything but private channels. The error is a FieldErrors that names each fault as rules[i] or
// rules[i].values[j].
func CompileRules(list []AccessRule) (Access, error) {
	c := &ruleCompiler{rules: &Rules{}, at: map[RuleType]int{}}
	for i, rule := range list {
		c.add(i, rule)
	}
	if c.values > MaxRuleValues {
		c.faults.add("rules", "have %d values in all, at most %d are allowed", c.values, MaxRuleValues)
	}
	if c.faults.list != nil {
		return Access{}, c.faults.list
	}
	access := Access{PrivateChannels: c.allPrivate}
	if len(list) > 0 && (len(list) > 1 || !c.allPrivate) {
		access.Rules = c.rules.sealed()
	}
	return access, nil
}

type ruleCompiler struct {
	rules      *Rules
	allPrivate bool
	values     int
	at         map[RuleType]int
	faults     faults
}

func (c *ruleCompiler) add(i int, rule AccessRule) {
	field := fmt.Sprintf("rules[%d]", i)
	first, again := c.at[rule.Type]
	switch {
	case !slices.Contains(RuleTypes(), rule.Type):
		c.faults.add(field+".type", "%q is not one of %v", shorten(string(rule.Type)), RuleTypes())
		return
	case again:
		c.faults.add(field+".type", "rules[%d] is of type %s already; one rule takes all values", first, rule.Type)
		return
	case rule.Type == IncludeAllPrivateChannels && len(rule.Values) > 0:
		c.faults.add(field+".values", "%s takes none", rule.Type)
		return
	case rule.Type != IncludeAllPrivateChannels && len(rule.Values) == 0:
		c.faults.add(field+".values", "%s needs at least one", rule.Type)
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
			c.faults.add(at, "%q is too long", shorten(text))
			continue
		}
		value, err := parse(text)
		if err != nil {
			c.faults.add(at, "%s", err)
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
	return "", fmt.Errorf("%q is not an id of %d lower-case hexadecimal characters", shorten(text), IDLength)
}

func parseThema(text string) (string, error) {
	var f faults
	if f.thema("", text); f.list != nil {
		return "", fmt.Errorf("%q is not a Thema code", shorten(text))
	}
	return text, nil
}

func parseLevelCode(text string) (string, error) {
	var f faults
	if f.text("", text, 1, MaxNameLength); f.list != nil {
		return "", fmt.Errorf("%q is not the code of an education level", shorten(text))
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
