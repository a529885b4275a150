package storetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// checkAccess compares the states and the feed of random videos in random channels with a naive evaluation of random
// packages.
func checkAccess(t *testing.T, empty EmptyCatalogue) {
	h := newCatalogueFixture(t, t, empty)
	for n := 1; n <= 3; n++ {
		h.put(subject(n), level(n), warning(n))
	}
	rapid.Check(t, func(rt *rapid.T) {
		h := *h // each check replaces the videos of the previous one
		h.testingT = rt
		const today = 20_000
		var channels []*catalogue.Channel
		for n := 1; n <= 3; n++ {
			channels = append(channels, drawChannel(rt, n))
			h.put(channels[n-1])
		}
		var videos []*catalogue.Video
		for n := 1; n <= 8; n++ {
			videos = append(videos, drawVideo(rt, n, today))
			h.put(videos[n-1])
		}
		for range 4 {
			rules := drawRules(rt)
			access := h.access(rules...)
			var due []catalogue.Ref
			for _, v := range videos {
				from := channels[slices.IndexFunc(channels, func(c *catalogue.Channel) bool { return c.ID == v.ChannelID })]
				want := !v.Retired && (v.AvailableUntil == nil || *v.AvailableUntil >= today) && allows(rules, v, from)
				if want {
					due = append(due, v.Ref())
				}
				if got := h.state(v.ID).VisibleTo(access, today); got != want {
					h.Errorf("%v\nthe state makes %s visible: %t, want %t", rules, v.Reference, got, want)
				}
			}
			query := store.FeedQuery{Size: rapid.IntRange(1, 9).Draw(rt, "size"), Access: access, Today: today}
			if got := h.walk(query); !cmp.Equal(got, due, cmpopts.EquateEmpty()) {
				h.Errorf("%v\nfeed by %d: got %v, want %v", rules, query.Size, got, due)
			}
		}
	})
}

func drawChannel(t *rapid.T, n int) *catalogue.Channel {
	c := channel(n)
	c.Private = rapid.IntRange(0, 2).Draw(t, "private") == 0
	c.Categories = drawSome(t, "channel's categories", drawnCategories)
	c.DistributionMethods = drawSome(t, "channel's methods", catalogue.DistributionMethods())
	return c
}

func drawVideo(t *rapid.T, n int, today catalogue.Date) *catalogue.Video {
	v := video(n)
	number := rapid.IntRange(1, 3)
	v.ChannelID = idOf(catalogue.KindChannel, number.Draw(t, "channel"))
	v.Type = rapid.SampledFrom([]catalogue.VideoType{catalogue.News, catalogue.Instructional, catalogue.Podcast}).Draw(t, "type")
	v.Retired = rapid.IntRange(0, 9).Draw(t, "retired") == 0
	v.AvailableUntil = rapid.SampledFrom([]*catalogue.Date{nil, nil, new(today - 1), new(today)}).Draw(t, "until")
	v.Language = rapid.SampledFrom([]*catalogue.Language{nil, new(catalogue.Language("eng")), new(catalogue.Language("fra"))}).Draw(t, "language")
	if rapid.Bool().Draw(t, "YouTube") {
		v.Playback.Provider, v.Playback.Stream = catalogue.ProviderYouTube, ""
	}
	for _, m := range drawSome(t, "subjects", []int{1, 2, 3}) {
		v.SubjectIDs = append(v.SubjectIDs, idOf(catalogue.KindSubject, m))
	}
	for _, m := range drawSome(t, "warnings", []int{1, 2, 3}) {
		v.ContentWarningIDs = append(v.ContentWarningIDs, idOf(catalogue.KindContentWarning, m))
	}
	for _, m := range drawSome(t, "levels", []int{1, 2, 3}) {
		v.EducationLevels = append(v.EducationLevels, level(m).Code)
	}
	v.Categories = drawSome(t, "categories", drawnCategories)
	return v
}

var drawnCategories = []string{"J", "JN", "JNU", "JNUM", "YPJ", "AB"}

func drawSome[T comparable](t *rapid.T, label string, of []T) []T {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, 2, rapid.ID[T]).Draw(t, label)
}

// allows evaluates the rules literally, one after the other, on the operator's data. It reports whether they let a video
// through and open its channel.
func allows(rules []catalogue.AccessRule, v *catalogue.Video, c *catalogue.Channel) bool {
	allowed, allowLists, open := false, false, !c.Private
	for _, rule := range rules {
		holds := slices.ContainsFunc(rule.Values, func(value string) bool { return ruleMatches(rule.Type, value, v, c) })
		switch {
		case rule.Type == catalogue.IncludedVideos, rule.Type == catalogue.IncludedCollections, rule.Type == catalogue.IncludedChannels:
			allowLists, allowed = true, allowed || holds
		case rule.Type == catalogue.IncludeAllPrivateChannels:
			open = true
		case rule.Type == catalogue.IncludedPrivateChannels:
			open = open || holds
		case holds == strings.HasPrefix(string(rule.Type), "Excluded"):
			return false
		}
	}
	return open && (allowed || !allowLists)
}

// ruleMatches reports whether a video has the value that a rule names.
func ruleMatches(kind catalogue.RuleType, value string, v *catalogue.Video, c *catalogue.Channel) bool {
	switch kind {
	case catalogue.IncludedVideos, catalogue.ExcludedVideos:
		return string(v.ID) == value
	case catalogue.IncludedCollections:
		return slices.Contains(heldByRules()[catalogue.ID(value)], v.ID)
	case catalogue.IncludedChannels, catalogue.ExcludedChannels, catalogue.IncludedPrivateChannels:
		return string(c.ID) == value
	case catalogue.IncludedVideoTypes, catalogue.ExcludedVideoTypes:
		return string(v.Type) == value
	case catalogue.IncludedSubjects:
		return slices.Contains(texts(v.SubjectIDs), value)
	case catalogue.IncludedThemaCategories:
		has := func(code string) bool { return strings.HasPrefix(code, value) }
		return slices.ContainsFunc(v.Categories, has) || slices.ContainsFunc(c.Categories, has)
	case catalogue.IncludedDistributionMethods:
		return slices.Contains(c.DistributionMethods, catalogue.DistributionMethod(value))
	case catalogue.IncludedEducationLevels, catalogue.ExcludedEducationLevels:
		return slices.Contains(v.EducationLevels, value)
	case catalogue.ExcludedLanguages:
		return v.Language != nil && string(*v.Language) == value
	case catalogue.ExcludedPlaybackSources:
		return string(v.Playback.Provider) == value
	case catalogue.ExcludedContentWarnings:
		return slices.Contains(texts(v.ContentWarningIDs), value)
	}
	return false
}

// drawRules draws the rules of a package. The rules name objects with numbers from 1 to 3.
func drawRules(t *rapid.T) (rules []catalogue.AccessRule) {
	ids := func(kind catalogue.Kind) (values []string) {
		for n := 1; n <= 3; n++ {
			values = append(values, string(idOf(kind, n)))
		}
		return values
	}
	levels := []string{level(1).Code, level(2).Code, level(3).Code}
	values := map[catalogue.RuleType][]string{
		catalogue.IncludedVideos: ids(catalogue.KindVideo), catalogue.ExcludedVideos: ids(catalogue.KindVideo),
		catalogue.IncludedCollections: {string(collectionID(1)), string(collectionID(2)), string(collectionID(3))},
		catalogue.IncludedChannels:    ids(catalogue.KindChannel), catalogue.ExcludedChannels: ids(catalogue.KindChannel),
		catalogue.IncludedPrivateChannels: ids(catalogue.KindChannel), catalogue.IncludeAllPrivateChannels: nil,
		catalogue.IncludedVideoTypes: {"NEWS", "INSTRUCTIONAL", "STOCK"}, catalogue.ExcludedVideoTypes: {"NEWS", "INSTRUCTIONAL", "STOCK"},
		catalogue.IncludedSubjects: ids(catalogue.KindSubject), catalogue.IncludedThemaCategories: {"J", "JN", "JNU", "YP"},
		catalogue.IncludedDistributionMethods: {"STREAM", "DOWNLOAD"},
		catalogue.IncludedEducationLevels:     levels, catalogue.ExcludedEducationLevels: levels,
		catalogue.ExcludedLanguages: {"eng", "nob"}, catalogue.ExcludedPlaybackSources: {"HLS", "YOUTUBE"},
		catalogue.ExcludedContentWarnings: ids(catalogue.KindContentWarning),
	}
	kinds := rapid.SliceOfNDistinct(rapid.SampledFrom(catalogue.RuleTypes()), 0, 4, rapid.ID[catalogue.RuleType])
	for _, kind := range kinds.Draw(t, "rules") {
		rule := catalogue.AccessRule{Type: kind}
		if of := values[kind]; of != nil {
			rule.Values = rapid.SliceOfNDistinct(rapid.SampledFrom(of), 1, 2, rapid.ID[string]).Draw(t, string(kind))
		}
		rules = append(rules, rule)
	}
	return rules
}
