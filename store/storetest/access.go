package storetest

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var accessTests = map[string]func(h *catalogueFixture){
	"states have the traits of rules":            testTraits,
	"states follow a channel at once":            testTraitsFollow,
	"each rule alone changes an answer":          testRules,
	"exclusions precede other rules":             testRulesTogether,
	"pages that access rules leave almost empty": testRulesSparse,
	"pages with access rules end like others":    testRulesEnd,
	"rules with other bounds of the feed":        testRulesBounds,
}

func testTraits(h *catalogueFixture) {
	from := channel(1)
	from.Categories, from.DistributionMethods = []string{"YPJ", "AB"}, []catalogue.DistributionMethod{"DOWNLOAD", "STREAM"}
	v := fullVideo(1)
	v.Categories = []string{"JNU", "AB"}
	elsewhere := video(2)
	elsewhere.Playback.Provider, elsewhere.Playback.Stream = catalogue.ProviderYouTube, ""
	elsewhere.ChannelID = idOf(catalogue.KindChannel, 2)
	h.put(contract(1), level(1), tag(1), warning(1), subject(1), topic(1), from, channel(2), v, elsewhere)
	for n, want := range map[int]catalogue.Traits{
		1: {
			Type: catalogue.Instructional, Channel: from.ID, Subjects: v.SubjectIDs, EducationLevels: v.EducationLevels,
			Categories: []string{"AB", "JNU", "YPJ"}, Warnings: v.ContentWarningIDs, Language: "eng",
			DistributionMethods: from.DistributionMethods,
		},
		2: {Type: catalogue.Instructional, Channel: elsewhere.ChannelID, YouTube: true},
	} {
		id := idOf(catalogue.KindVideo, n)
		if diff := cmp.Diff(want, h.state(id).Traits, cmpopts.EquateEmpty()); diff != "" {
			h.Errorf("video %d (-want +got):\n%s", n, diff)
		}
		if diff := cmp.Diff(h.directory().StateOf(h.video(id)), h.state(id), cmpopts.EquateEmpty()); diff != "" {
			h.Errorf("video %d (-directory +store):\n%s", n, diff)
		}
	}
}

// testTraitsFollow checks that the properties that a video inherits from its channel change together with the channel,
// before any fan-out.
func testTraitsFollow(h *catalogueFixture) {
	from := channel(1)
	h.put(from, video(1))
	id := idOf(catalogue.KindVideo, 1)
	if s := h.state(id); s.Private || len(s.Categories)+len(s.DistributionMethods) > 0 {
		h.Errorf("at first: private %t, categories %v, methods %v", s.Private, s.Categories, s.DistributionMethods)
	}
	from.Private, from.Categories, from.DistributionMethods = true, []string{"JN"}, catalogue.DistributionMethods()
	h.put(from)
	if s := h.state(id); !s.Private || !slices.Equal(s.Categories, []string{"JN"}) || !slices.Equal(s.DistributionMethods, from.DistributionMethods) {
		h.Errorf("after a change of the channel: private %t, categories %v, methods %v", s.Private, s.Categories, s.DistributionMethods)
	}
	moved := video(1)
	moved.ChannelID = idOf(catalogue.KindChannel, 2)
	h.put(channel(2), moved)
	if s := h.state(id); s.Private || len(s.Categories)+len(s.DistributionMethods) > 0 || s.Channel != moved.ChannelID {
		h.Errorf("in another channel %s: private %t, categories %v", s.Channel, s.Private, s.Categories)
	}
}

// putMixed stores four videos such that every rule separates some from others. Video 1 has no properties. Video 2 has all
// of them. Video 3 inherits its categories and distribution methods from its channel. Video 4 is in a private channel.
func (h *catalogueFixture) putMixed() {
	h.Helper()
	categorised, private := channel(2), channel(3)
	categorised.Categories, private.Private = []string{"JNU"}, true
	categorised.DistributionMethods, private.DistributionMethods = catalogue.DistributionMethods(), catalogue.DistributionMethods()
	full, inherits, hidden := video(2), video(3), video(4)
	full.Type, full.SubjectIDs = catalogue.News, []catalogue.ID{idOf(catalogue.KindSubject, 1)}
	full.Categories, full.EducationLevels = []string{"AB"}, []string{level(1).Code}
	full.ContentWarningIDs, full.Language = []catalogue.ID{idOf(catalogue.KindContentWarning, 1)}, new(catalogue.Language("eng"))
	full.Playback.Provider, full.Playback.Stream = catalogue.ProviderYouTube, ""
	inherits.ChannelID, hidden.ChannelID = categorised.ID, private.ID
	h.put(subject(1), level(1), warning(1), channel(1), categorised, private, video(1), full, inherits, hidden)
}

// heldByRules returns the videos of the collections that rules may name.
func heldByRules() map[catalogue.ID][]catalogue.ID {
	return map[catalogue.ID][]catalogue.ID{collectionID(1): videoIDs(3, 2), collectionID(2): {}}
}

// access compiles rules.
func (h *catalogueFixture) access(rules ...catalogue.AccessRule) catalogue.Access {
	h.Helper()
	access, err := catalogue.CompileRules(rules)
	h.must(err)
	access, _ = access.WithCollections(heldByRules())
	return access
}

// wantAdmitted checks that, of the videos numbered from 1 to most, the feed and the states include exactly those with the
// given numbers.
func (h *catalogueFixture) wantAdmitted(name string, access catalogue.Access, most int, numbers ...int) {
	h.Helper()
	h.wantWalk(name, store.FeedQuery{Access: access}, numbers...)
	for n := 1; n <= most; n++ {
		if got, want := h.state(idOf(catalogue.KindVideo, n)).VisibleTo(access, 0), slices.Contains(numbers, n); got != want {
			h.Errorf("%s: the state of video %d makes it visible: %t, want %t", name, n, got, want)
		}
	}
}

func testRules(h *catalogueFixture) {
	h.putMixed()
	h.wantAdmitted("no rules", catalogue.Access{}, 4, 1, 2, 3)
	cases := map[catalogue.RuleType]struct {
		values []string
		want   []int
	}{
		catalogue.IncludedVideos:              {texts(videoIDs(3, 2)), []int{2, 3}},
		catalogue.IncludedCollections:         {[]string{string(collectionID(1)), string(collectionID(2))}, []int{2, 3}},
		catalogue.IncludedChannels:            {[]string{string(idOf(catalogue.KindChannel, 2))}, []int{3}},
		catalogue.IncludedPrivateChannels:     {[]string{string(idOf(catalogue.KindChannel, 3))}, []int{1, 2, 3, 4}},
		catalogue.IncludeAllPrivateChannels:   {nil, []int{1, 2, 3, 4}},
		catalogue.IncludedVideoTypes:          {[]string{"NEWS"}, []int{2}},
		catalogue.IncludedSubjects:            {[]string{string(idOf(catalogue.KindSubject, 1))}, []int{2}},
		catalogue.IncludedThemaCategories:     {[]string{"JN"}, []int{3}},
		catalogue.IncludedEducationLevels:     {[]string{level(1).Code}, []int{2}},
		catalogue.IncludedDistributionMethods: {[]string{"DOWNLOAD"}, []int{3}},
		catalogue.ExcludedVideos:              {texts(videoIDs(1)), []int{2, 3}},
		catalogue.ExcludedChannels:            {[]string{string(idOf(catalogue.KindChannel, 1))}, []int{3}},
		catalogue.ExcludedVideoTypes:          {[]string{"NEWS"}, []int{1, 3}},
		catalogue.ExcludedLanguages:           {[]string{"eng"}, []int{1, 3}},
		catalogue.ExcludedPlaybackSources:     {[]string{string(catalogue.ProviderYouTube)}, []int{1, 3}},
		catalogue.ExcludedEducationLevels:     {[]string{level(1).Code}, []int{1, 3}},
		catalogue.ExcludedContentWarnings:     {[]string{string(idOf(catalogue.KindContentWarning, 1))}, []int{1, 3}},
	}
	for _, kind := range catalogue.RuleTypes() {
		c, ok := cases[kind]
		if !ok {
			h.Errorf("there is no case of %s", kind)
			continue
		}
		h.wantAdmitted(string(kind), h.access(catalogue.AccessRule{Type: kind, Values: c.values}), 4, c.want...)
	}
}

func testRulesTogether(h *catalogueFixture) {
	h.putMixed()
	rule := func(kind catalogue.RuleType, values ...string) catalogue.AccessRule {
		return catalogue.AccessRule{Type: kind, Values: values}
	}
	first, second, third := string(idOf(catalogue.KindChannel, 1)), string(idOf(catalogue.KindChannel, 2)), string(idOf(catalogue.KindChannel, 3))
	h.wantAdmitted("allow-lists are joined", h.access(
		rule(catalogue.IncludedVideos, texts(videoIDs(1))...), rule(catalogue.IncludedChannels, second)), 4, 1, 3)
	h.wantAdmitted("all other rules apply", h.access(
		rule(catalogue.IncludedChannels, first), rule(catalogue.IncludedVideoTypes, "NEWS")), 4, 2)
	h.wantAdmitted("exclusions win", h.access(
		rule(catalogue.IncludedChannels, first), rule(catalogue.ExcludedVideos, texts(videoIDs(2))...)), 4, 1)
	h.wantAdmitted("an allow-list opens no private channel", h.access(
		rule(catalogue.IncludedVideos, texts(videoIDs(1, 4))...), rule(catalogue.IncludedChannels, third)), 4, 1)
	h.wantAdmitted("an open channel is not allowed by that", h.access(
		rule(catalogue.IncludedVideos, texts(videoIDs(1))...), rule(catalogue.IncludedPrivateChannels, third)), 4, 1)
	h.wantAdmitted("an open channel may be excluded", h.access(
		rule(catalogue.IncludeAllPrivateChannels), rule(catalogue.ExcludedChannels, third)), 4, 1, 2, 3)
}

// testRulesSparse checks that a page scans no more videos than it may, and that it then reports More.
func testRulesSparse(h *catalogueFixture) {
	h.put(channel(1))
	h.put(videos(1, 200)...)
	access := h.access(catalogue.AccessRule{Type: catalogue.IncludedVideos, Values: texts(videoIDs(1, 121, 199))})
	h.wantWalk("sparse", store.FeedQuery{Access: access}, 1, 121, 199)
	page, err := h.Feed(h.ctx, store.FeedQuery{Access: access, Size: 10, After: h.state(idOf(catalogue.KindVideo, 1)).Sequence})
	h.must(err)
	if len(page.Refs) != 0 || !page.More || page.Next <= 0 {
		h.Errorf("a page before visible videos: %v", page)
	}
	if state := h.state(idOf(catalogue.KindVideo, 121)); page.Next >= state.Sequence {
		h.Errorf("a page of 10 reached beyond video 121, to %d", page.Next)
	}
}

// testRulesEnd checks that More reports whether a video follows the page, visible or not.
func testRulesEnd(h *catalogueFixture) {
	h.put(channel(1))
	h.put(videos(1, 6)...)
	access := h.access(catalogue.AccessRule{Type: catalogue.ExcludedVideos, Values: texts(videoIDs(6))})
	sequence := func(n int) int64 { return h.state(idOf(catalogue.KindVideo, n)).Sequence }
	for name, c := range map[string]struct {
		after int64
		size  int
		next  int64
		refs  int
		more  bool
	}{
		"full, the last one is hidden":        {0, 5, sequence(5), 5, true},
		"not full at the end":                 {0, 6, sequence(6), 5, false},
		"the hidden one alone":                {sequence(5), 1, sequence(6), 0, false},
		"behind the end":                      {sequence(6), 3, sequence(6), 0, false},
		"no size":                             {0, 0, sequence(1), 1, true},
		"one of which the next page is empty": {sequence(4), 1, sequence(5), 1, true},
	} {
		page, err := h.Feed(h.ctx, store.FeedQuery{After: c.after, Size: c.size, Access: access})
		h.must(err)
		if len(page.Refs) != c.refs || page.Next != c.next || page.More != c.more {
			h.Errorf("%s: %d references, next %d, more %t; want %d, %d, %t", name, len(page.Refs), page.Next, page.More, c.refs, c.next, c.more)
		}
	}
	h.delete(catalogue.KindVideo, videoIDs(6)...)
	page, err := h.Feed(h.ctx, store.FeedQuery{Size: 5, Access: access})
	h.must(err)
	if len(page.Refs) != 5 || page.More {
		h.Errorf("full with nothing behind: %d references, more %t", len(page.Refs), page.More)
	}
}

func testRulesBounds(h *catalogueFixture) {
	until, retired := video(2), video(3)
	until.AvailableUntil, retired.Retired = new(catalogue.Date(20_000)), true
	h.put(channel(1), video(1), until, retired)
	at := h.clock.tick()
	h.put(video(4), video(5))
	access := h.access(catalogue.AccessRule{Type: catalogue.ExcludedVideos, Values: texts(videoIDs(5))})
	h.wantWalk("on the last day", store.FeedQuery{Today: 20_000, Access: access}, 1, 2, 4)
	h.wantWalk("after it", store.FeedQuery{Today: 20_001, Access: access}, 1, 4)
	h.wantWalk("updated from", store.FeedQuery{UpdatedFrom: at, Access: access}, 4)
	h.wantWalk("updated later", store.FeedQuery{UpdatedFrom: at.Add(1), Access: access})
}

func texts(ids []catalogue.ID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = string(id)
	}
	return list
}
