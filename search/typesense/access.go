package typesense

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// What access rules ask of a video is one field, a list of tokens of which each says what it is of: so
// each rule that includes is one operand of a filter, and all that exclude are one together. The field id
// would do for videos, but cannot be excluded before 0.25.
const (
	videoTrait    = "v"
	channelTrait  = "c"
	typeTrait     = "t"
	subjectTrait  = "s"
	levelTrait    = "l"
	categoryTrait = "k" // of the codes and all their ancestors
	languageTrait = "g"
	providerTrait = "p"
	warningTrait  = "w"

	// publicTrait is that of videos whose channel is not private.
	publicTrait = "public"
)

// traitsOf are the tokens of a video.
func traitsOf(d *search.Document) []string {
	provider := catalogue.ProviderHLS
	if d.YouTube {
		provider = catalogue.ProviderYouTube
	}
	var set tokenSet
	for _, tokens := range [][]string{
		traits(videoTrait, d.ID), traits(channelTrait, d.Channel), traits(typeTrait, d.Type),
		traits(languageTrait, d.Language), traits(providerTrait, provider), traits(subjectTrait, d.Subjects...),
		traits(levelTrait, d.EducationLevels...), traits(categoryTrait, withAncestors(d.Categories)...),
		traits(warningTrait, d.Warnings...),
	} {
		for _, token := range tokens {
			set.add(token)
		}
	}
	if !d.Private {
		set.add(publicTrait)
	}
	return set.tokens
}

// traits are the tokens of values of one kind; what is "" is no value.
func traits[T ~string](kind string, values ...T) []string {
	var tokens []string
	for _, value := range values {
		if value != "" {
			tokens = append(tokens, kind+encode(string(value)))
		}
	}
	return tokens
}

// permitted is the condition that a caller may see a video, on any day: of State.VisibleTo what the
// channel and the rules decide.
func permitted(access catalogue.Access) string {
	r := access.Rules
	if r == nil {
		r = &catalogue.Rules{}
	}
	var conditions []string
	require := func(tokens []string) { conditions = append(conditions, anyOf(fieldTraits, tokens)) }
	switch {
	case access.PrivateChannels:
	case r.OpenChannels == nil:
		conditions = append(conditions, fieldPrivate+":=false")
	default:
		require(append(traits(channelTrait, r.OpenChannels...), publicTrait))
	}
	if r.Videos != nil || r.Channels != nil {
		require(slices.Concat(traits(videoTrait, r.Videos...), traits(channelTrait, r.Channels...)))
	}
	for _, included := range []struct {
		wanted bool
		tokens []string
	}{
		{r.Types != nil, traits(typeTrait, r.Types...)},
		{r.Subjects != nil, traits(subjectTrait, r.Subjects...)},
		{r.Categories != nil, traits(categoryTrait, r.Categories...)},
		{r.EducationLevels != nil, traits(levelTrait, r.EducationLevels...)},
	} {
		if included.wanted {
			require(included.tokens)
		}
	}
	excluded := slices.Concat(
		traits(videoTrait, r.ExcludedVideos...), traits(channelTrait, r.ExcludedChannels...),
		traits(typeTrait, r.ExcludedTypes...), traits(languageTrait, r.ExcludedLanguages...),
		traits(providerTrait, r.ExcludedProviders...), traits(levelTrait, r.ExcludedEducationLevels...),
		traits(warningTrait, r.ExcludedWarnings...))
	if len(excluded) > 0 {
		conditions = append(conditions, fieldTraits+":!=["+strings.Join(excluded, ",")+"]")
	}
	return and(conditions...)
}

// permissions remembers what permitted made of access rules, which come again with every search.
type permissions struct {
	lock       sync.Mutex
	conditions map[string]string // by Access.Fingerprint
	size       int               // of the conditions, in bytes
}

// maxPermissions bounds what is remembered, in bytes; then all is forgotten.
const maxPermissions = 16 << 20

func (p *permissions) of(access catalogue.Access) string {
	name := access.Fingerprint()
	p.lock.Lock()
	defer p.lock.Unlock()
	if condition, known := p.conditions[name]; known {
		return condition
	}
	condition := permitted(access)
	if p.conditions == nil || p.size+len(condition) > maxPermissions {
		p.conditions, p.size = map[string]string{}, 0
	}
	p.conditions[name] = condition
	p.size += len(condition)
	return condition
}

// visible is the condition of State.VisibleTo.
func (x *Index) visible(access catalogue.Access, today catalogue.Date) string {
	return and(fieldRetired+":=false", fmt.Sprintf("%s:>=%d", fieldUntil, int64(today)), x.permissions.of(access))
}
