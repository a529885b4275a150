package searchtest

import (
	"math"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// direction returns a vector of two dimensions at an angle in degrees: the similarity of two directions is the cosine of
// the angle between them.
func direction(degrees float64) search.Vector {
	radians := degrees * math.Pi / 180
	return search.Quantize([]float32{float32(math.Cos(radians)), float32(math.Sin(radians))})
}

// pointing sets the title of a video and the directions of its passages.
func pointing(title string, degrees ...float64) change {
	return func(d *search.Document) {
		d.Title = title
		for _, angle := range degrees {
			d.Vectors = append(d.Vectors, direction(angle))
		}
	}
}

// meaning returns a query for all words of a text whose meaning is a direction. Videos within 45 degrees are near it.
func meaning(text string, degrees float64) search.Query {
	query := words(text)
	query.Meaning = &search.Meaning{Vector: direction(degrees), Least: 0.7}
	return query
}

func (s suite) meaning(t *testing.T) {
	sh := s.fill(t, videos(
		pointing("volcano", 90), pointing("magma", 10), pointing("lava", 170, 2), pointing("glacier", 100, 180), pointing("desert"),
		func(d *search.Document) { pointing("crater", 0)(d); d.Private = true },
		func(d *search.Document) { pointing("eruption", 40)(d); d.Subjects = subjectPool[:1] },
	)...)
	t.Run("near videos join those with the words", func(t *testing.T) {
		sh := sh.in(t)
		sh.wantFound(meaning("volcano", 0), 1, 2, 3, 7)
		sh.wantFound(meaning("tornado", 180), 3, 4)
		sh.wantFound(meaning("volcano", 270), 1)
	})
	t.Run("the most similar passage counts", func(t *testing.T) {
		sh.in(t).wantList(meaning("tornado", 0), 3, 2, 7)
	})
	t.Run("words and similarity add up", func(t *testing.T) {
		sh.in(t).wantList(meaning("magma", 0), 2, 3, 7)
		sh.in(t).wantList(meaning("volcano", 80), 1, 4, 7)
	})
	t.Run("a meaning without words", func(t *testing.T) {
		query := meaning("", 0)
		sh.in(t).wantList(query, 3, 2, 7)
		query.Filter.IDs = videoIDs(1, 2)
		sh.in(t).wantFound(query, 2)
	})
	t.Run("not what access hides", func(t *testing.T) {
		query := meaning("tornado", 0)
		query.Access.PrivateChannels = true
		sh.in(t).wantList(query, 6, 3, 2, 7)
	})
	t.Run("filters, totals and facets", func(t *testing.T) {
		query := meaning("tornado", 0)
		query.Filter.Subjects = subjectPool[:1]
		query.Facets = &search.FacetRequest{Channels: true}
		sh.in(t).wantFound(query, 7)
		facets := sh.in(t).search(query).Facets
		same(t, "facet of channels", facets.Channels, []search.Bucket{{Key: string(channelPool[0]), Hits: 1}})
		same(t, "facet of subjects", facets.Subjects, []search.Bucket{{Key: string(subjectPool[0]), Hits: 1}})
	})
	t.Run("boosted, pinned and buried videos", func(t *testing.T) {
		query := meaning("tornado", 0)
		query.Pin, query.Bury = videoIDs(5), videoIDs(3)
		sh.in(t).wantList(query, 5, 2, 7, 3)
		query = meaning("tornado", 0)
		query.BoostNamed.Subjects = subjectPool[:1]
		sh.in(t).wantList(query, 7, 3, 2)
	})
	t.Run("preferred subjects count a little", func(t *testing.T) {
		query := meaning("tornado", 0)
		query.BoostPreferred = subjectPool[:1]
		sh.in(t).wantList(query, 3, 2, 7)
	})
	t.Run("by release date", func(t *testing.T) {
		query := meaning("volcano", 0)
		query.ByReleaseDate = true
		sh.in(t).wantList(query, 7, 3, 2, 1)
	})
	t.Run("matches do not count them", func(t *testing.T) {
		counts, err := sh.index.Matches(t.Context(), search.ParseText("tornado"), search.MatchLevels(1), catalogue.Access{}, today, 10)
		if err != nil || counts[0] != 0 {
			t.Errorf("matches %v, %v", counts, err)
		}
	})
	t.Run("another number of dimensions", func(t *testing.T) {
		query := meaning("volcano", 0)
		query.Meaning.Vector = search.Quantize([]float32{1, 0, 0})
		sh.in(t).wantFound(query, 1)
	})
	t.Run("new and deleted vectors", func(t *testing.T) {
		sh := s.fill(t, videos(pointing("magma", 10), pointing("lava", 20), pointing("desert"))...)
		sh.apply(search.Batch{Position: 2, Delete: videoIDs(1), Put: []search.Document{
			video(2, titled("lava")), video(3, pointing("desert", 5)),
		}})
		sh.wantFound(meaning("tornado", 0), 3)
	})
	t.Run("changed vectors, then new videos", func(t *testing.T) {
		sh := s.fill(t, videos(pointing("a", 0), pointing("b", 0), pointing("c", 0), pointing("d", 0))...)
		sh.apply(search.Batch{Position: 2, Put: []search.Document{
			video(1, titled("a")), video(2, pointing("b", 10)), video(3, pointing("c", 10)), video(4, pointing("d", 10)),
		}})
		for n := 5; n < 10; n++ {
			sh.apply(search.Batch{Position: int64(n), Put: []search.Document{video(n, pointing("new", 20))}})
		}
		sh.wantFound(meaning("tornado", 0), 2, 3, 4, 5, 6, 7, 8, 9)
	})
}

// nearestFew checks that a query has at most MaxNearest near videos, chosen before filters, and that pages fit together.
func (s suite) nearestFew(t *testing.T) {
	const all = search.MaxNearest + 20
	documents := make([]search.Document, all)
	for i := range documents {
		documents[i] = video(i+1, titled("video"))
		documents[i].Vectors = []search.Vector{{127, int8(i)}}
	}
	sh := s.fill(t, documents...)
	query := meaning("tornado", 0)
	result := sh.search(query)
	if result.Total != search.MaxNearest {
		t.Errorf("%d videos are near, want %d", result.Total, search.MaxNearest)
	}
	if got := numbers(result.Refs[:3]); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("the nearest are %v, want 1, 2 and 3", got)
	}
	query.Filter.IDs = videoIDs(1, all)
	sh.wantFound(query, 1)

	query = meaning("video", 0)
	whole := numbers(sh.search(search.Query{Text: query.Text, Meaning: query.Meaning, Size: all}).Refs)
	var pages []int
	for offset := 0; offset < all; offset += 13 {
		query.Offset, query.Size = offset, 13
		pages = append(pages, numbers(sh.search(query).Refs)...)
	}
	if len(whole) != all || !slices.Equal(pages, whole) {
		t.Errorf("pages list %v, the whole is %v", pages, whole)
	}
}

// longPages checks that the pages of a long text, with and without a meaning, list every result once, in the order of the
// whole.
func (s suite) longPages(t *testing.T) {
	const all = 430
	words := []string{"rivers", "carve", "valleys", "slowly", "through", "mountains"}
	documents := make([]search.Document, all)
	for i := range documents {
		title := words[i%len(words)]
		if i%7 == 0 {
			title += " " + words[(i+1)%len(words)]
		}
		documents[i] = video(i+1, titled(title))
		documents[i].Vectors = []search.Vector{{127, int8(i % 120)}}
	}
	sh := s.fill(t, documents...)
	for _, query := range []search.Query{
		{Text: search.ParseText("how rivers slowly carve valleys through mountains")},
		meaning("how rivers slowly carve valleys through mountains", 0),
	} {
		query.Level = search.MatchLevel{Typos: true, OptionalWords: 5}
		query.Size = all
		whole := numbers(sh.search(query).Refs)
		var pages []int
		for offset := 0; offset < all; offset += 70 {
			query.Offset, query.Size = offset, 70
			pages = append(pages, numbers(sh.search(query).Refs)...)
		}
		if !slices.Equal(pages, whole) {
			t.Errorf("the pages list\n%v, the whole is\n%v", pages, whole)
		}
		slices.Sort(whole)
		if whole = slices.Compact(whole); len(whole) != all {
			t.Errorf("%d of %d videos are listed", len(whole), all)
		}
	}
}
