package catalogue

import (
	"cmp"
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
// name or with all others; the rules do not exclude it, and ask for no distribution methods of which it
// offers none; and where they allow channels and no single videos, it is one of those. It may hold no video
// that the caller sees all the same.
func (a Access) OpensChannel(channel *Channel) bool {
	if !a.opensPrivate(channel.Private, channel.ID) {
		return false
	}
	r := a.Rules
	return r == nil || !in(r.ExcludedChannels, channel.ID) && r.includesMethods(channel.DistributionMethods) &&
		(r.Channels == nil || r.Videos != nil || in(r.Channels, channel.ID))
}

func (a Access) opensPrivate(private bool, channel ID) bool {
	return !private || a.PrivateChannels || a.Rules != nil && in(a.Rules.OpenChannels, channel)
}

// Rules are the access rules of a content package, taken apart for evaluation. They are immutable and
// shared. Every list is sorted, holds each value once, and is nil where there is no such rule.
//
// A video passes where the allow-lists Videos and Channels are both nil or one of them holds it, where
// it has a value of each of Types, Subjects, Categories, EducationLevels and DistributionMethods that is not
// nil, and where no Excluded list holds a value of its own: what is excluded is hidden, whatever includes it.
// Whether a private channel is open is another question, which OpenChannels answers.
type Rules struct {
	Videos, Channels []ID
	// Collections are those whose videos are among Videos (Access.WithCollections), which is not nil where
	// they are not. A caller with such rules reads them, beside the caller's own, and no others.
	Collections []ID

	Types    []VideoType
	Subjects []ID
	// Categories are Thema codes; a video has one by its own codes and its channel's, and by their
	// ancestors, which are their proper prefixes.
	Categories      []string
	EducationLevels []string
	// DistributionMethods are asked of the video's channel: one that says none offers none.
	DistributionMethods []DistributionMethod

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
	// DistributionMethods are those of the channel.
	DistributionMethods []DistributionMethod
	Warnings            []ID
	// Language is "" where it is not known.
	Language Language
	YouTube  bool
}

// TraitsOf is what access rules ask of a video in a channel; nil: the channel is not known. It shares the
// lists of both.
func TraitsOf(v *Video, channel *Channel) Traits {
	traits := Traits{
		Type: v.Type, Channel: v.ChannelID, Subjects: v.SubjectIDs, EducationLevels: v.EducationLevels,
		Categories: categoriesOf(v, channel), Warnings: v.ContentWarningIDs,
		YouTube: v.Playback.Provider == ProviderYouTube,
	}
	if v.Language != nil {
		traits.Language = *v.Language
	}
	if channel != nil {
		traits.DistributionMethods = channel.DistributionMethods
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
		(r.Categories == nil || slices.ContainsFunc(t.Categories, r.hasCategory)) &&
		r.includesMethods(t.DistributionMethods)
}

func (r *Rules) includesMethods(offered []DistributionMethod) bool {
	return r.DistributionMethods == nil || anyIn(r.DistributionMethods, offered)
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
