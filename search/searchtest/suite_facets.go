package searchtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// allFacets requests every facet with the default buckets.
func allFacets() *search.FacetRequest {
	return &search.FacetRequest{
		Durations: catalogue.DefaultDurationBuckets(), Ages: catalogue.DefaultAgeBuckets(),
		Channels: true, EducationLevels: true, Topics: true, CEFR: true,
	}
}

func bucketsOf[T ~string](hits int, keys ...T) []search.Bucket {
	buckets := make([]search.Bucket, len(keys))
	for i, key := range keys {
		buckets[i] = search.Bucket{Key: string(key), Hits: hits}
	}
	return buckets
}

func (s suite) facets(t *testing.T) {
	t.Run("none asked for", func(t *testing.T) {
		if facets := s.fill(t, video(1)).search(search.Query{}).Facets; facets != nil {
			t.Errorf("got %+v, want nil", facets)
		}
	})
	t.Run("facets that are not requested are nil", func(t *testing.T) {
		facets := s.fill(t, fullVideo(1)).search(search.Query{Facets: &search.FacetRequest{}}).Facets
		if facets.Channels != nil || facets.EducationLevels != nil || facets.Topics != nil || facets.CEFR != nil {
			t.Errorf("got %+v", facets)
		}
		if len(facets.Subjects) == 0 || len(facets.Durations) != 0 || len(facets.Ages) != 0 {
			t.Errorf("got %+v", facets)
		}
	})
	t.Run("an empty index", func(t *testing.T) {
		want := &search.Facets{Durations: make([]int, 5), Ages: make([]int, 6)}
		got := s.fill(t).search(search.Query{Facets: allFacets()}).Facets
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("every facet", s.everyFacet)
	t.Run("most hits first, then by key", func(t *testing.T) {
		sh := s.fill(t, videos(
			func(d *search.Document) { d.Subjects = []catalogue.ID{subjectPool[2], subjectPool[0]} },
			func(d *search.Document) { d.Subjects = []catalogue.ID{subjectPool[2], subjectPool[1]} },
		)...)
		same(t, "subjects", sh.search(search.Query{Facets: &search.FacetRequest{}}).Facets.Subjects,
			append(bucketsOf(2, subjectPool[2]), bucketsOf(1, subjectPool[:2]...)...))
	})
	t.Run("a value named twice counts once", func(t *testing.T) {
		sh := s.fill(t, video(1, func(d *search.Document) { d.Tags = []catalogue.ID{tagPool[0], tagPool[0]} }))
		same(t, "tags", sh.search(search.Query{Facets: &search.FacetRequest{}}).Facets.Tags, bucketsOf(1, tagPool[0]))
	})
	t.Run("the last default bucket includes 24 hours", func(t *testing.T) {
		sh := s.fill(t, videos(
			func(d *search.Document) { d.Duration = catalogue.Day - 1 },
			func(d *search.Document) { d.Duration = catalogue.Day },
			func(d *search.Document) { d.Duration = catalogue.Day + 1 },
		)...)
		facets := sh.search(search.Query{Facets: &search.FacetRequest{Durations: catalogue.DefaultDurationBuckets()}}).Facets
		same(t, "durations", facets.Durations, []int{0, 0, 0, 0, 2})
	})
	t.Run("own buckets in the order of the request", s.ownBuckets)
	t.Run("disjunctive", s.disjunctiveFacets)
	t.Run("by the level of the results", func(t *testing.T) {
		sh := s.fill(t, videos(titled("red apple"), titled("red pear"), titled("apple"))...)
		query := words("red apple")
		query.Facets = &search.FacetRequest{}
		for missing, want := range []int{1, 3} {
			query.Level.OptionalWords = missing
			same(t, "types", sh.search(query).Facets.Types, bucketsOf(want, catalogue.Instructional))
		}
	})
}

// fullVideo returns a video with a value in every field.
func fullVideo(n int) search.Document {
	return video(n, func(d *search.Document) {
		d.Subjects, d.Tags, d.Topics = subjectPool[:2], tagPool[:1], topicPool[:1]
		d.Language, d.CEFR = "fra", "B2"
		d.EducationLevels = []string{"4CD"}
		d.Subtypes = []catalogue.Subtype{"INTERVIEW", "ANIMATION"}
		d.ResourceTypes = []catalogue.AttachmentType{"LESSON_PLAN"}
		d.Duration = 2 * catalogue.Minute
		d.Ages = catalogue.AgeRange{Min: new(5), Max: new(9)}
	})
}

func (s suite) everyFacet(t *testing.T) {
	sh := s.fill(t, fullVideo(1), video(2), video(3, func(d *search.Document) { d.Retired = true }))
	got := sh.search(search.Query{Size: 1, Offset: 1, Facets: allFacets()}).Facets
	want := &search.Facets{
		Durations:       []int{1, 1, 0, 0, 0}, // two minutes fall in the bucket that starts at two minutes
		Ages:            []int{0, 1, 0, 0, 0, 0},
		Subjects:        bucketsOf(1, subjectPool[:2]...),
		Tags:            bucketsOf(1, tagPool[0]),
		Types:           bucketsOf(2, catalogue.Instructional),
		Channels:        bucketsOf(2, channelPool[0]),
		EducationLevels: bucketsOf(1, "4CD"),
		Topics:          bucketsOf(1, topicPool[0]),
		Languages:       bucketsOf(1, "fra", catalogue.Undetermined),
		CEFR:            bucketsOf(1, "B2"),
		Subtypes:        bucketsOf(1, "ANIMATION", "INTERVIEW"),
		ResourceTypes:   bucketsOf(1, "LESSON_PLAN"),
	}
	same(t, "facets", got, want)
}

func (s suite) ownBuckets(t *testing.T) {
	lasting := func(d catalogue.Duration) change { return func(doc *search.Document) { doc.Duration = d } }
	sh := s.fill(t, videos(
		lasting(0), lasting(60_000), lasting(90_000), lasting(catalogue.Day), lasting(3*catalogue.Day),
		func(d *search.Document) { d.Duration, d.Ages = 0, catalogue.AgeRange{Min: new(4), Max: new(4)} },
		func(d *search.Document) { d.Duration, d.Ages = 0, catalogue.AgeRange{Max: new(5)} },
	)...)
	request := &search.FacetRequest{
		Durations: []catalogue.DurationRange{
			{Min: 60_000, Max: new(catalogue.Duration(90_000))},
			{Min: 0},
			{Min: 60_000, Max: new(catalogue.Duration(60_000))},
			{Min: catalogue.Day, Max: new(catalogue.Day + 1)},
			{Min: 60_000, Max: new(catalogue.Duration(90_000))},
			{Min: 90_001, Max: new(catalogue.Day)}, // the only bucket that includes its end
			{Min: catalogue.Day, Max: new(catalogue.Day)},
		},
		Ages: []catalogue.AgeBracket{{From: 4, To: 6}, {From: 3, To: 5}, {From: 4, To: 4}, {From: 0, To: 150}},
	}
	facets := sh.search(search.Query{Facets: request}).Facets
	same(t, "durations", facets.Durations, []int{1, 7, 0, 1, 1, 1, 1})
	same(t, "ages", facets.Ages, []int{1, 2, 0, 2})
}

// disjunctiveFacets checks that each facet ignores its own filter and applies all others.
func (s suite) disjunctiveFacets(t *testing.T) {
	other := video(2, func(d *search.Document) {
		d.Subjects, d.Tags, d.Topics, d.Channel = subjectPool[3:4], tagPool[3:4], topicPool[3:4], channelPool[3]
		d.Language, d.CEFR, d.Type = "deu", "A1", catalogue.News
		d.EducationLevels = []string{"4L"}
		d.Subtypes = []catalogue.Subtype{"DOCUMENTARY"}
		d.ResourceTypes = []catalogue.AttachmentType{"ACTIVITY"}
		d.Duration = 30 * catalogue.Minute
		d.Ages = catalogue.AgeRange{Min: new(14), Max: new(16)}
	})
	sh := s.fill(t, fullVideo(1), other)
	unfiltered := sh.search(search.Query{Facets: allFacets()}).Facets
	withCurriculum := search.Filter{Curriculum: []search.Place{{EducationLevels: []string{"4L"}}}, EducationLevels: []string{"4CD"}}
	if levels := sh.search(search.Query{Filter: withCurriculum, Facets: allFacets()}).Facets.EducationLevels; len(levels) != 1 || levels[0].Key != "4L" {
		t.Errorf("a place in a curriculum is not heeded by the facet of levels: %v", levels)
	}
	first := sh.search(search.Query{Filter: search.Filter{IDs: []catalogue.ID{videoID(1)}}, Facets: allFacets()}).Facets
	tests := []struct {
		name   string
		filter search.Filter
		own    func(to, from *search.Facets)
	}{
		{"durations", search.Filter{Durations: []catalogue.DurationRange{{Min: 0, Max: new(5 * catalogue.Minute)}}}, ownFilters[0].copy},
		{"ages", search.Filter{Ages: []catalogue.AgeBracket{{From: 5, To: 9}}}, ownFilters[1].copy},
		{"highest age", search.Filter{AgeMax: new(10)}, ownFilters[1].copy},
		{"lowest and highest age", search.Filter{AgeMin: new(5), AgeMax: new(10)}, ownFilters[1].copy},
		{"subjects", search.Filter{Subjects: subjectPool[:1]}, ownFilters[2].copy},
		{"tags", search.Filter{Tags: tagPool[:1]}, ownFilters[3].copy},
		{"types", search.Filter{Types: []catalogue.VideoType{catalogue.Instructional}}, ownFilters[4].copy},
		{"channels", search.Filter{Channels: channelPool[:1]}, ownFilters[5].copy},
		{"education levels", search.Filter{EducationLevels: []string{"4CD"}}, ownFilters[6].copy},
		{"topics", search.Filter{Topics: topicPool[:1]}, ownFilters[7].copy},
		{"languages", search.Filter{Languages: []catalogue.Language{"fra"}}, ownFilters[8].copy},
		{"CEFR", search.Filter{CEFR: []catalogue.CEFRLevel{"B2"}}, ownFilters[9].copy},
		{"subtypes", search.Filter{Subtypes: []catalogue.Subtype{"ANIMATION"}}, ownFilters[10].copy},
		{"resource types", search.Filter{ResourceTypes: []catalogue.AttachmentType{"LESSON_PLAN"}}, ownFilters[11].copy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := *first
			test.own(&want, unfiltered)
			result := sh.in(t).search(search.Query{Filter: test.filter, Facets: allFacets()})
			same(t, "facets", result.Facets, &want)
			same(t, "results", numbers(result.Refs), []int{1})
		})
	}
}
