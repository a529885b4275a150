package searchtest

import (
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

type change = func(*search.Document)

func (s suite) filters(t *testing.T) {
	minutes := func(n int) *catalogue.Duration { return new(catalogue.Duration(n) * catalogue.Minute) }
	lasting := func(d catalogue.Duration) change { return func(doc *search.Document) { doc.Duration = d } }
	released := func(days int) change {
		return func(doc *search.Document) { doc.ReleasedOn = today + catalogue.Date(days) }
	}
	updated := func(after time.Duration) change {
		return func(doc *search.Document) { doc.UpdatedAt = instant(after) }
	}
	aged := func(lowest, highest *int) change {
		return func(doc *search.Document) { doc.Ages = catalogue.AgeRange{Min: lowest, Max: highest} }
	}
	subjects := func(ids ...catalogue.ID) change { return func(doc *search.Document) { doc.Subjects = ids } }
	tags := func(ids ...catalogue.ID) change { return func(doc *search.Document) { doc.Tags = ids } }
	categories := func(codes ...string) change { return func(doc *search.Document) { doc.Categories = codes } }
	at := func(category string, levels ...string) change {
		return func(doc *search.Document) { doc.Categories, doc.EducationLevels = []string{category}, levels }
	}
	yes, no := new(true), new(false)
	none := func(*search.Document) {}

	tests := []struct {
		name      string
		documents []change
		filter    search.Filter
		want      []int
	}{
		{"none", []change{none, none}, search.Filter{}, []int{1, 2}},
		{"nothing", []change{none}, search.Filter{Nothing: true}, nil},
		{"ids", []change{none, none, none}, search.Filter{IDs: []catalogue.ID{videoID(3), videoID(1), videoID(9)}}, []int{1, 3}},
		{"ids that are named twice", []change{none, none}, search.Filter{IDs: []catalogue.ID{videoID(1), videoID(2), videoID(1)}}, []int{1, 2}},
		{"ids that are no ids", []change{none}, search.Filter{IDs: []catalogue.ID{"", "x", "\xff"}}, nil},
		{
			"durations include both ends",
			[]change{lasting(119_999), lasting(120_000), lasting(300_000), lasting(300_001), lasting(0)},
			search.Filter{Durations: []catalogue.DurationRange{{Min: 120_000, Max: minutes(5)}}}, []int{2, 3},
		},
		{
			"durations without an upper end, or-ed",
			[]change{lasting(0), lasting(599_999), lasting(600_000), lasting(2 * catalogue.Day)},
			search.Filter{Durations: []catalogue.DurationRange{{Min: 600_000}, {Min: 0, Max: minutes(0)}}}, []int{1, 3, 4},
		},
		{
			"a duration of no length", []change{lasting(59_999), lasting(60_000), lasting(60_001)},
			search.Filter{Durations: []catalogue.DurationRange{{Min: catalogue.Minute, Max: minutes(1)}}}, []int{2},
		},
		{
			"released from, included", []change{released(-1), released(0), released(1)},
			search.Filter{ReleasedFrom: new(today)}, []int{2, 3},
		},
		{
			"released to, included", []change{released(-1), released(0), released(1)},
			search.Filter{ReleasedTo: new(today)}, []int{1, 2},
		},
		{
			"released on days before 1970",
			[]change{released(-int(today) - 1), released(-int(today)), released(-int(today) + 1), released(-700_000)},
			search.Filter{ReleasedTo: new(catalogue.Date(-1))}, []int{1, 4},
		},
		{
			"updated from, included, to the microsecond",
			[]change{updated(-time.Microsecond), updated(0), updated(time.Microsecond)},
			search.Filter{UpdatedFrom: new(instant(0))}, []int{2, 3},
		},
		{
			"ages share two years",
			[]change{aged(new(5), new(9)), aged(new(9), new(12)), aged(new(10), nil), aged(nil, new(6)), aged(nil, nil), aged(new(7), new(7)), aged(new(11), new(11))},
			search.Filter{Ages: []catalogue.AgeBracket{{From: 9, To: 11}}}, []int{2, 3},
		},
		{
			"ages that are not known are 3 and 99", []change{aged(nil, new(4)), aged(new(98), nil), aged(new(99), nil)},
			search.Filter{Ages: []catalogue.AgeBracket{{From: 0, To: 4}, {From: 90, To: 150}}}, []int{1, 2},
		},
		{
			"lowest age is strict", []change{aged(new(5), nil), aged(new(4), nil), aged(nil, new(9)), aged(new(6), new(7))},
			search.Filter{AgeMin: new(5)}, []int{1, 4},
		},
		{
			"highest age is strict", []change{aged(nil, new(9)), aged(nil, new(10)), aged(new(1), nil), aged(new(1), new(2))},
			search.Filter{AgeMax: new(9)}, []int{1, 4},
		},
		{
			"both together hold each other's bound",
			[]change{aged(new(5), new(9)), aged(new(9), new(9)), aged(new(5), new(5)), aged(new(5), nil), aged(nil, new(9)), aged(new(6), new(8))},
			search.Filter{AgeMin: new(5), AgeMax: new(9)}, []int{1, 6},
		},
		{
			"subjects, or-ed", []change{subjects(subjectPool[0]), subjects(subjectPool[1], subjectPool[2]), subjects(), subjects(subjectPool[2])},
			search.Filter{Subjects: []catalogue.ID{subjectPool[0], subjectPool[1]}}, []int{1, 2},
		},
		{
			"subjects set by hand", []change{none, func(d *search.Document) { d.SubjectsSetManually = true }},
			search.Filter{SubjectsSetManually: yes}, []int{2},
		},
		{
			"subjects not set by hand", []change{none, func(d *search.Document) { d.SubjectsSetManually = true }},
			search.Filter{SubjectsSetManually: no}, []int{1},
		},
		{
			"channels", []change{none, func(d *search.Document) { d.Channel = channelPool[1] }, func(d *search.Document) { d.Channel = "" }},
			search.Filter{Channels: []catalogue.ID{channelPool[1], "unknown"}}, []int{2},
		},
		{
			"types", []change{none, func(d *search.Document) { d.Type = catalogue.News }, func(d *search.Document) { d.Type = catalogue.Stock }},
			search.Filter{Types: []catalogue.VideoType{catalogue.News, catalogue.Stock}}, []int{2, 3},
		},
		{
			"tags, and-ed", []change{tags(tagPool[0]), tags(tagPool[1], tagPool[0]), tags(tagPool[0], tagPool[1], tagPool[2]), tags(tagPool[1])},
			search.Filter{Tags: tagPool[:2]}, []int{2, 3},
		},
		{"an unknown tag", []change{tags(tagPool[0])}, search.Filter{Tags: []catalogue.ID{tagPool[0], "unknown"}}, nil},
		{"promoted", []change{none, func(d *search.Document) { d.Promoted = true }}, search.Filter{Promoted: yes}, []int{2}},
		{"not promoted", []change{none, func(d *search.Document) { d.Promoted = true }}, search.Filter{Promoted: no}, []int{1}},
		{
			"languages", []change{none, func(d *search.Document) { d.Language = "fra" }, func(d *search.Document) { d.Language = "eng" }},
			search.Filter{Languages: []catalogue.Language{"fra", "zzz"}}, []int{2},
		},
		{
			"a language that is not known", []change{none, func(d *search.Document) { d.Language = "fra" }, func(d *search.Document) { d.Language = "eng" }},
			search.Filter{Languages: []catalogue.Language{catalogue.Undetermined, "eng"}}, []int{1, 3},
		},
		{
			"education levels", []change{none, func(d *search.Document) { d.EducationLevels = []string{"4CD", "4L"} }, func(d *search.Document) { d.EducationLevels = []string{"4C"} }},
			search.Filter{EducationLevels: []string{"4L", "4CT"}}, []int{2},
		},
		{
			"CEFR", []change{none, func(d *search.Document) { d.CEFR = "A1" }, func(d *search.Document) { d.CEFR = "C2" }},
			search.Filter{CEFR: []catalogue.CEFRLevel{"C2", "B1"}}, []int{3},
		},
		{
			"subtypes", []change{none, func(d *search.Document) { d.Subtypes = []catalogue.Subtype{"ANIMATION", "INTERVIEW"} }},
			search.Filter{Subtypes: []catalogue.Subtype{"INTERVIEW"}}, []int{2},
		},
		{
			"resource types", []change{none, func(d *search.Document) { d.ResourceTypes = []catalogue.AttachmentType{"ACTIVITY"} }},
			search.Filter{ResourceTypes: []catalogue.AttachmentType{"ACTIVITY", "LESSON_PLAN"}}, []int{2},
		},
		{
			"categories with what is under them", []change{categories("JNA"), categories("JN"), categories("J"), categories("KJN", "JNB"), categories("KJN")},
			search.Filter{Categories: []string{"JN"}}, []int{1, 2, 4},
		},
		{
			"topics", []change{none, func(d *search.Document) { d.Topics = topicPool[:2] }},
			search.Filter{Topics: topicPool[1:3]}, []int{2},
		},
		{
			"places in a curriculum, of one of which a video must be",
			[]change{at("JNA", "4CD"), at("JN", "4CT"), at("K", "4CT"), at("JN", "4CD"), at("J", "4CD"), none},
			search.Filter{Curriculum: []search.Place{
				{Categories: []string{"JN"}, EducationLevels: []string{"4CD", "4C"}},
				{Categories: []string{"K", "KC"}, EducationLevels: []string{"4CT"}},
			}}, []int{1, 3, 4},
		},
		{
			"a place in a curriculum of any level", []change{at("JNA", "4CD"), at("JN"), at("K", "4CD")},
			search.Filter{Curriculum: []search.Place{{Categories: []string{"JN"}}}}, []int{1, 2},
		},
		{
			"a place in a curriculum of any category", []change{at("JNA", "4CD"), at("JN"), at("K", "4CD", "4CT")},
			search.Filter{Curriculum: []search.Place{{EducationLevels: []string{"4CD"}}}}, []int{1, 3},
		},
		{"any place in a curriculum", []change{none, none}, search.Filter{Curriculum: []search.Place{{Categories: []string{"J"}}, {}}}, []int{1, 2}},
		{
			"places in a curriculum that have nothing", []change{at("JNA", "4CD"), none},
			search.Filter{Curriculum: []search.Place{{Categories: []string{}}, {Categories: []string{"J"}, EducationLevels: []string{}}}}, nil,
		},
		{
			"a place in a curriculum beside the filters of its fields", []change{at("JNA", "4CD", "4CT"), at("JN", "4CD"), at("JNA", "4CT")},
			search.Filter{
				Curriculum: []search.Place{{Categories: []string{"JN"}, EducationLevels: []string{"4CD"}}},
				Categories: []string{"JNA"}, EducationLevels: []string{"4CT"},
			}, []int{1},
		},
		{"hosted on YouTube", []change{none, func(d *search.Document) { d.YouTube = true }}, search.Filter{YouTube: yes}, []int{2}},
		{"not hosted on YouTube", []change{none, func(d *search.Document) { d.YouTube = true }}, search.Filter{YouTube: no}, []int{1}},
		{
			"fields are and-ed", []change{tags(tagPool[0]), subjects(subjectPool[0]), func(d *search.Document) { d.Tags, d.Subjects = tagPool, subjectPool }},
			search.Filter{Tags: tagPool[:1], Subjects: subjectPool[:1], Promoted: no}, []int{3},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s.fill(t, videos(test.documents...)...).wantFound(search.Query{Filter: test.filter}, test.want...)
		})
	}
	t.Run("a list without values matches nothing", s.emptyLists)
}

func (s suite) emptyLists(t *testing.T) {
	sh := s.fill(t, video(1, func(d *search.Document) { d.Ages.Min = new(5) }))
	for _, filter := range []search.Filter{
		{IDs: []catalogue.ID{}}, {Durations: []catalogue.DurationRange{}}, {Ages: []catalogue.AgeBracket{}},
		{Subjects: []catalogue.ID{}}, {Channels: []catalogue.ID{}}, {Types: []catalogue.VideoType{}},
		{Tags: []catalogue.ID{}}, {Languages: []catalogue.Language{}}, {EducationLevels: []string{}},
		{CEFR: []catalogue.CEFRLevel{}}, {Subtypes: []catalogue.Subtype{}},
		{ResourceTypes: []catalogue.AttachmentType{}}, {Categories: []string{}}, {Topics: []catalogue.ID{}},
		{Curriculum: []search.Place{}},
	} {
		sh.wantFound(search.Query{Filter: filter})
	}
}
