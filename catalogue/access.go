package catalogue

import (
	"cmp"
	"slices"
	"strings"
)

// Access is what a caller may see of the catalogue. The zero value is that of an account without a content package:
// everything that is not private.
type Access struct {
	// PrivateChannels grants access to all private channels and their videos.
	PrivateChannels bool
	// Rules are the rules of the caller's content package; nil if it has none.
	Rules *Rules
}

// Fingerprint returns a short printable string that is equal for two Accesses exactly if they have the same rules. It
// can be part of a cache key.
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

// OpensChannel reports whether the caller may see the channel itself. The channel must not be private, or must be
// opened by the rules or by PrivateChannels. The rules must not exclude it, and if they require distribution methods,
// it must offer one of them. If the rules include channels but no single videos, it must be one of those channels.
// The channel may still contain no video that the caller sees.
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

// Rules are the compiled access rules of a content package. They are immutable and shared. Every list is sorted without
// duplicates, and is nil if there is no such rule.
//
// A video passes if all of these hold:
//   - Videos and Channels are both nil, or one of them contains it;
//   - it has a value of each of Types, Subjects, Categories, EducationLevels and DistributionMethods that is not nil;
//   - no Excluded list contains any of its values. Exclusion takes precedence over inclusion.
//
// Whether a private channel is open is a separate question, which OpenChannels answers.
type Rules struct {
	Videos, Channels []ID
	// Collections are the collections whose videos are part of Videos (Access.WithCollections); Videos is not nil
	// then. A caller with such rules may read these collections and its own, but no others.
	Collections []ID

	Types    []VideoType
	Subjects []ID
	// Categories are Thema codes. A video has the codes of its own and of its channel, and their ancestors, which are
	// their proper prefixes.
	Categories      []string
	EducationLevels []string
	// DistributionMethods are compared with those of the video's channel. A channel without any offers none.
	DistributionMethods []DistributionMethod

	ExcludedVideos, ExcludedChannels []ID
	ExcludedTypes                    []VideoType
	// ExcludedLanguages do not hide videos with unknown language.
	ExcludedLanguages       []Language
	ExcludedProviders       []PlaybackProvider
	ExcludedEducationLevels []string
	ExcludedWarnings        []ID

	// OpenChannels are the accessible private channels.
	OpenChannels []ID

	fingerprint string
}

// Traits are the properties of a video to which access rules apply. They share the video's slices.
type Traits struct {
	Type            VideoType
	Channel         ID
	Subjects        []ID
	EducationLevels []string
	// Categories are the Thema codes of the video and its channel, without ancestors.
	Categories []string
	// DistributionMethods are those of the channel.
	DistributionMethods []DistributionMethod
	Warnings            []ID
	// Language is "" if it is unknown.
	Language Language
	YouTube  bool
}

// TraitsOf returns the traits of a video in a channel, which is nil if it is unknown. The traits share the slices of
// both.
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

// Passes reports whether the rules allow a video. nil rules allow every video. Passes does not check whether the
// video's channel is open.
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
