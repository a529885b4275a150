package typesense

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Visibility is one field: a list of tokens, each of which begins with its kind. Each including rule is then one
// operand of a filter, and all exclusions together are another. Typesense cannot exclude values of the field id before
// version 0.25.
//
// The server evaluates every operand over the whole collection, in each search of a multi-search. Filters therefore
// avoid redundant operands:
//   - A retired video has no token but retiredTrait, and no rule includes that token.
//   - The tokens of private videos are marked, and the rules of callers who may not see them require unmarked
//     tokens.
const (
	videoTrait    = "v"
	channelTrait  = "c"
	typeTrait     = "t"
	subjectTrait  = "s"
	levelTrait    = "l"
	categoryTrait = "k" // codes and all their ancestors
	languageTrait = "g"
	providerTrait = "p"
	warningTrait  = "w"
	methodTrait   = "m" // distribution methods

	// privateMark precedes the tokens of videos whose channel is private.
	privateMark = "x"

	retiredTrait = "retired"
	// Every other video has one of these tokens, depending on its channel.
	publicTrait  = "public"
	privateTrait = "private"
	// incompleteTrait is the token of those that lack something. No access rule concerns it.
	incompleteTrait = "incomplete"
)

// maxTrait is the maximum length, in bytes, of an encoded value that is a token as is. A value in a filter costs the
// server about 30 ns per byte.
const maxTrait = 17

// traitsOf returns the tokens of a video.
func traitsOf(d *search.Document) []string {
	if d.Retired {
		return []string{retiredTrait}
	}
	provider := catalogue.ProviderHLS
	if d.YouTube {
		provider = catalogue.ProviderYouTube
	}
	mark, channel := "", publicTrait
	if d.Private {
		mark, channel = privateMark, privateTrait
	}
	var set tokenSet
	for _, token := range slices.Concat(
		traits(videoTrait, d.ID), traits(channelTrait, d.Channel), traits(typeTrait, d.Type),
		traits(languageTrait, d.Language), traits(providerTrait, provider), traits(subjectTrait, d.Subjects...),
		traits(levelTrait, d.EducationLevels...), traits(categoryTrait, withAncestors(d.Categories)...),
		traits(warningTrait, d.Warnings...), traits(methodTrait, d.DistributionMethods...),
	) {
		set.add(mark + token)
	}
	set.add(channel)
	if d.Incomplete {
		set.add(incompleteTrait)
	}
	if d.AvailableUntil != nil {
		for _, token := range endTraits(*d.AvailableUntil) {
			set.add(token)
		}
	}
	return set.tokens
}

// traits returns the tokens of values of one kind, except for "", which is not a value.
func traits[T ~string](kind string, values ...T) []string {
	var tokens []string
	for _, value := range values {
		switch token := encode(string(value)); {
		case value == "":
		case len(token) <= maxTrait:
			tokens = append(tokens, kind+token)
		default:
			tokens = append(tokens, kind+"3"+shortDigest(string(value)))
		}
	}
	return tokens
}

// shortDigest returns a digest of 10 bytes.
func shortDigest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.HexEncoding.EncodeToString(sum[:10]))
}

// demands are the requirements of State.VisibleTo on any day: one token of each required list, and no excluded token.
type demands struct {
	required [][]string
	hidden   []string
}

func demandsOf(access catalogue.Access) demands {
	r := access.Rules
	if r == nil {
		r = &catalogue.Rules{}
	}
	var d demands
	seesPrivate := access.PrivateChannels || r.OpenChannels != nil
	if r.OpenChannels != nil && !access.PrivateChannels {
		d.required = append(d.required, append(marked(traits(channelTrait, r.OpenChannels...)), publicTrait))
	}
	for _, tokens := range inclusions(r) {
		if seesPrivate {
			tokens = append(tokens, marked(tokens)...)
		}
		d.required = append(d.required, tokens)
	}
	d.hidden = exclusions(r)
	if seesPrivate {
		d.hidden = append(d.hidden, marked(d.hidden)...)
	}
	if len(d.required) == 0 {
		d.hidden = append(d.hidden, retiredTrait)
		if !seesPrivate {
			d.hidden = append(d.hidden, privateTrait)
		}
	}
	return d
}

// marked returns the corresponding tokens of videos whose channel is private.
func marked(tokens []string) []string {
	all := make([]string, len(tokens))
	for i, token := range tokens {
		all[i] = privateMark + token
	}
	return all
}

// inclusions returns lists of tokens. A video must have one token of each list.
func inclusions(r *catalogue.Rules) (lists [][]string) {
	if r.Videos != nil || r.Channels != nil {
		lists = append(lists, slices.Concat(traits(videoTrait, r.Videos...), traits(channelTrait, r.Channels...)))
	}
	for _, rule := range []struct {
		wanted bool
		tokens []string
	}{
		{r.Types != nil, traits(typeTrait, r.Types...)},
		{r.Subjects != nil, traits(subjectTrait, r.Subjects...)},
		{r.Categories != nil, traits(categoryTrait, r.Categories...)},
		{r.EducationLevels != nil, traits(levelTrait, r.EducationLevels...)},
		{r.DistributionMethods != nil, traits(methodTrait, r.DistributionMethods...)},
	} {
		if rule.wanted {
			lists = append(lists, rule.tokens)
		}
	}
	return lists
}

// exclusions returns the tokens that a video must not have.
func exclusions(r *catalogue.Rules) []string {
	return slices.Concat(
		traits(videoTrait, r.ExcludedVideos...), traits(channelTrait, r.ExcludedChannels...),
		traits(typeTrait, r.ExcludedTypes...), traits(languageTrait, r.ExcludedLanguages...),
		traits(providerTrait, r.ExcludedProviders...), traits(levelTrait, r.ExcludedEducationLevels...),
		traits(warningTrait, r.ExcludedWarnings...))
}

// permission is demands in the form of a filter.
type permission struct {
	included string // condition; "" if the caller may see every video that is not hidden
	hidden   string // traits that no video may have, separated by commas
}

func permitted(access catalogue.Access) permission {
	d := demandsOf(access)
	included := make([]string, len(d.required))
	for i, tokens := range d.required {
		included[i] = anyOf(fieldTraits, tokens)
	}
	return permission{included: and(included...), hidden: strings.Join(d.hidden, ",")}
}

// permissions caches the filters of access rules, because every search has access rules.
type permissions struct {
	lock  sync.Mutex
	known map[string]permission // by Access.Fingerprint
	size  int                   // of known, in bytes
}

// maxPermissions is the size in bytes at which the cache starts empty again.
const maxPermissions = 16 << 20

func (p *permissions) of(access catalogue.Access) permission {
	name := access.Fingerprint()
	p.lock.Lock()
	defer p.lock.Unlock()
	if made, known := p.known[name]; known {
		return made
	}
	made := permitted(access)
	size := len(made.included) + len(made.hidden)
	if p.known == nil || p.size+size > maxPermissions {
		p.known, p.size = map[string]permission{}, 0
	}
	p.known[name] = made
	p.size += size
	return made
}

// visible returns the condition of State.VisibleTo.
func (x *Index) visible(access catalogue.Access, today catalogue.Date) string {
	p := x.permissions.of(access)
	hidden := endedBefore(today)
	if p.hidden != "" {
		hidden = append(hidden, p.hidden)
	}
	if len(hidden) == 0 {
		return p.included
	}
	return and(p.included, fieldTraits+":!=["+strings.Join(hidden, ",")+"]")
}
