package importline_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
)

func derived(kind catalogue.Kind, ref string) catalogue.ID {
	return catalogue.DeriveID(kind, "s", ref)
}

func TestNewVideoWithEveryField(t *testing.T) {
	line := `{` + head + `
		"title":"T","description":"D","additionalDescription":"A","releasedOn":"2020-02-29","type":"stock",
		"playback":{"id":"p","provider":"hls","duration":90.5,"stream":"https://s.example/v.m3u8","thumbnail":"https://s.example/{thumbnailWidth}.jpg","preview":"demo:x"},
		"channel":"c","subjects":["s1",{"source":"other","ref":"s2"},"0123456789abcdef01234567","s1"],
		"subjectsSetManually":true,"legalRestrictions":"L","ageRange":{"min":5,"max":1.1e1},"bestFor":["b"],
		"promoted":true,"language":"DE","attachments":[{"type":"Lesson Guide","link":"https://a.example"},{"id":"a2","type":"ACTIVITY","link":"https://b.example","description":"X"}],
		"contentWarnings":[],"keywords":["k1","k2","k1"],"availableUntil":"2030-01-01","educationLevels":["4CL"],
		"cefrLevel":"b1","contentCategories":["animation"],"categories":["YPMP"],"topics":["t"],
		"transcript":"Words.","hasTranscript":false,"legacyId":"123","retired":true,"retiredInto":"v2"}`
	id := derived(catalogue.KindVideo, "v1")
	additional, description, transcript := "A", "X", "Words."
	low, high := 5, 11
	language, level := catalogue.Language("deu"), catalogue.CEFRLevel("B1")
	until, _ := catalogue.ParseDate("2030-01-01")
	released, _ := catalogue.ParseDate("2020-02-29")
	replacement := derived(catalogue.KindVideo, "v2")
	want := &catalogue.Video{
		Meta:  catalogue.Meta{ID: id, Source: "s", Reference: "v1"},
		Title: "T", Description: "D", AdditionalDescription: &additional, ReleasedOn: released, Type: catalogue.Stock,
		Playback: catalogue.Playback{
			ID: "p", Provider: catalogue.ProviderHLS, Duration: 90_500, Stream: "https://s.example/v.m3u8",
			Thumbnail: "https://s.example/{thumbnailWidth}.jpg", Preview: "demo:x",
		},
		ChannelID: derived(catalogue.KindChannel, "c"),
		SubjectIDs: []catalogue.ID{
			derived(catalogue.KindSubject, "s1"), catalogue.DeriveID(catalogue.KindSubject, "other", "s2"),
			"0123456789abcdef01234567",
		},
		SubjectsSetManually: true, LegalRestrictions: "L", AgeRange: catalogue.AgeRange{Min: &low, Max: &high},
		BestForIDs: []catalogue.ID{derived(catalogue.KindTag, "b")}, Promoted: true, Language: &language,
		Attachments: []catalogue.Attachment{
			{
				ID:   string(catalogue.DeriveID("attachment", string(id), "LESSON_PLAN https://a.example")),
				Type: "LESSON_PLAN", Link: "https://a.example",
			},
			{ID: "a2", Type: "ACTIVITY", Link: "https://b.example", Description: &description},
		},
		ContentWarningIDs: []catalogue.ID{}, Keywords: []string{"k1", "k2"}, AvailableUntil: &until,
		EducationLevels: []string{"4CL"}, CEFRLevel: &level, ContentCategories: []catalogue.Subtype{"ANIMATION"},
		Categories: []string{"YPMP"}, TopicIDs: []catalogue.ID{derived(catalogue.KindTopic, "t")},
		HasTranscript: true, Transcript: &transcript, LegacyID: "123", Retired: true, RetiredInto: &replacement,
	}
	if diff := cmp.Diff(catalogue.Item(want), apply(t, nil, line)); diff != "" {
		t.Error(diff)
	}
}

func TestDefaultsOfANewVideo(t *testing.T) {
	video := apply(t, nil, `{"format":1,"kind":"video","id":"0123456789abcdef01234567",`+least+`}`).(*catalogue.Video)
	released, _ := catalogue.ParseDate("2020-02-29")
	want := &catalogue.Video{
		Meta:  catalogue.Meta{ID: "0123456789abcdef01234567", Source: "default"},
		Title: "T", Type: catalogue.Instructional, ReleasedOn: released,
		ChannelID: catalogue.DeriveID(catalogue.KindChannel, "default", "c"),
		Playback: catalogue.Playback{
			ID: "0123456789abcdef01234567", Provider: catalogue.ProviderHLS,
			Duration: 5 * catalogue.Minute, Stream: "https://s.example/v1.m3u8",
		},
	}
	if diff := cmp.Diff(want, video); diff != "" {
		t.Error(diff)
	}
}

func TestAbsentKeepsNullClearsPresentReplaces(t *testing.T) {
	stored := apply(t, nil, `{`+head+least+`,"description":"D","type":"NEWS","keywords":["a"],"language":"eng",
		"contentWarnings":[],"ageRange":{"min":3,"max":5},"transcript":"Words.","retired":true,"attachments":[{"type":"ACTIVITY","link":"https://a.example"}]}`)
	before := *stored.(*catalogue.Video)
	before.Transcript = nil // the store returns videos without transcripts
	after := apply(t, &before, `{`+head+`"description":null,"keywords":["b"],"language":null,"contentWarnings":null,"ageRange":{"min":4}}`).(*catalogue.Video)

	want := before
	want.Description, want.Keywords, want.Language, want.ContentWarningIDs = "", []string{"b"}, nil, nil
	four := 4
	want.AgeRange = catalogue.AgeRange{Min: &four}
	if diff := cmp.Diff(&want, after); diff != "" {
		t.Error(diff)
	}
	if !after.HasTranscript || after.Transcript != nil {
		t.Error("a line without transcript does not keep the stored one")
	}
	cleared := apply(t, &before, `{`+head+`"transcript":null}`).(*catalogue.Video)
	if cleared.HasTranscript || cleared.Transcript == nil || *cleared.Transcript != "" {
		t.Error("null does not remove the transcript")
	}
}

func TestApplyLeavesStoredAndRecordAlone(t *testing.T) {
	stored := apply(t, nil, `{`+head+least+`}`)
	copied := *stored.(*catalogue.Video)
	record := decode(t, `{`+head+`"title":"Other"}`)
	first, _ := record.Apply(stored)
	first.Head().Version = 7
	second, _ := record.Apply(stored)
	if diff := cmp.Diff(catalogue.Item(&copied), stored); diff != "" {
		t.Errorf("stored changed: %s", diff)
	}
	if second.Head().Version != 0 {
		t.Error("two applications share an item")
	}
}

func TestSourceAndReferenceFollowTheLine(t *testing.T) {
	for name, test := range map[string]struct{ first, second, source, reference string }{
		"said":         {`"id":"0123456789abcdef01234567","source":"a","ref":"x"`, `"id":"0123456789abcdef01234567","source":"b","ref":"y"`, "b", "y"},
		"kept":         {`"id":"0123456789abcdef01234567","source":"a","ref":"x"`, `"id":"0123456789abcdef01234567"`, "a", "x"},
		"by reference": {`"source":"a","ref":"x"`, `"source":"a","ref":"x"`, "a", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			stored := apply(t, nil, `{"format":1,"kind":"tag",`+test.first+`,"label":"Hook"}`)
			head := apply(t, stored, `{"format":1,"kind":"tag",`+test.second+`}`).Head()
			if head.Source != test.source || head.Reference != test.reference {
				t.Errorf("got %s %s", head.Source, head.Reference)
			}
		})
	}
}

func TestEducationLevelsAreKnownByTheirCode(t *testing.T) {
	for _, identity := range []string{``, `"source":"x",`, `"ref":"y",`, `"id":"` + string(catalogue.EducationLevelID("4CL")) + `",`} {
		level := apply(t, nil, `{"format":1,"kind":"education-level",`+identity+`"code":"4CL","label":"A level"}`)
		if level.Head().ID != catalogue.EducationLevelID("4CL") {
			t.Errorf("%s gives another id", identity)
		}
	}
}

func TestEmptyListsAreNoLists(t *testing.T) {
	item := apply(t, nil, `{`+head+least+`,"subjects":[],"keywords":[],"topics":[],"attachments":[],"educationLevels":[],"bestFor":[],"categories":[],"contentCategories":[]}`)
	if diff := cmp.Diff(apply(t, nil, `{`+head+least+`}`), item); diff != "" {
		t.Errorf("an empty list is another content than none: %s", diff)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]catalogue.Duration{
		`0`: 0, `261`: 261_000, `1.001`: 1_001, `0.29`: 290, `12.333333333333334`: 12_333, `1e2`: 100_000, `"PT1M"`: 60_000, `"pt0.5s"`: 500,
	} {
		video := apply(t, nil, `{`+head+`"title":"T","channel":"c","releasedOn":"2020-02-29","playback":{"provider":"YOUTUBE","duration":`+text+`}}`).(*catalogue.Video)
		if video.Playback.Duration != want {
			t.Errorf("%s is %d ms, want %d", text, video.Playback.Duration, want)
		}
	}
}

// TestFieldsAreThoseOfTheCatalogue checks that the fields of lines match the catalogue's structs, so that a new field
// of the catalogue is not forgotten here.
func TestFieldsAreThoseOfTheCatalogue(t *testing.T) {
	for _, kind := range catalogue.Kinds() {
		want := jsonNames(reflect.TypeOf(catalogue.New(kind)).Elem(), "")
		switch kind {
		case catalogue.KindVideo:
			want = append(want, "transcript") // stored separately from the video
		case catalogue.KindCaptions:
			want = append(want, "text") // another form of the cues
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(importline.Fields(kind)))); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
	if importline.Fields("film") != nil {
		t.Error("an unknown kind has fields")
	}
}

// jsonNames returns the JSON names of a struct and of the catalogue's structs in it.
func jsonNames(of reflect.Type, prefix string) (names []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		names = append(names, prefix+name)
		inner := field.Type
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			names = append(names, jsonNames(inner, prefix+name+".")...)
		}
	}
	return names
}

// again returns an item as an import line.
func again(t testing.TB, item catalogue.Item) []byte {
	t.Helper()
	body, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	head := item.Head()
	fields["format"], fields["kind"] = importline.Format, item.Kind()
	fields["id"], fields["source"] = head.ID, head.Source
	if head.Reference != "" {
		fields["ref"] = head.Reference
	}
	switch item := item.(type) {
	case *catalogue.Video:
		if item.Transcript != nil {
			fields["transcript"] = *item.Transcript
		}
	case *catalogue.Highlight:
		fields["start"], fields["end"] = item.Start.Seconds(), item.End.Seconds()
	case *importline.Collection:
		delete(fields, "Body")
		maps.Copy(fields, collectionFields(t, &item.Body))
	case *catalogue.Captions:
		var cues []any
		for _, cue := range item.Cues {
			cues = append(cues, map[string]any{"start": cue.Start.Seconds(), "end": cue.End.Seconds(), "text": cue.Text})
		}
		fields["cues"] = cues
	}
	line, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// collectionFields returns the fields of a collection as lines have them.
func collectionFields(t testing.TB, body *collection.Collection) map[string]any {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(encoded, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "ownerName", "service", "default"} {
		delete(fields, name)
	}
	videos := []any{}
	for _, asset := range body.Assets {
		video := map[string]any{"video": asset.VideoID, "note": asset.Note}
		if asset.HighlightID != "" {
			video["highlight"] = asset.HighlightID
		}
		if asset.Segment != nil {
			video["start"], video["end"] = asset.Segment.Start.Seconds(), asset.Segment.End.Seconds()
		}
		videos = append(videos, video)
	}
	delete(fields, "assets")
	fields["videos"] = videos
	return fields
}

// FuzzDecode checks that no line causes a panic, that accepted lines are valid, and that writing them again gives the
// same item.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{` + head + least + `,"subjects":["a"],"contentWarnings":[],"attachments":[{"type":"ACTIVITY","link":"https://a.example"}],"transcript":"T"}`))
	f.Add([]byte(`{"format":1,"kind":"video","id":"0123456789abcdef01234567","title":"T","channel":{"source":"x","ref":"y"},"releasedOn":"0001-01-01","playback":{"duration":1e-3,"provider":"YOUTUBE"},"retired":true,"retiredInto":"z","ageRange":{"max":9}}`))
	f.Add([]byte(`{"format":1,"kind":"contract","ref":"a","name":"N","video":"","editingPermission":"allowed","territoryType":"","territories":["DE"],"maxLicenseDurationYears":3}`))
	f.Add([]byte(`{"format":1,"kind":"education-level","code":"4CL","label":"L"}`))
	f.Add([]byte(`{"format":1,"kind":"tag","ref":"a","label":"Ho\u006fk"}`))
	f.Add([]byte(`{"format":1,"kind":"content-warning","ref":"a","label":"W"}`))
	f.Add([]byte(`{"format":1,"kind":"subject","ref":"a","name":"Subject","categories":[{"code":"YPMP","description":null}],"marketSegments":["k12"]}`))
	f.Add([]byte(`{"format":1,"kind":"discipline","ref":"a","name":"Dis","code":"dis","subjects":["a"]}`))
	f.Add([]byte(`{"format":1,"kind":"topic","ref":"a","name":"T"}`))
	f.Add([]byte(`{"format":1,"kind":"channel","ref":"a","name":"C","language":"ger","contract":"x","ingestType":"mrss","private":true}`))
	f.Add([]byte(`{"format":1,"kind":"channel","ref":"a","name":"C","currency":"eur","distributionMethods":["stream","stream"],"ageRange":{"max":9},"requiresVideoLevelTagging":true,"ingestType":"youtube","ingestUrls":["https://a.example"],"ingestPlaylistIds":["p"],"marketingInformation":{"status":"S","logos":["https://a.example"],"sampleVideos":[]},"pedagogyInformation":{"subjects":["a"],"ageRanges":[{"min":1},{"min":1}],"bestForTags":["t"]}}`))
	f.Add([]byte(`{"format":1,"kind":"contract-legal-restriction","ref":"a","text":"No cuts"}`))
	f.Add([]byte(`{"format":1,"kind":"phrase","ref":"a","text":"water cycle"}`))
	f.Add([]byte(`{"format":1,"kind":"synonym","ref":"a","words":["car","car","motor car"]}`))
	f.Add([]byte(`{"format":1,"kind":"search-rule","ref":"a","query":"car","pinned":["v","v"],"buried":["v",{"source":"x","ref":"y"}]}`))
	f.Add([]byte(`{"format":1,"kind":"provider","ref":"a","name":"P","slug":"p-1","types":["Book","Book"],"description":null,"logoUrl":"https://a.example","defaultThemeLogoUrl":"","hidden":true}`))
	f.Add([]byte(`{"format":1,"kind":"captions","video":"v","language":"de","humanGenerated":true,"cues":[{"start":0.001,"end":"PT1M","text":"A"},{"start":1e1,"end":86400,"text":"B"}]}`))
	f.Add([]byte(`{"format":1,"kind":"captions","video":"v","language":"de","text":"WEBVTT\n\n00:01.000 --> 00:02.000\n<i>x</i>"}`))
	f.Add([]byte(`{"format":1,"kind":"learning-material","video":"v","learningOutcomes":["a","a"],"assessmentQuestions":[]}`))
	f.Add([]byte(`{"format":1,"kind":"highlight","ref":"a","video":"v","start":1.25,"end":2,"title":"T","caption":"C","contentCategories":["animation"]}`))
	f.Add([]byte(`{"format":1,"kind":"theme","ref":"a","provider":"p","type":"Book","title":"T","topics":[{"index":5,"title":"B"},{"title":"A","targets":[{"title":"X","videos":["v","v"]},{"index":-1,"title":"Y"}]}]}`))
	f.Add([]byte(`{"format":1,"kind":"district","externalId":"0100005","name":"D","country":"usa","state":"al","city":"C"}`))
	f.Add([]byte(`{"format":1,"kind":"school","externalId":"s","name":"S","country":"DEU","district":{"source":"x","ref":"d"}}`))
	f.Add([]byte(`{"format":1,"kind":"collection","ref":"a","title":"C","videos":["v",{"source":"x","ref":"v"},{"video":"v","highlight":"h","start":1.5,"end":"PT1M","note":"N"}],"ageRange":{"min":5},"anyone":"edit","promotedFor":["lti"],"subCollections":["b"],"account":"demo","owner":"ann"}`))
	f.Add([]byte(`{"format":1.0,"kind":"topic","ref":"` + strings.Repeat("[", 50) + `","name":null}`))
	f.Add([]byte(`{` + head + `"":1,"attachments":[{"":""}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		record := importline.Decode(line)
		if len(record.Faults) > 0 {
			return
		}
		if !record.ID.Valid() || !slices.Contains(importline.Kinds(), record.Kind) {
			t.Fatalf("accepted without identity: %q %q", record.Kind, record.ID)
		}
		item, faults := record.Apply(nil)
		if len(faults) > 0 {
			return
		}
		if faults := item.Validate(); len(faults) > 0 {
			t.Fatalf("accepted, but %v", faults)
		}
		repeated := importline.Decode(again(t, item))
		if len(repeated.Faults) > 0 {
			t.Fatalf("written again, the line is rejected: %v", repeated.Faults)
		}
		for name, stored := range map[string]catalogue.Item{"new": nil, "over itself": item} {
			same, faults := repeated.Apply(stored)
			if len(faults) > 0 {
				t.Fatalf("%s: %v", name, faults)
			}
			if diff := cmp.Diff(item, same); diff != "" {
				t.Fatalf("%s: %s", name, diff)
			}
			if body, repeatedBody := mustMarshal(t, item), mustMarshal(t, same); body != repeatedBody {
				t.Fatalf("%s: the body changes:\n%s\n%s", name, body, repeatedBody)
			}
		}
	})
}

func mustMarshal(t testing.TB, item catalogue.Item) string {
	t.Helper()
	body, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// BenchmarkDecode decodes a line as long as those of a real catalogue.
func BenchmarkDecode(b *testing.B) {
	line := []byte(`{` + head + least + `,"description":"` + strings.Repeat("Some words on what it is about. ", 20) + `","subjects":["a","b"],"keywords":["one","two","three","four","five"],"ageRange":{"min":5,"max":11},"language":"en","topics":["x","y"],"educationLevels":["4CL"],"contentWarnings":[]}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if record := importline.Decode(line); len(record.Faults) > 0 {
			b.Fatal(record.Faults)
		}
	}
}

// TestNewThingsLackRequiredFields checks, for each kind, that an incomplete new item is rejected with each missing
// field named once.
func TestNewThingsLackRequiredFields(t *testing.T) {
	for line, want := range map[string][]string{
		`"kind":"contract","ref":"a"`:                                        {"name"},
		`"kind":"education-level","code":"4CL"`:                              {"label"},
		`"kind":"tag","ref":"a"`:                                             {"label"},
		`"kind":"content-warning","ref":"a"`:                                 {"label"},
		`"kind":"subject","ref":"a"`:                                         {"name"},
		`"kind":"subject","ref":"a","categories":[{}]`:                       {"categories[0].code"},
		`"kind":"discipline","ref":"a"`:                                      {"name", "code"},
		`"kind":"topic","ref":"a"`:                                           {"name"},
		`"kind":"channel","ref":"a"`:                                         {"name"},
		`"kind":"video","ref":"a"`:                                           {"title", "channel", "releasedOn", "playback"},
		`"kind":"video","ref":"a","playback":{}`:                             {"playback.duration"},
		`"kind":"video","ref":"a","attachments":[{}]`:                        {"attachments[0].type", "attachments[0].link"},
		unplayable + `"playback":{"duration":1}`:                             {"playback.stream"},
		unplayable + `"playback":{"duration":1,"stream":""}`:                 {"playback.stream"},
		unplayable + `"playback":{"duration":1,"stream":" "}`:                {"playback.stream"},
		`"kind":"discipline","ref":"a","name":"","code":""`:                  {"name", "code"},
		`"kind":"subject","ref":"a","name":"Sun","categories":[{"code":""}]`: {"categories[0].code"},
		unplayable + `"playback":{"provider":"YOUTUBE","duration":1},"attachments":[{"type":"ACTIVITY","link":""}]`: {"attachments[0].link"},
	} {
		record := importline.Decode([]byte(`{"format":1,` + line + `}`))
		faults := record.Faults
		if len(faults) == 0 {
			_, faults = record.Apply(nil)
		}
		var wanted fault.FieldErrors
		for _, field := range want {
			wanted = append(wanted, fault.FieldError{Field: field, Problem: "is required"})
		}
		if diff := cmp.Diff(wanted, faults); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

// unplayable is a new video without its playback.
const unplayable = `"kind":"video","ref":"a","title":"T","channel":"c","releasedOn":"2020-02-29",`
