package searchtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func (s suite) order(t *testing.T) {
	// place sets the fields that determine the order.
	place := func(days int, sequence int64, subjects ...catalogue.ID) change {
		return func(d *search.Document) {
			d.ReleasedOn, d.Sequence, d.Subjects = today+catalogue.Date(days), sequence, subjects
		}
	}
	t.Run("newest first, then the highest sequence", func(t *testing.T) {
		sh := s.fill(t, videos(place(0, 2), place(5, 1), place(0, 9), place(-30_000, 5), place(0, 1<<40))...)
		for _, text := range []string{"", "?!", "video"} {
			query := words(text)
			query.ByReleaseDate = text != ""
			sh.wantList(query, 2, 5, 3, 1, 4)
		}
		sh.wantList(words("video"), 2, 5, 3, 1, 4) // equally relevant
	})
	t.Run("without a text, preferred subjects come first", func(t *testing.T) {
		sh := s.fill(t, videos(
			place(0, 1), place(-1, 2, subjectPool[0]), place(1, 3, subjectPool[1]), place(-2, 4, subjectPool[0], subjectPool[2]),
		)...)
		prefer := []catalogue.ID{subjectPool[2], subjectPool[0], "unknown"}
		sh.wantList(search.Query{BoostPreferred: prefer}, 2, 4, 3, 1)
		sh.wantList(search.Query{BoostPreferred: prefer, ByReleaseDate: true}, 3, 1, 2, 4)
		sh.wantList(search.Query{BoostPreferred: prefer, Offset: 1, Size: 2}, 4, 3)
		query := words("video")
		query.BoostPreferred = prefer
		sh.wantFound(query, 1, 2, 3, 4)
	})
	t.Run("boosted channels and subjects come first", func(t *testing.T) {
		channel := func(days int, id catalogue.ID) change {
			return func(d *search.Document) { d.ReleasedOn, d.Channel = today+catalogue.Date(days), id }
		}
		sh := s.fill(t, videos(
			channel(3, channelPool[1]), place(0, 2, subjectPool[0]), channel(-5, channelPool[2]), place(2, 4), place(-9, 5, subjectPool[0]),
		)...)
		lead := search.BoostedNames{Channels: channelPool[2:3], Subjects: subjectPool[:1]}
		query := words("video")
		query.ByReleaseDate, query.BoostNamed = true, lead
		sh.wantList(query, 2, 3, 5, 1, 4)
		query.ByReleaseDate = false
		sh.wantList(query, 2, 3, 5, 1, 4)
		query.BoostPreferred = subjectPool[3:4]
		sh.wantFound(query, 1, 2, 3, 4, 5)
		query.Filter.Channels = channelPool[:1]
		sh.wantList(query, 2, 5, 4)
		query.Size, query.Offset = 1, 1
		sh.wantList(query, 5)
	})
	t.Run("fields in falling weight", func(t *testing.T) {
		sh := s.fill(t, videos(
			titled("volcano"),
			func(d *search.Document) { d.Keywords = []string{"volcano"} },
			func(d *search.Document) { d.SubjectNames = []string{"volcano"} },
			func(d *search.Document) { d.ChannelName = "volcano" },
			func(d *search.Document) {
				d.Description = "Three friends travel to an island, and what they see there is a volcano."
			},
			func(d *search.Document) {
				d.Transcript = strings.Repeat("and then we went on by boat ", 20) + "to a volcano"
			},
		)...)
		sh.wantList(words("volcano"), 1, 2, 3, 4, 5, 6)
	})
}

// paging checks that the pages of a query partition its list.
func (s suite) paging(t *testing.T) {
	var documents []search.Document
	for n := 1; n <= 137; n++ {
		documents = append(documents, video(n, func(d *search.Document) {
			d.Title = []string{"planet", "planet earth", "earth", "the planet earth"}[n%4]
			d.Description = []string{"", "planet", "words and words"}[n%3]
			d.ReleasedOn = today - catalogue.Date(n%5)
			d.Subjects = subjectPool[n%3 : n%3+1]
		}))
	}
	sh := s.fill(t, documents...)
	queries := map[string]search.Query{
		"no text":                  {BoostPreferred: subjectPool[:1]},
		"by date":                  {ByReleaseDate: true, Text: search.ParseText("planet")},
		"by relevance":             words("planet"),
		"two words":                words("earth planet"),
		"a leading part":           {Text: search.ParseText("planet"), BoostNamed: search.BoostedNames{Subjects: subjectPool[1:2]}},
		"preferred":                {Text: search.ParseText("planet"), BoostPreferred: subjectPool[1:2]},
		"filtered":                 {Text: search.ParseText("earth"), Filter: search.Filter{Subjects: subjectPool[:2]}},
		"pinned, buried":           {Text: search.ParseText("planet"), Pin: videoIDs(5, 137, 2), Bury: videoIDs(9, 30, 136, 4), BoostPreferred: subjectPool[1:2]},
		"blank, with search rules": {Pin: videoIDs(5, 137), Bury: videoIDs(9, 30), BoostPreferred: subjectPool[:1]},
		"fewer words":              {Text: search.ParseText("earth planet"), Level: search.MatchLevel{OptionalWords: 1}},
	}
	for name, query := range queries {
		t.Run(name, func(t *testing.T) {
			sh := sh.in(t)
			query.Size = search.MaxWindow
			all := sh.search(query)
			if len(all.Refs) != all.Total || all.Total == 0 {
				t.Fatalf("%d of %d", len(all.Refs), all.Total)
			}
			var paged []catalogue.Ref
			query.Size = 7
			for query.Offset = 0; query.Offset < all.Total; query.Offset += query.Size {
				page := sh.search(query)
				if page.Total != all.Total {
					t.Errorf("total %d at %d, want %d", page.Total, query.Offset, all.Total)
				}
				paged = append(paged, page.Refs...)
			}
			if !slices.Equal(paged, all.Refs) {
				t.Errorf("pages give %v, want %v", numbers(paged), numbers(all.Refs))
			}
		})
	}
	t.Run("behind the end", func(t *testing.T) {
		sh := sh.in(t)
		for _, query := range []search.Query{{Offset: 137, Size: 10}, {Offset: 9_900, Size: 100}} {
			if result := sh.search(query); len(result.Refs) != 0 || result.Total != 137 {
				t.Errorf("%+v: %d of %d", query, len(result.Refs), result.Total)
			}
		}
	})
	t.Run("a page of none", func(t *testing.T) {
		result, err := sh.index.Search(t.Context(), search.Query{Today: today, Facets: &search.FacetRequest{}})
		if err != nil || len(result.Refs) != 0 || result.Total != 137 || result.Facets.Types[0].Hits != 137 {
			t.Errorf("%+v, %v", result, err)
		}
	})
	t.Run("answers belong to the caller", func(t *testing.T) {
		sh := sh.in(t)
		query := search.Query{Facets: allFacets()}
		before := sh.search(query)
		want := sh.search(query)
		for i := range before.Refs {
			before.Refs[i] = catalogue.Ref{}
		}
		before.Facets.Subjects[0], before.Facets.Durations[0] = search.Bucket{}, -1
		same(t, "the same query again", sh.search(query), want)
	})
}
