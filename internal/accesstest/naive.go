package accesstest

import (
	"maps"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// seen is what may be seen of a world through a content package.
type seen struct {
	videos   []*catalogue.Video
	channels []*catalogue.Channel
	// hidden are the words and IDs of the hidden videos and channels, in lower case.
	hidden []string
}

// through evaluates rules naively: each video against each rule as written, without the service's compiled form.
func (w *world) through(rules []catalogue.AccessRule) *seen {
	s := &seen{}
	for i, v := range w.videos {
		if w.visible(v, rules) {
			s.videos = append(s.videos, v)
		} else {
			s.hidden = append(s.hidden, videoWord(i), string(v.ID))
		}
	}
	for i, channel := range w.channels {
		if w.known(channel, rules, s.videos) {
			s.channels = append(s.channels, channel)
		} else {
			s.hidden = append(s.hidden, channelWord(i), string(channel.ID))
		}
	}
	return s
}

func (w *world) visible(v *catalogue.Video, rules []catalogue.AccessRule) bool {
	if v.Retired || v.AvailableUntil != nil && *v.AvailableUntil < w.today {
		return false
	}
	channel := withID(w.channels, v.ChannelID)
	if channel.Private && !opened(channel, rules) {
		return false
	}
	byName, isNamed := false, false
	for _, rule := range rules {
		hit := w.hits(rule, v, channel)
		switch rule.Type {
		case catalogue.IncludedVideos, catalogue.IncludedCollections, catalogue.IncludedChannels: // any of them is enough
			byName, isNamed = true, isNamed || hit
		case catalogue.IncludedPrivateChannels, catalogue.IncludeAllPrivateChannels: // they only open channels
		default:
			if included := strings.HasPrefix(string(rule.Type), "Included"); included != hit {
				return false
			}
		}
	}
	return !byName || isNamed
}

// hits reports whether a rule names a video.
func (w *world) hits(rule catalogue.AccessRule, v *catalogue.Video, channel *catalogue.Channel) bool {
	names := func(value string) bool { return slices.Contains(rule.Values, value) }
	_, of, _ := strings.Cut(string(rule.Type), "cluded")
	switch of {
	case "Videos":
		return names(string(v.ID))
	case "Collections":
		return slices.ContainsFunc(rule.Values, func(value string) bool {
			return slices.Contains(w.collections[catalogue.ID(value)], v.ID)
		})
	case "Channels":
		return names(string(channel.ID))
	case "VideoTypes":
		return names(string(v.Type))
	case "Subjects":
		return slices.ContainsFunc(texts(v.SubjectIDs), names)
	case "ThemaCategories":
		for _, code := range append(slices.Clone(v.Categories), channel.Categories...) {
			for end := 1; end <= len(code); end++ {
				if names(code[:end]) {
					return true
				}
			}
		}
		return false
	case "EducationLevels":
		return slices.ContainsFunc(v.EducationLevels, names)
	case "DistributionMethods":
		return slices.ContainsFunc(texts(channel.DistributionMethods), names)
	case "Languages":
		return v.Language != nil && names(string(*v.Language))
	case "PlaybackSources":
		return names(string(v.Playback.Provider))
	case "ContentWarnings":
		return slices.ContainsFunc(texts(v.ContentWarningIDs), names)
	}
	return false
}

func opened(channel *catalogue.Channel, rules []catalogue.AccessRule) bool {
	return slices.ContainsFunc(rules, func(rule catalogue.AccessRule) bool {
		return rule.Type == catalogue.IncludeAllPrivateChannels ||
			rule.Type == catalogue.IncludedPrivateChannels && slices.Contains(rule.Values, string(channel.ID))
	})
}

// known reports whether a caller may know of a channel: if rules restrict the caller, through a visible video.
func (w *world) known(channel *catalogue.Channel, rules []catalogue.AccessRule, visible []*catalogue.Video) bool {
	limits := slices.ContainsFunc(rules, func(rule catalogue.AccessRule) bool {
		return rule.Type != catalogue.IncludeAllPrivateChannels
	})
	if !limits {
		return !channel.Private || opened(channel, rules)
	}
	return slices.ContainsFunc(visible, func(v *catalogue.Video) bool { return v.ChannelID == channel.ID })
}

// videoIDs lists the videos with a property, by ID.
func (s *seen) videoIDs(with func(*catalogue.Video) bool) []string {
	list := []string{}
	for _, v := range s.videos {
		if with(v) {
			list = append(list, string(v.ID))
		}
	}
	return list
}

func (s *seen) all() []string { return s.videoIDs(func(*catalogue.Video) bool { return true }) }

// of lists the videos that a list of some shows: the visible ones, and the visible replacements of retired ones.
func (s *seen) of(w *world, some []catalogue.ID) []string {
	shown := mapped(some, func(id catalogue.ID) *catalogue.Video { return w.end(w.video(id)) })
	return s.videoIDs(func(v *catalogue.Video) bool { return slices.Contains(shown, v) })
}

func (s *seen) sees(v *catalogue.Video) bool { return slices.Contains(s.videos, v) }

// count counts the visible videos by value.
func (s *seen) count(values func(*catalogue.Video) []string) map[string]int {
	counts := map[string]int{}
	for _, v := range s.videos {
		for _, value := range values(v) {
			counts[value]++
		}
	}
	return counts
}

func (s *seen) knows(channel catalogue.ID) bool {
	return slices.ContainsFunc(s.channels, func(c *catalogue.Channel) bool { return c.ID == channel })
}

func (s *seen) channelIDs() []string {
	return mapped(s.channels, func(channel *catalogue.Channel) string { return string(channel.ID) })
}

// subjects lists the subjects of visible videos, by ID.
func (s *seen) subjects() []string {
	return slices.Collect(maps.Keys(s.count(func(v *catalogue.Video) []string { return texts(v.SubjectIDs) })))
}
