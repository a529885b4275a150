package catalogue_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// leastRecord returns the smallest valid record of a kind, or nil for kinds that are not records.
func leastRecord(kind catalogue.Kind) catalogue.Item {
	switch kind {
	case catalogue.KindCaptions:
		return captions(catalogue.Cue{Start: 0, End: 1, Text: "c"})
	case catalogue.KindMaterial:
		return &catalogue.Material{Meta: catalogue.Meta{ID: catalogue.MaterialID(someID)}, VideoID: someID}
	case catalogue.KindHighlight:
		return &catalogue.Highlight{VideoID: someID, Start: 0, End: 1, Title: "h"}
	case catalogue.KindTheme:
		return &catalogue.Theme{ProviderID: someID, Title: "t"}
	case catalogue.KindDistrict:
		return &catalogue.District{ExternalID: "1", Name: "d", Country: "FRA"}
	case catalogue.KindSchool:
		return &catalogue.School{ExternalID: "1", Name: "s", Country: "FRA"}
	}
	return nil
}

func captions(cues ...catalogue.Cue) *catalogue.Captions {
	return &catalogue.Captions{Meta: catalogue.Meta{ID: catalogue.CaptionsID(someID, "eng")}, VideoID: someID, Language: "eng", Cues: cues}
}

// fullestRecord returns a record in which everything has its maximum length, except that it has only a few cues.
func fullestRecord(kind catalogue.Kind) catalogue.Item {
	const most = catalogue.MaxListLength
	name, title := characters(catalogue.MaxNameLength), characters(catalogue.MaxTitleLength)
	text := strings.Repeat("\t\r\né", catalogue.MaxTextLength/4)
	switch kind {
	case catalogue.KindCaptions:
		return captions(
			catalogue.Cue{Start: 0, End: 5, Text: text}, catalogue.Cue{Start: 0, End: 6, Text: "two\nlines"},
			catalogue.Cue{Start: 3, End: 4, Text: "c"}, catalogue.Cue{Start: catalogue.MaxMillis - 1, End: catalogue.MaxMillis, Text: "c"})
	case catalogue.KindMaterial:
		return &catalogue.Material{
			Meta: catalogue.Meta{ID: catalogue.MaterialID(someID)}, VideoID: someID,
			LearningOutcomes: repeat(text, 3), AssessmentQuestions: repeat("a", most),
		}
	case catalogue.KindHighlight:
		return &catalogue.Highlight{
			VideoID: someID, Start: catalogue.MaxMillis - 1, End: catalogue.MaxMillis, Title: title, Caption: text,
			ContentCategories: catalogue.Subtypes(),
		}
	case catalogue.KindTheme:
		target := catalogue.ThemeTarget{Index: -1, Title: text, VideoIDs: ids(most)}
		return &catalogue.Theme{
			ProviderID: someID, Type: name, Title: title, LogoURL: address(catalogue.MaxURLLength),
			Topics: repeat(catalogue.ThemeTopic{Index: 7, Title: title, Targets: repeat(target, 2)}, most),
		}
	case catalogue.KindDistrict:
		return &catalogue.District{ExternalID: name, Name: name, Country: "USA", State: "WY", City: name}
	case catalogue.KindSchool:
		return &catalogue.School{ExternalID: name, Name: name, Country: "USA", State: "AL", City: name, DistrictID: new(someID)}
	}
	panic("no test knows a full " + kind)
}

func TestOwners(t *testing.T) {
	for _, kind := range catalogue.RecordKinds() {
		record, ok := fullestRecord(kind).(catalogue.OwnedItem)
		if !ok || !kind.IsRecord() || catalogue.Holds(kind) {
			t.Errorf("%s: %T is no record", kind, fullestRecord(kind))
			continue
		}
		owner := record.Owner()
		if kind != catalogue.KindDistrict && (owner.ID != someID || owner.Field == "") {
			t.Errorf("%s belongs to %v", kind, owner)
		}
	}
	if owner := (&catalogue.School{}).Owner(); owner != (catalogue.Link{}) {
		t.Errorf("a school of no district belongs to %v", owner)
	}
}

func TestInvalidCaptions(t *testing.T) {
	type c = *catalogue.Captions
	checkBroken(t, badTexts("cues[1].text", 1, catalogue.MaxTextLength, func(x c, text string) { x.Cues[1].Text = text })...)
	checkBroken(t,
		broken[c]{"id", func(x c) { x.ID = someID }},
		broken[c]{"video", func(x c) { x.VideoID = "" }},
		broken[c]{"language", func(x c) { x.Language = "english"; x.ID = catalogue.CaptionsID(someID, "english") }},
		broken[c]{"cues", func(x c) { x.Cues = nil }},
		broken[c]{"cues", func(x c) { x.Cues = repeat(x.Cues[0], catalogue.MaxCues+1) }},
		broken[c]{"cues[0].start", func(x c) { x.Cues[0].Start = -1 }},
		broken[c]{"cues[3].end", func(x c) { x.Cues[3].End = catalogue.MaxMillis + 1 }},
		broken[c]{"cues[1].end", func(x c) { x.Cues[1] = catalogue.Cue{Start: 2, End: 2, Text: "c"} }},
		broken[c]{"cues[1].start", func(x c) { x.Cues[0], x.Cues[1] = x.Cues[1], x.Cues[0] }},
	)
}

func TestInvalidMaterial(t *testing.T) {
	type m = *catalogue.Material
	const text = catalogue.MaxTextLength
	checkBroken(t, badTexts("learningOutcomes[2]", 1, text, func(x m, s string) { x.LearningOutcomes[2] = s })...)
	checkBroken(t, badTexts("assessmentQuestions[0]", 1, text, func(x m, s string) { x.AssessmentQuestions[0] = s })...)
	checkBroken(t,
		broken[m]{"id", func(x m) { x.ID = someID }},
		broken[m]{"video", func(x m) { x.VideoID = "" }},
		broken[m]{"learningOutcomes", func(x m) { x.LearningOutcomes = repeat("a", tooMany) }},
		broken[m]{"assessmentQuestions", func(x m) { x.AssessmentQuestions = repeat("a", tooMany) }},
	)
}

func TestInvalidHighlights(t *testing.T) {
	type h = *catalogue.Highlight
	checkBroken(t, badTexts("title", 1, catalogue.MaxTitleLength, func(x h, s string) { x.Title = s })...)
	checkBroken(t, badTexts("caption", 0, catalogue.MaxTextLength, func(x h, s string) { x.Caption = s })...)
	checkBroken(t,
		broken[h]{"video", func(x h) { x.VideoID = "" }},
		broken[h]{"start", func(x h) { x.Start = -1 }},
		broken[h]{"end", func(x h) { x.End = x.Start }},
		broken[h]{"end", func(x h) { x.End = catalogue.MaxMillis + 1 }},
		broken[h]{"contentCategories[1]", func(x h) { x.ContentCategories[1] = "interview" }},
	)
}

func TestInvalidThemes(t *testing.T) {
	type theme = *catalogue.Theme
	checkBroken(t, badTexts("title", 1, catalogue.MaxTitleLength, func(x theme, s string) { x.Title = s })...)
	checkBroken(t, badTexts("type", 0, catalogue.MaxNameLength, func(x theme, s string) { x.Type = s })...)
	checkBroken(t, badTexts("topics[3].title", 1, catalogue.MaxTitleLength, func(x theme, s string) { x.Topics[3].Title = s })...)
	checkBroken(t, badAddresses("logoUrl", func(x theme, s string) { x.LogoURL = s })...)
	checkBroken(t,
		broken[theme]{"provider", func(x theme) { x.ProviderID = "" }},
		broken[theme]{"topics", func(x theme) { x.Topics = repeat(catalogue.ThemeTopic{Title: "t"}, tooMany) }},
		broken[theme]{"topics", func(x theme) {
			x.Topics[0].Targets = repeat(catalogue.ThemeTarget{Title: "t"}, catalogue.MaxThemeTargets)
		}},
		broken[theme]{"topics[0].targets[1].title", func(x theme) {
			x.Topics[0].Targets = []catalogue.ThemeTarget{{Title: "t"}, {}}
		}},
		broken[theme]{"topics[0].targets[0].videos", func(x theme) {
			x.Topics[0].Targets = []catalogue.ThemeTarget{{Title: "t", VideoIDs: ids(tooMany)}}
		}},
		broken[theme]{"topics[0].targets[0].videos[1]", func(x theme) {
			x.Topics[0].Targets = []catalogue.ThemeTarget{{Title: "t", VideoIDs: []catalogue.ID{someID, "x"}}}
		}},
	)
}

func TestInvalidProviders(t *testing.T) {
	type provider = *catalogue.Provider
	checkBroken(t, badTexts("name", 1, catalogue.MaxNameLength, func(x provider, s string) { x.Name = s })...)
	checkBroken(t, badTexts("types[5]", 1, catalogue.MaxNameLength, func(x provider, s string) { x.Types[5] = s })...)
	checkBroken(t, badTexts("description", 0, catalogue.MaxTextLength, func(x provider, s string) { x.Description = s })...)
	checkBroken(t, badAddresses("logoUrl", func(x provider, s string) { x.LogoURL = s })...)
	checkBroken(t, badAddresses("defaultThemeLogoUrl", func(x provider, s string) { x.DefaultThemeLogoURL = s })...)
	for _, slug := range []string{"", " ", "Open", "a/b", "é", "a b", strings.Repeat("a", 51), "a\n"} {
		checkBroken(t, broken[provider]{"slug", func(x provider) { x.Slug = slug }})
	}
	checkBroken(t, broken[provider]{"types", func(x provider) { x.Types = repeat("t", tooMany) }})
	checkBroken(t, badTexts("text", 2, 100, func(x *catalogue.Phrase, s string) { x.Text = s })...)
	checkBroken(t, badTexts("text", 1, catalogue.MaxTextLength, func(x *catalogue.LegalRestriction, s string) { x.Text = s })...)
}

func TestInvalidSearchRules(t *testing.T) {
	type synonym = *catalogue.Synonym
	type rule = *catalogue.SearchRule
	checkBroken(t, badTexts("words[1]", 1, catalogue.MaxVariantLength, func(x synonym, s string) { x.Words = []string{"a", s} })...)
	checkBroken(t,
		broken[synonym]{"words", func(x synonym) { x.Words = nil }},
		broken[synonym]{"words", func(x synonym) { x.Words = x.Words[:1] }},
		broken[synonym]{"words", func(x synonym) { x.Words = append(x.Words, "one more") }},
		broken[synonym]{"words[1]", func(x synonym) { x.Words = []string{"a", "a b c d e f g h i"} }},
		broken[synonym]{"words[1]", func(x synonym) { x.Words = []string{"a", "?!"} }},
		broken[synonym]{"words[2]", func(x synonym) { x.Words = []string{"Motor  car", "b", "motor Car"} }},
	)
	checkBroken(t, badTexts("query", 1, catalogue.MaxRuleQueryLength, func(x rule, s string) { x.Query = s })...)
	checkBroken(t,
		broken[rule]{"query", func(x rule) { x.Query = "?!" }},
		broken[rule]{"pinned", func(x rule) { x.PinnedIDs = append(ids(200)[150:150+catalogue.MaxPinned], "more") }},
		broken[rule]{"pinned[2]", func(x rule) { x.PinnedIDs[2] = x.PinnedIDs[0] }},
		broken[rule]{"buried", func(x rule) { x.BuriedIDs = append(x.BuriedIDs, "more") }},
		broken[rule]{"buried[3]", func(x rule) { x.BuriedIDs[3] = x.PinnedIDs[1] }},
	)
}

func TestInvalidPlaces(t *testing.T) {
	const name = catalogue.MaxNameLength
	type d = *catalogue.District
	type s = *catalogue.School
	checkBroken(t, badTexts("name", 1, name, func(x d, text string) { x.Name = text })...)
	checkBroken(t, badTexts("externalId", 1, name, func(x d, text string) { x.ExternalID = text })...)
	checkBroken(t, badTexts("city", 0, name, func(x d, text string) { x.City = text })...)
	checkBroken(t, badTexts("name", 1, name, func(x s, text string) { x.Name = text })...)
	checkBroken(t,
		broken[d]{"country", func(x d) { x.Country = "" }},
		broken[d]{"country", func(x d) { x.Country = "US" }},
		broken[d]{"country", func(x d) { x.Country = "usa" }},
		broken[d]{"state", func(x d) { x.State = "" }},
		broken[d]{"state", func(x d) { x.State = "California" }},
		broken[d]{"state", func(x d) { x.Country = "FRA" }},
	)
	checkBroken(t, broken[s]{"state", func(x s) { x.State = "ca" }})
}

func TestCountries(t *testing.T) {
	countries := catalogue.Countries()
	if len(countries) != 249 || countries[0].Code != "AND" || countries[248].Code != "ZWE" {
		t.Errorf("%d countries, from %v to %v", len(countries), countries[0], countries[len(countries)-1])
	}
	for _, country := range countries {
		if found, ok := catalogue.CountryOf(country.Code); !ok || found.Name != country.Name || country.Name == "" || len(country.Code) != 3 {
			t.Errorf("%v is found as %v, %v", country, found, ok)
		}
		if states := len(country.States); (country.Code == catalogue.UnitedStates) != (states == 50) || country.Code != catalogue.UnitedStates && states > 0 {
			t.Errorf("%s has %d states", country.Name, states)
		}
	}
	usa, _ := catalogue.CountryOf("USA")
	if france, _ := catalogue.CountryOf("FRA"); !usa.HasState("DC") || france.HasState("DC") {
		t.Error("the schools of Washington lie elsewhere")
	}
	if !usa.HasState("CA") || usa.HasState("ZZ") || usa.States[0].Code != "AK" || usa.States[4].Name != "California" {
		t.Errorf("the states are %v", usa.States)
	}
	if _, ok := catalogue.CountryOf("XXX"); ok {
		t.Error("there is a country XXX")
	}
}
