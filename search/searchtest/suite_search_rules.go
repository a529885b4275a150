package searchtest

import (
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// videoIDs returns the IDs of videos by their numbers.
func videoIDs(numbers ...int) []catalogue.ID {
	ids := make([]catalogue.ID, len(numbers))
	for i, n := range numbers {
		ids[i] = videoID(n)
	}
	return ids
}

func (s suite) searchRules(t *testing.T) {
	subject := func(title string, id catalogue.ID) change {
		return func(d *search.Document) { d.Title, d.Subjects = title, []catalogue.ID{id} }
	}
	sh := s.fill(t, videos(
		subject("volcano", subjectPool[0]), subject("volcano", subjectPool[1]), subject("glacier", subjectPool[0]),
		func(d *search.Document) {
			d.Title, d.Description, d.Subjects = "glacier", "no volcano", subjectPool[1:2]
		},
		subject("desert", subjectPool[2]),
		func(d *search.Document) { d.Title, d.Private = "volcano", true },
		func(d *search.Document) { d.Title, d.AvailableUntil = "volcano", new(today-1) },
	)...)
	volcano := func(pin, bury []catalogue.ID) search.Query {
		query := words("volcano")
		query.Pin, query.Bury = pin, bury
		return query
	}
	t.Run("pinned first, in their order, whatever they say", func(t *testing.T) {
		sh := sh.in(t)
		sh.wantList(volcano(videoIDs(5, 1, 3), nil), 5, 1, 3, 2, 4)
		sh.wantFound(volcano(videoIDs(5, 1, 3), nil), 1, 2, 3, 4, 5)
		sh.wantList(volcano(videoIDs(3, 99, 3, 5), nil), 3, 5, 2, 1, 4)
	})
	t.Run("also where nothing matches", func(t *testing.T) {
		query := words(`tornado "of fire"`)
		query.Pin = videoIDs(2, 5)
		sh.in(t).wantList(query, 2, 5)
		sh.in(t).wantFound(query, 2, 5)
	})
	t.Run("not what access hides", func(t *testing.T) {
		sh.in(t).wantList(volcano(videoIDs(6, 7, 3), nil), 3, 2, 1, 4)
		sh.in(t).wantFound(volcano(videoIDs(6, 7, 3), nil), 1, 2, 3, 4)
		query := volcano(videoIDs(7, 6), nil)
		query.Access.PrivateChannels = true
		sh.in(t).wantList(query, 6, 2, 1, 4)
	})
	t.Run("not what a filter leaves out", func(t *testing.T) {
		query := volcano(videoIDs(4, 3, 5), nil)
		query.Filter.Subjects = subjectPool[:1]
		sh.in(t).wantList(query, 3, 1)
		query.Facets = &search.FacetRequest{}
		same(t, "facet of subjects", sh.in(t).search(query).Facets.Subjects, []search.Bucket{
			{Key: string(subjectPool[0]), Hits: 2}, {Key: string(subjectPool[1]), Hits: 2}, {Key: string(subjectPool[2]), Hits: 1},
		})
	})
	t.Run("buried last, if they match", func(t *testing.T) {
		sh.in(t).wantList(volcano(nil, videoIDs(2, 5, 99)), 1, 4, 2)
		sh.in(t).wantList(volcano(videoIDs(3), videoIDs(1, 2)), 3, 4, 2, 1)
		sh.in(t).wantList(volcano(videoIDs(2), videoIDs(2, 1)), 2, 4, 1)
	})
	t.Run("before and behind what leads", func(t *testing.T) {
		query := volcano(videoIDs(5), videoIDs(4))
		query.BoostNamed.Subjects = subjectPool[1:2]
		sh.in(t).wantList(query, 5, 2, 1, 4)
	})
	t.Run("without a place by release date", func(t *testing.T) {
		query := volcano(videoIDs(3, 5), videoIDs(4))
		query.ByReleaseDate = true
		sh.in(t).wantList(query, 5, 4, 3, 2, 1)
	})
	t.Run("without a text", func(t *testing.T) {
		query := search.Query{Pin: videoIDs(2, 4), Bury: videoIDs(3, 5), BoostPreferred: subjectPool[:1]}
		sh.in(t).wantList(query, 2, 4, 1, 3, 5)
	})
	t.Run("matches do not count them", func(t *testing.T) {
		counts, err := sh.index.Matches(t.Context(), search.ParseText("tornado"), search.MatchLevels(1), catalogue.Access{}, today, 10)
		if err != nil || counts[0] != 0 {
			t.Errorf("matches %v, %v", counts, err)
		}
	})
}
