package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// learning returns the curricula, learning materials, captions and highlights of every world.
func learning() []catalogue.Item {
	openScience := &catalogue.Provider{
		Meta: metaOf("openscience"), Name: "Open Science Books", Slug: "openscience", Types: []string{"Textbook", "Course"},
		Description: "Free books", LogoURL: "https://img.example/os.png", DefaultThemeLogoURL: "https://img.example/book.png",
	}
	underground := &catalogue.Provider{Meta: metaOf("underground"), Name: "An Underground Press", Slug: "underground", Hidden: true}
	mechanics := &catalogue.Theme{
		Meta: metaOf("mechanics"), ProviderID: idOf("openscience"), Type: "Textbook", Title: "Mechanics <1>",
		Topics: []catalogue.ThemeTopic{
			{Index: 1, Title: "Motion", Targets: []catalogue.ThemeTarget{{Index: 0, Title: "Explain why boats move"}}},
			{Index: 0, Title: "Fluids", Targets: []catalogue.ThemeTarget{
				{Index: 0, Title: `Say why "things" float`, VideoIDs: idsOf("secretVideo", "boats", "floating", "expired", "nothing")},
				{Index: 1, Title: "Find buoyancy", VideoIDs: idsOf("floating")},
			}},
		},
	}
	optics := &catalogue.Theme{Meta: metaOf("optics"), ProviderID: idOf("openscience"), Title: "Light", LogoURL: "https://img.example/light.png"}
	leaflet := &catalogue.Theme{Meta: metaOf("leaflet"), ProviderID: idOf("underground"), Title: "A leaflet"}
	return []catalogue.Item{
		openScience, underground, mechanics, optics, leaflet,
		materialOf("floating", "Learners can say why things float.", "Why does a ship float?"),
		materialOf("secretVideo", "A secret outcome.", "A secret question?"),
		captionsOf("floating", "eng", true, "Look at the water.", "A <ship> of steel floats on water.", "It displaces more than it weighs.", "That is buoyancy."),
		captionsOf("floating", "deu", false, "Seht das Wasser an."),
		captionsOf("ending", "eng", false, "The lock gates open. The barge goes up."),
		captionsOf("secretVideo", "eng", true, "A hidden cavern of water."),
		highlightOf("paddles", "boats", 10_000, 40_000, "How paddles push water", "Paddles push the water back."),
		highlightOf("wake", "boats", 30_000, 60_500, "The wake", "Behind a boat the water makes a wake."),
		highlightOf("hush", "secretVideo", 0, 15_000, "Hush water", "Nobody may know of the water."),
	}
}

func materialOf(video, outcome, question string) *catalogue.Material {
	return &catalogue.Material{
		Meta:    catalogue.Meta{ID: catalogue.MaterialID(idOf(video)), Source: "test", Reference: video},
		VideoID: idOf(video), LearningOutcomes: []string{outcome}, AssessmentQuestions: []string{question},
	}
}

// captionsOf returns captions with cues of twelve seconds each.
func captionsOf(video string, language catalogue.Language, human bool, texts ...string) *catalogue.Captions {
	captions := &catalogue.Captions{
		Meta:    catalogue.Meta{ID: catalogue.CaptionsID(idOf(video), language), Source: "test", Reference: video + string(language)},
		VideoID: idOf(video), Language: language, HumanGenerated: human,
	}
	for i, text := range texts {
		start := catalogue.Millis(12_000 * i)
		captions.Cues = append(captions.Cues, catalogue.Cue{Start: start + 500, End: start + 12_000, Text: text})
	}
	return captions
}

func highlightOf(reference, video string, start, end catalogue.Millis, title, caption string) *catalogue.Highlight {
	return &catalogue.Highlight{
		Meta: metaOf(reference), VideoID: idOf(video), Start: start, End: end, Title: title, Caption: caption,
		ContentCategories: []catalogue.Subtype{"DEMONSTRATION"},
	}
}

// passage is the ID of the only passage of the captions of "floating".
var passage = string(idOf("floating")) + "000001f4" + "0000bb80"

func TestGoldenLearning(t *testing.T) {
	get := func(name, path string) golden { return golden{name, apiRequest{as: customer, path: path}} }
	fails := func(name, path string) golden { return golden{"error-" + name, apiRequest{as: customer, path: path}} }
	themes := "/v1/alignments/openscience/themes"
	checkGolden(t, shared(), []golden{
		get("ngss-codes", "/v1/curriculum/ngss/codes"),
		get("ngss-grades", "/v1/curriculum/ngss/grades"),
		get("providers", "/v1/alignments/providers"),
		{"providers-operator", apiRequest{as: operator, path: "/v1/alignments/providers"}},
		get("provider", "/v1/alignments/providers/"+string(idOf("openscience"))),
		get("themes-of-provider", themes),
		get("themes", "/v1/alignments/themes"),
		get("themes-by-id", "/v1/alignments/themes?id="+string(idOf("optics"))+",x&id="+string(idOf("leaflet"))+"&id="+string(idOf("mechanics"))),
		get("theme", themes+"/"+string(idOf("mechanics"))),
		get("learning-outcomes", pathOf("floating")+"/learning-outcomes"),
		get("learning-outcomes-none", pathOf("boats")+"/learning-outcomes"),
		get("assessment-questions", "/v1/videos/1001/assessment-questions"),
		get("cefr-level", pathOf("floating")+"/cefr-level"),
		get("captions", pathOf("floating")+"/captions"),
		get("captions-srt", pathOf("floating")+"/captions?format=srt&download=true&human-generated=true"),
		get("captions-vtt", pathOf("floating")+"/captions?format=vtt&download=true&language=de"),
		get("transcript-captions", pathOf("ending")+"/transcript"),
		get("highlights", "/v1/highlights?query=water"),
		get("highlights-hyper", "/v1/highlights?query=steel+ship&hyper_relevance=true&size=1&threshold=0.5&education_level=4CA,4CL&subtype=animation"),
		get("highlights-apart", "/v1/highlights?query=water&max_overlap=0.1&threshold=0"),
		get("highlights-none", "/v1/highlights?query=zzzzzz"),
		get("highlight", "/v1/highlights/"+string(idOf("paddles"))),
		get("highlight-passage", "/v1/highlights/"+passage),

		fails("404-provider", "/v1/alignments/providers/"+string(idOf("underground"))),
		fails("404-themes-of-provider", "/v1/alignments/underground/themes"),
		fails("404-theme", themes+"/"+string(idOf("leaflet"))),
		fails("404-theme-of-provider", "/v1/alignments/nobody/themes/"+string(idOf("mechanics"))),
		fails("404-learning-outcomes", pathOf("secretVideo")+"/learning-outcomes"),
		fails("404-cefr-level", pathOf("minimal")+"/cefr-level"),
		fails("404-captions", pathOf("boats")+"/captions"),
		fails("404-captions-language", pathOf("floating")+"/captions?language=fra"),
		fails("404-highlight", "/v1/highlights/"+string(idOf("hush"))),
		fails("404-highlight-passage", "/v1/highlights/"+string(idOf("secretVideo"))+"000001f400002ee0"),
		fails("400-highlights", "/v1/highlights?threshold=0.5"),
		fails("400-highlights-threshold", "/v1/highlights?query=x&threshold=1.5"),
		fails("400-highlights-overlap", "/v1/highlights?query=x&max_overlap=NaN"),
		fails("400-captions-format", pathOf("floating")+"/captions?format=ass"),
		{"error-403-highlights", apiRequest{as: viewer, path: "/v1/highlights?query=water"}},
		{"error-403-captions", apiRequest{as: viewer, path: pathOf("floating") + "/captions"}},
	})
}

// TestNGSSIsAnArray proves that the field is an array, because older clients cannot read an object there.
func TestNGSSIsAnArray(t *testing.T) {
	for _, path := range []string{"/v1/curriculum/ngss/codes", "/v1/curriculum/ngss/grades"} {
		list, isArray := shared().ok(t, customer, path)["_embedded"].([]any)
		if !isArray || len(list) == 0 {
			t.Errorf("%s: _embedded is no array", path)
		}
	}
}

// TestNGSSFilters proves that codes stand for categories and grades for levels, that values within a filter are or-ed
// and the two filters are and-ed, and that unknown codes match nothing. The video "floating" is about mechanics, for
// pre-school and secondary education.
func TestNGSSFilters(t *testing.T) {
	w := shared()
	floating := string(idOf("floating"))
	for query, finds := range map[string]bool{
		"ngss_code=PS2": true, "ngss_code=ps3": true, "ngss_code=PS1": false, "ngss_code=PS1,PS2": true, "ngss_code=PS9": false,
		"ngss_grade=K-2": true, "ngss_grade=6-8": true, "ngss_grade=3-5": false, "ngss_grade=3-5&ngss_grade=9-12": true, "ngss_grade=K": false,
		"ngss_code=PS2&ngss_grade=K-2": true, "ngss_code=PS2&ngss_grade=3-5": false, "ngss_code=PS1&ngss_grade=K-2": false,
		"ngss_code=PS9&ngss_grade=K-2": false, "ngss_code=PS2&education_level=4CT": false,
	} {
		list := w.ok(t, customer, "/v1/videos?size=500&"+query)["_embedded"].(map[string]any)["videos"].([]any)
		found := slices.ContainsFunc(list, func(v any) bool { return v.(map[string]any)["id"] == floating })
		if found != finds {
			t.Errorf("%s: finds it is %v", query, found)
		}
	}
}

// TestCaptionAddresses proves that metadata contain the addresses of existing captions, for callers who may download
// them.
func TestCaptionAddresses(t *testing.T) {
	w := shared()
	body := `{"ids":["` + string(idOf("floating")) + `","` + string(idOf("boats")) + `"]}`
	read := func(as string) []map[string]any {
		got := w.send(t, apiRequest{as: as, method: "POST", path: "/v1/videos/metadata", body: body, header: map[string]string{"Content-Type": "application/json"}})
		var document struct{ Metadata []map[string]any }
		if err := json.Unmarshal(got.body, &document); err != nil || len(document.Metadata) != 2 {
			t.Fatalf("%v in %s", err, got.body)
		}
		return document.Metadata
	}
	for i, one := range read(customer) {
		for key, contentType := range map[string]string{
			"downloadSrtCaptionUrl": "application/x-subrip;charset=UTF-8", "downloadVttCaptionUrl": "text/vtt;charset=UTF-8",
		} {
			address, isText := one[key].(string)
			if isText != (i == 0) {
				t.Errorf("%s of %v is %v", key, one["id"], one[key])
			}
			if !isText {
				continue
			}
			got := w.get(t, customer, strings.TrimPrefix(address, base))
			if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != contentType {
				t.Errorf("%s answers %d %s", address, got.StatusCode, got.Header.Get("Content-Type"))
			}
		}
	}
	if one := read(viewer)[0]; one["downloadSrtCaptionUrl"] != nil {
		t.Errorf("who may not download gets %v", one["downloadSrtCaptionUrl"])
	}
}

// TestThemesShowWholeVideos proves that a theme shows each video as the caller's own video document does.
func TestThemesShowWholeVideos(t *testing.T) {
	w := shared()
	for _, as := range []string{customer, stranger} {
		theme := w.ok(t, as, "/v1/alignments/openscience/themes/"+string(idOf("mechanics")))
		target := theme["topics"].([]any)[0].(map[string]any)["targets"].([]any)[0].(map[string]any)
		videos := target["videos"].([]any)
		if len(videos) != 2 {
			t.Fatalf("as %s: %d videos", as, len(videos))
		}
		for i, reference := range []string{"boats", "floating"} {
			want, _ := json.Marshal(w.ok(t, as, pathOf(reference)))
			if got, _ := json.Marshal(videos[i]); string(got) != string(want) {
				t.Errorf("as %s: got\n%s\nwant\n%s", as, got, want)
			}
		}
	}
}

// TestThemesFollowTheStore proves that a list of themes shows later writes.
func TestThemesFollowTheStore(t *testing.T) {
	w := newWorld(t, options{})
	titles := func() (list []string) {
		for _, theme := range w.ok(t, customer, "/v1/alignments/themes")["_embedded"].(map[string]any)["themes"].([]any) {
			list = append(list, theme.(map[string]any)["title"].(string))
		}
		return list
	}
	expect := func(when string, want ...string) {
		t.Helper()
		if got := titles(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	expect("at first", "Light", "Mechanics <1>")
	w.put(&catalogue.Theme{Meta: metaOf("optics"), ProviderID: idOf("openscience"), Title: "Optics"})
	expect("changed", "Mechanics <1>", "Optics")
	extra := catalogue.Meta{ID: catalogue.DeriveID(catalogue.KindTheme, "test", "extra")}
	w.put(&catalogue.Theme{Meta: extra, ProviderID: idOf("openscience"), Title: "Acoustics"})
	expect("added", "Acoustics", "Mechanics <1>", "Optics")
	check(w.catalogue.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Delete(ctx, catalogue.KindTheme, []catalogue.ID{extra.ID})
		return err
	}))
	expect("deleted", "Mechanics <1>", "Optics")
}

// TestAllThemesAreListed proves that a list contains every theme, ordered by provider and title, up to 10,000. A longer
// list is refused with the reason.
func TestAllThemesAreListed(t *testing.T) {
	w := newWorld(t, options{})
	add := func(provider string, from, to int) {
		items := []catalogue.Item{&catalogue.Provider{Meta: metaOf(provider), Name: "Z " + provider, Slug: provider}}
		for i := from; i < to; i++ {
			items = append(items, &catalogue.Theme{Meta: metaOf(fmt.Sprint(provider, i)), ProviderID: idOf(provider), Title: fmt.Sprintf("%s %05d", provider, i)})
		}
		w.put(items...)
	}
	titles := func(path string) (titles []string) {
		t.Helper()
		for _, theme := range w.ok(t, customer, path)["_embedded"].(map[string]any)["themes"].([]any) {
			titles = append(titles, theme.(map[string]any)["title"].(string))
		}
		return titles
	}
	add("atlas", 0, 700)
	add("books", 0, 301)
	all := titles("/v1/alignments/themes")
	if n := len(all); n != 2+700+301 || all[2] != "atlas 00000" || all[n-1] != "books 00300" || all[n-302] != "atlas 00699" {
		t.Errorf("%d themes are listed, the last is %q", n, all[n-1])
	}
	if n := len(titles("/v1/alignments/atlas/themes")); n != 700 {
		t.Errorf("%d of one provider are listed", n)
	}
	add("books", 301, 9_299)
	wantRejection(t, w.get(t, customer, "/v1/alignments/themes"), http.StatusBadRequest, "10001 themes match, one answer shows at most 10000")
	if n := len(titles("/v1/alignments/books/themes")); n != 9_299 {
		t.Errorf("%d of the provider with most are listed", n)
	}
}
