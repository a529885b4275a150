package searchtest

import (
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func (s suite) access(t *testing.T) {
	private := func(d *search.Document) { d.Private = true }
	until := func(days int) change {
		return func(d *search.Document) { d.AvailableUntil = new(today + catalogue.Date(days)) }
	}
	sh := s.fill(t, videos(
		func(*search.Document) {}, private, func(d *search.Document) { d.Retired = true },
		until(-1), until(0), until(1),
		func(d *search.Document) { private(d); until(-1)(d) },
		func(d *search.Document) { d.Retired, d.RetiredInto = true, new(videoID(1)) },
	)...)
	everything := catalogue.Access{PrivateChannels: true}
	for _, text := range []string{"", "video", `"video"`} {
		sh.wantFound(words(text), 1, 5, 6)
		query := words(text)
		query.Access = everything
		sh.wantFound(query, 1, 2, 5, 6)
		query.Today = today + 1
		sh.wantFound(query, 1, 2, 6)
		query.Today = today - 1
		sh.wantFound(query, 1, 2, 4, 5, 6, 7)
	}
	sh.wantFound(search.Query{Filter: search.Filter{IDs: []catalogue.ID{videoID(2), videoID(3), videoID(4)}}})

	counts, err := sh.index.Matches(t.Context(), search.ParseText("video"), []search.MatchLevel{{}}, catalogue.Access{}, today, 100)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "matches seen by all", counts, []int{3})
	counts, err = sh.index.Matches(t.Context(), search.ParseText("video"), []search.MatchLevel{{}}, everything, today, 100)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "matches seen with private channels", counts, []int{4})
	facets := sh.search(search.Query{Facets: &search.FacetRequest{}}).Facets
	same(t, "facets of what is seen", facets.Types, []search.Bucket{{Key: "INSTRUCTIONAL", Hits: 3}})
}

// ruledVideos returns the videos to which the tests apply access rules.
func ruledVideos() []search.Document {
	return videos(
		func(d *search.Document) {
			d.EducationLevels, d.DistributionMethods = []string{"4CD"}, []catalogue.DistributionMethod{"STREAM"}
		},
		func(d *search.Document) {
			d.Channel, d.Language, d.DistributionMethods = channelPool[1], "fra", []catalogue.DistributionMethod{"DOWNLOAD", "STREAM"}
		},
		func(d *search.Document) {
			d.Channel, d.Private, d.DistributionMethods = channelPool[2], true, catalogue.DistributionMethods()[:1]
		},
		func(d *search.Document) { d.Channel, d.Private, d.Type = channelPool[3], true, catalogue.News },
		func(d *search.Document) {
			d.Subjects, d.Language = []catalogue.ID{subjectPool[0], subjectPool[1]}, "eng"
		},
		func(d *search.Document) { d.Categories, d.Type = []string{"JNA"}, catalogue.Stock },
		func(d *search.Document) {
			d.Categories, d.YouTube, d.DistributionMethods = []string{"JN", "KC"}, true, []catalogue.DistributionMethod{"DOWNLOAD"}
		},
		func(d *search.Document) { d.Warnings, d.Subjects = warningPool[:2], []catalogue.ID{subjectPool[1]} },
		func(d *search.Document) { d.Warnings, d.EducationLevels = warningPool[1:2], []string{"4C", "4L"} },
	)
}

func (s suite) accessRules(t *testing.T) {
	sh := s.fill(t, ruledVideos()...)
	rule := func(kind catalogue.RuleType, values ...string) catalogue.AccessRule {
		return catalogue.AccessRule{Type: kind, Values: values}
	}
	id := func(n int) string { return string(videoID(n)) }
	channel := func(n int) string { return string(channelPool[n]) }
	subject := func(n int) string { return string(subjectPool[n]) }
	warning := func(n int) string { return string(warningPool[n]) }
	type rules = []catalogue.AccessRule
	for _, test := range []struct {
		name  string
		rules rules
		want  []int
	}{
		{"none", nil, []int{1, 2, 5, 6, 7, 8, 9}},
		{"videos", rules{rule(catalogue.IncludedVideos, id(7), id(3), id(1), id(99))}, []int{1, 7}},
		{"videos that are not there", rules{rule(catalogue.IncludedVideos, id(99))}, nil},
		{"channels", rules{rule(catalogue.IncludedChannels, channel(1), channel(2))}, []int{2}},
		{"videos or channels", rules{rule(catalogue.IncludedVideos, id(9)), rule(catalogue.IncludedChannels, channel(1))}, []int{2, 9}},
		{"a private channel", rules{rule(catalogue.IncludedPrivateChannels, channel(3))}, []int{1, 2, 4, 5, 6, 7, 8, 9}},
		{"a private channel beside a list", rules{rule(catalogue.IncludedPrivateChannels, channel(3)), rule(catalogue.IncludedVideos, id(1))}, []int{1}},
		{"a private channel and a list of it", rules{rule(catalogue.IncludedPrivateChannels, channel(3)), rule(catalogue.IncludedChannels, channel(3))}, []int{4}},
		{"a channel that is not private opened", rules{rule(catalogue.IncludedPrivateChannels, channel(1))}, []int{1, 2, 5, 6, 7, 8, 9}},
		{"all private channels", rules{rule(catalogue.IncludeAllPrivateChannels)}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"all private channels beside a rule", rules{rule(catalogue.IncludeAllPrivateChannels), rule(catalogue.ExcludedChannels, channel(2))}, []int{1, 2, 4, 5, 6, 7, 8, 9}},
		{"types", rules{rule(catalogue.IncludedVideoTypes, "NEWS", "STOCK")}, []int{6}},
		{"subjects", rules{rule(catalogue.IncludedSubjects, subject(1), subject(4))}, []int{5, 8}},
		{"categories", rules{rule(catalogue.IncludedThemaCategories, "JNA", "K")}, []int{6, 7}},
		{"an ancestor", rules{rule(catalogue.IncludedThemaCategories, "J")}, []int{6, 7}},
		{"a descendant", rules{rule(catalogue.IncludedThemaCategories, "JNAB")}, nil},
		{"levels", rules{rule(catalogue.IncludedEducationLevels, "4C", "4CD")}, []int{1, 9}},
		{"a distribution method", rules{rule(catalogue.IncludedDistributionMethods, "DOWNLOAD")}, []int{2, 7}},
		{"any distribution method", rules{rule(catalogue.IncludedDistributionMethods, "DOWNLOAD", "STREAM")}, []int{1, 2, 7}},
		{"a distribution method of a private channel", rules{
			rule(catalogue.IncludedDistributionMethods, "STREAM"), rule(catalogue.IncludeAllPrivateChannels),
		}, []int{1, 2, 3}},
		{"includes are AND-ed", rules{rule(catalogue.IncludedSubjects, subject(0)), rule(catalogue.IncludedEducationLevels, "4C")}, nil},
		{"without videos", rules{rule(catalogue.ExcludedVideos, id(1), id(2), id(99))}, []int{5, 6, 7, 8, 9}},
		{"without channels", rules{rule(catalogue.ExcludedChannels, channel(1), channel(3))}, []int{1, 5, 6, 7, 8, 9}},
		{"without types", rules{rule(catalogue.ExcludedVideoTypes, "INSTRUCTIONAL")}, []int{6}},
		{"without languages", rules{rule(catalogue.ExcludedLanguages, "fra", "deu")}, []int{1, 5, 6, 7, 8, 9}},
		{"without YouTube", rules{rule(catalogue.ExcludedPlaybackSources, "YOUTUBE")}, []int{1, 2, 5, 6, 8, 9}},
		{"without the operator's own", rules{rule(catalogue.ExcludedPlaybackSources, "HLS")}, []int{7}},
		{"without any source", rules{rule(catalogue.ExcludedPlaybackSources, "HLS", "YOUTUBE")}, nil},
		{"without levels", rules{rule(catalogue.ExcludedEducationLevels, "4L", "4CD")}, []int{2, 5, 6, 7, 8}},
		{"without warnings", rules{rule(catalogue.ExcludedContentWarnings, warning(0))}, []int{1, 2, 5, 6, 7, 9}},
		{"excluded videos stay excluded", rules{rule(catalogue.IncludedVideos, id(8), id(7)), rule(catalogue.ExcludedContentWarnings, warning(1))}, []int{7}},
		{"a warning is no subject", rules{rule(catalogue.ExcludedContentWarnings, subject(1))}, []int{1, 2, 5, 6, 7, 8, 9}},
		{"many values", rules{rule(catalogue.ExcludedVideos, manyIDs(catalogue.MaxRuleValues)...)}, []int{8, 9}},
		{"a long allow-list", rules{rule(catalogue.IncludedVideos, manyIDs(catalogue.MaxRuleValues)...)}, []int{1, 2, 5, 6, 7}},
	} {
		t.Run(test.name, func(t *testing.T) { sh.in(t).wantVisible(accessBy(test.rules...), test.want) })
	}
}

// manyIDs returns count IDs: those of videos 1 to 7 and of other videos.
func manyIDs(count int) []string {
	var ids []string
	for n := range count {
		if n >= 7 {
			n += 100
		}
		ids = append(ids, string(videoID(n+1)))
	}
	return ids
}

// wantVisible checks that every kind of answer covers exactly the wanted videos. All of them have the title "Video".
func (sh filledIndex) wantVisible(access catalogue.Access, want []int) {
	sh.t.Helper()
	for _, text := range []string{"", "video", `"video"`} {
		query := words(text)
		query.Access, query.Facets = access, &search.FacetRequest{Channels: true}
		sh.wantFound(query, want...)
		counted := 0
		for _, bucket := range sh.search(query).Facets.Channels {
			counted += bucket.Hits
		}
		same(sh.t, "videos counted by channel", counted, len(want))
	}
	counts, err := sh.index.Matches(sh.t.Context(), search.ParseText("video"), []search.MatchLevel{{}}, access, today, 100)
	if err != nil {
		sh.t.Fatal(err)
	}
	same(sh.t, "matches", counts, []int{len(want)})
	found, err := sh.index.Finds(sh.t.Context(), []search.Text{search.ParseText("video")}, access, today)
	if err != nil {
		sh.t.Fatal(err)
	}
	same(sh.t, "texts that find something", found, []bool{len(want) > 0})
	phrases, err := sh.index.Phrases(sh.t.Context(), "vid", access, today, 10)
	if err != nil {
		sh.t.Fatal(err)
	}
	var suggested []search.Phrase
	if len(want) > 0 {
		suggested = []search.Phrase{{Text: "Video", Videos: len(want)}}
	}
	same(sh.t, "suggestions", phrases, suggested)
}

// rulesOfWrites checks that rules apply to the current state of a video rather than to its state at the first search.
func (s suite) rulesOfWrites(t *testing.T) {
	sh := s.fill(t, ruledVideos()...)
	strict := accessBy(
		catalogue.AccessRule{Type: catalogue.ExcludedContentWarnings, Values: []string{string(warningPool[1])}},
		catalogue.AccessRule{Type: catalogue.IncludedChannels, Values: []string{string(channelPool[0])}},
	)
	downloads := accessBy(catalogue.AccessRule{Type: catalogue.IncludedDistributionMethods, Values: []string{"DOWNLOAD"}})
	sh.wantVisible(strict, []int{1, 5, 6, 7})
	sh.wantVisible(downloads, []int{2, 7})
	rewritten := func(n int, change change) search.Document {
		d := ruledVideos()[n-1]
		change(&d)
		d.Version += 100
		return d
	}
	sh.apply(search.Batch{Position: 2, Delete: []catalogue.ID{videoID(7)}, Put: []search.Document{
		rewritten(1, func(d *search.Document) { d.Warnings = warningPool[1:] }),
		rewritten(2, func(d *search.Document) { d.Channel = channelPool[0] }),
		rewritten(5, func(d *search.Document) { d.Channel = channelPool[1] }),
		rewritten(9, func(d *search.Document) { d.Warnings, d.DistributionMethods = nil, catalogue.DistributionMethods()[1:] }),
		video(10),
	}})
	sh.wantVisible(strict, []int{2, 6, 9, 10})
	sh.wantVisible(downloads, []int{2, 9})
	sh.wantVisible(catalogue.Access{}, []int{1, 2, 5, 6, 8, 9, 10})
	sh.rebuild(3, ruledVideos()[4:]...)
	sh.wantVisible(strict, []int{5, 6, 7})
}
