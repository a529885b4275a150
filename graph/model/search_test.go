package model_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/model"
)

var facetNames = []string{
	"subjects", "ageRanges", "bestForTags", "durations", "resourceTypes", "videoTypes", "channels", "educationLevels", "topics", "languages",
	"cefrLevels", "videoSubtypes",
}

// facetsOf returns facets with these lists of buckets, in the order of facetNames.
func facetsOf(lists [][]model.FacetBucket) *model.Facets {
	f := &model.Facets{}
	for i, place := range []*[]model.FacetBucket{
		&f.Subjects, &f.AgeRanges, &f.BestForTags, &f.Durations, &f.ResourceTypes, &f.VideoTypes, &f.Channels, &f.EducationLevels, &f.Topics,
		&f.Languages, &f.CefrLevels, &f.VideoSubtypes,
	} {
		*place = lists[i]
	}
	return f
}

func TestFacetsJSON(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("\"\\/<>&\x00\x1f\x7f\n\u2028éa")), 0, 8, -1),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }))
	bucket := rapid.Custom(func(t *rapid.T) model.FacetBucket {
		return model.FacetBucket{
			Key: texts.Draw(t, "key"), Hits: rapid.IntRange(0, math.MaxInt32).Draw(t, "hits"), ID: rapid.Ptr(texts, true).Draw(t, "id"),
			Name: rapid.Ptr(texts, true).Draw(t, "name"), Score: rapid.Ptr(rapid.Float64Range(0, 1), true).Draw(t, "score"),
		}
	})
	valid := func(text string) string { return string([]rune(text)) } // encoding/json replaces invalid UTF-8 in the same way
	distinct := rapid.SliceOfNDistinct(bucket, 0, 4, func(b model.FacetBucket) string { return valid(b.Key) })
	rapid.Check(t, func(t *rapid.T) {
		lists := rapid.SliceOfN(distinct, 12, 12).Draw(t, "facets")
		facets := facetsOf(lists)
		var got map[string]map[string]struct {
			Hits     int
			ID, Name *string
			Score    *float64
		}
		if err := json.Unmarshal(facets.JSON(), &got); err != nil {
			t.Fatalf("%q: %v", facets.JSON(), err)
		}
		if strings.ContainsRune(string(facets.JSON()), 0) || len(got) != 12 {
			t.Fatalf("a byte 0, or not twelve facets: %q", facets.JSON())
		}
		same := func(a, b *string) bool { return (a == nil) == (b == nil) && (a == nil || *a == valid(*b)) }
		for i, name := range facetNames {
			if len(got[name]) != len(lists[i]) || got[name] == nil {
				t.Fatalf("%s: %d buckets of %d", name, len(got[name]), len(lists[i]))
			}
			for _, want := range lists[i] {
				b, there := got[name][valid(want.Key)]
				score := (b.Score == nil) == (want.Score == nil) && (b.Score == nil || *b.Score == *want.Score)
				if !there || b.Hits != want.Hits || !same(b.ID, want.ID) || !same(b.Name, want.Name) || !score {
					t.Fatalf("%s: %+v is written %+v", name, want, b)
				}
			}
		}
	})
}

// TestFacetsInOrder proves that facets have a fixed order, and that buckets keep the order of the list.
func TestFacetsInOrder(t *testing.T) {
	lists := make([][]model.FacetBucket, 12)
	want := "{"
	for i, name := range facetNames {
		lists[i] = []model.FacetBucket{{Key: "b", Hits: i}, {Key: "a", ID: new("x"), Name: new("<é>"), Score: new(0.5)}}
		want += fmt.Sprintf(`%q:{"b":{"hits":%d,"id":null,"name":null,"score":null},"a":{"hits":0,"id":"x","name":"<é>","score":0.5}},`, name, i)
	}
	if got := string(facetsOf(lists).JSON()); got != strings.TrimSuffix(want, ",")+"}" {
		t.Errorf("got %s", got)
	}
	empty := (&model.Facets{}).JSON()
	if want := `{"` + strings.Join(facetNames, `":{},"`) + `":{}}`; string(empty) != want {
		t.Errorf("got %s", empty)
	}
}

func TestTotalPages(t *testing.T) {
	for _, c := range []struct{ total, size, want int }{{0, 100, 0}, {1, 100, 1}, {100, 100, 1}, {101, 100, 2}, {10, 1, 10}, {10_000, 3, 3334}} {
		page := &model.VideoSearch{Total: c.total, Size: c.size, Facets: &model.Facets{}}
		if got := page.TotalPages(); got != c.want || page.FacetMap() != page.Facets {
			t.Errorf("%d in pages of %d: %d, want %d", c.total, c.size, got, c.want)
		}
	}
}

func TestReferencesJSON(t *testing.T) {
	refs := &model.References{List: []catalogue.Ref{{ID: id(1), Version: 7}, {ID: id(2), Version: math.MaxInt64}}}
	var texts []string
	if err := json.Unmarshal(refs.AppendJSON(nil), &texts); err != nil || !slices.Equal(texts, []string{refs.List[0].String(), refs.List[1].String()}) {
		t.Errorf("%s: %v", refs.AppendJSON(nil), err)
	}
	if got := string((&model.References{}).AppendJSON(nil)); got != "[]" {
		t.Errorf("none are written %s", got)
	}
}
