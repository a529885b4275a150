package catalogue_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
)

// ids returns n different IDs.
func ids(n int) []catalogue.ID {
	list := make([]catalogue.ID, n)
	for i := range list {
		list[i] = catalogue.DeriveID("any", "", strings.Repeat("x", i))
	}
	return list
}

// variants returns n different variants of a synonym, each of the maximum length.
func variants(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.Repeat("w ", catalogue.MaxVariantWords-1)
		list[i] += strings.Repeat("é", catalogue.MaxVariantLength-len(list[i])-2) + string(rune('A'+i/10)) + string(rune('0'+i%10))
	}
	return list
}

func repeat[T any](v T, n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// characters returns a text of n characters, each of more than one byte.
func characters(n int) string { return strings.Repeat("é", n) }

// address returns a URL of n bytes.
func address(n int) string {
	const start = "https://media.example/"
	return start + strings.Repeat("a", n-len(start))
}

// least returns the smallest valid record of a kind.
func least(kind catalogue.Kind) catalogue.Item {
	switch kind {
	case catalogue.KindContract:
		return &catalogue.Contract{Name: "c"}
	case catalogue.KindEducationLevel:
		return &catalogue.EducationLevel{Code: "4", Label: "l"}
	case catalogue.KindTag:
		return &catalogue.Tag{Label: "ta"}
	case catalogue.KindContentWarning:
		return &catalogue.ContentWarning{Label: "w"}
	case catalogue.KindSubject:
		return &catalogue.Subject{Name: "su"}
	case catalogue.KindDiscipline:
		return &catalogue.Discipline{Name: "di", Code: "di"}
	case catalogue.KindTopic:
		return &catalogue.Topic{Name: "t"}
	case catalogue.KindChannel:
		return &catalogue.Channel{Name: "c"}
	case catalogue.KindLegalRestriction:
		return &catalogue.LegalRestriction{Text: "r"}
	case catalogue.KindPhrase:
		return &catalogue.Phrase{Text: "ph"}
	case catalogue.KindSynonym:
		return &catalogue.Synonym{Words: []string{"a", "b"}}
	case catalogue.KindSearchRule:
		return &catalogue.SearchRule{Query: "q"}
	case catalogue.KindProvider:
		return &catalogue.Provider{Name: "p", Slug: "p"}
	}
	if record := leastRecord(kind); record != nil {
		return record
	}
	return &catalogue.Video{
		Title: "v", Type: catalogue.Stock, ChannelID: someID,
		Playback: catalogue.Playback{ID: "p", Provider: catalogue.ProviderYouTube},
	}
}

// fullest returns a record of a kind in which everything has its maximum length.
func fullest(kind catalogue.Kind) catalogue.Item {
	const most = catalogue.MaxListLength
	var (
		name  = characters(catalogue.MaxNameLength)
		short = characters(100)
		text  = strings.Repeat("\t\r\né", catalogue.MaxTextLength/4)
		codes = repeat("ABCXYZ019-9A", most)
	)
	switch kind {
	case catalogue.KindContract:
		return &catalogue.Contract{
			Name: name, Video: &text, EditingPermission: new(catalogue.EditingPermission("ALLOWED_WITH_RESTRICTIONS")), EditingInfo: text,
			TerritoryType: "RESTRICTED", Territories: repeat(name, most), AdditionalTerritoryInfo: text, MaxLicenseDurationYears: new(100),
		}
	case catalogue.KindEducationLevel:
		return &catalogue.EducationLevel{Meta: catalogue.Meta{ID: catalogue.EducationLevelID("4CL")}, Code: "4CL", Label: name}
	case catalogue.KindTag:
		return &catalogue.Tag{Label: short}
	case catalogue.KindContentWarning:
		return &catalogue.ContentWarning{Label: name}
	case catalogue.KindSubject:
		return &catalogue.Subject{
			Name: short, Categories: repeat(catalogue.SubjectCategory{Code: codes[0], Description: name}, most),
			MarketSegments: catalogue.MarketSegments(),
		}
	case catalogue.KindDiscipline:
		return &catalogue.Discipline{Name: short, Code: strings.Repeat("a-", 25), SubjectIDs: ids(most)}
	case catalogue.KindTopic:
		return &catalogue.Topic{Name: name}
	case catalogue.KindChannel:
		return &catalogue.Channel{
			Name: name, Description: text, OneLineDesc: text, Notes: text, ContentType: name, LegalRestriction: text,
			Language: new(catalogue.Language("eng")), ContentCategories: catalogue.Subtypes(), Categories: codes,
			EducationLevels: repeat("4CL", most), IngestType: "MRSS", ContractID: new(someID), Private: true,
			Currency: "XOF", DistributionMethods: catalogue.DistributionMethods(), AgeRange: ages(0, 150), VideoLevelTagging: true,
			IngestURLs: repeat(address(catalogue.MaxURLLength), most), IngestPlaylistIDs: repeat(name, most),
			Marketing: catalogue.ChannelMarketing{
				Status: name, OneLineIntro: text, Logos: repeat(address(catalogue.MaxURLLength), most),
				Showreel: address(catalogue.MaxURLLength), SampleVideos: repeat(address(catalogue.MaxURLLength), most),
			},
			Pedagogy: catalogue.ChannelPedagogy{SubjectIDs: ids(most), AgeRanges: repeat(ages(150, 150), most), BestForTagIDs: ids(most)},
		}
	case catalogue.KindLegalRestriction:
		return &catalogue.LegalRestriction{Text: text}
	case catalogue.KindPhrase:
		return &catalogue.Phrase{Text: short}
	case catalogue.KindSynonym:
		return &catalogue.Synonym{Words: variants(catalogue.MaxVariants)}
	case catalogue.KindSearchRule:
		all := ids(catalogue.MaxPinned + catalogue.MaxBuried)
		return &catalogue.SearchRule{
			Query: name, PinnedIDs: all[:catalogue.MaxPinned], BuriedIDs: all[catalogue.MaxPinned:],
		}
	case catalogue.KindProvider:
		return &catalogue.Provider{
			Name: name, Slug: strings.Repeat("a-0-9", 10), Types: repeat(name, most), Description: text,
			LogoURL: address(catalogue.MaxURLLength), DefaultThemeLogoURL: address(catalogue.MaxURLLength), Hidden: true,
		}
	case catalogue.KindVideo:
		return &catalogue.Video{
			Title: characters(catalogue.MaxTitleLength), Description: text, AdditionalDescription: &text, Type: catalogue.Podcast,
			Playback: catalogue.Playback{
				ID: name, Provider: catalogue.ProviderHLS, Duration: catalogue.Day, Stream: address(catalogue.MaxURLLength),
				Thumbnail: address(1900) + "/{thumbnailWidth}", Preview: "http://media.example:8080/{thumbnailWidth}/{thumbnailCount}?q=%20#f",
			},
			ChannelID: someID, SubjectIDs: ids(most), LegalRestrictions: text, AgeRange: ages(0, 150), BestForIDs: ids(most),
			Language: new(catalogue.Language("zxx")), ContentWarningIDs: ids(most), Keywords: repeat(name, most),
			Attachments: repeat(catalogue.Attachment{
				ID: name, Type: "LESSON_PLAN", Description: &text, Link: address(catalogue.MaxURLLength),
			}, most),
			AvailableUntil: new(catalogue.Date(2_932_896)), EducationLevels: repeat("4CL", most), CEFRLevel: new(catalogue.CEFRLevel("C2")),
			ContentCategories: catalogue.Subtypes(), Categories: codes, TopicIDs: ids(most), LegacyID: strings.Repeat("9", 23),
			Retired: true, RetiredInto: new(someID), Transcript: new(characters(catalogue.MaxTranscriptLength)),
		}
	}
	return fullestRecord(kind)
}

// sound returns the fullest record of a kind, without the texts and lists that take long to validate.
func sound(kind catalogue.Kind) catalogue.Item {
	item := fullest(kind)
	if video, ok := item.(*catalogue.Video); ok {
		video.Transcript, video.Attachments = new("t"), video.Attachments[:5]
	}
	return item
}

func TestValidRecords(t *testing.T) {
	for _, kind := range catalogue.Kinds() {
		if faults := least(kind).Validate(); faults != nil {
			t.Errorf("the least %s: %v", kind, faults)
		}
		if faults := fullest(kind).Validate(); faults != nil {
			t.Errorf("the fullest %s: %v", kind, faults)
		}
	}
	for name, video := range map[string]func(*catalogue.Video){
		"a demo stream": func(v *catalogue.Video) {
			v.Playback = catalogue.Playback{ID: "p", Provider: catalogue.ProviderHLS, Stream: "demo:bars-2", Thumbnail: "demo:0", Preview: "demo:" + strings.Repeat("a", 80)}
		},
		"one age":             func(v *catalogue.Video) { v.AgeRange = ages(7, 7) },
		"a lower age alone":   func(v *catalogue.Video) { v.AgeRange = ages(120, -1) },
		"an upper age alone":  func(v *catalogue.Video) { v.AgeRange = ages(-1, 0) },
		"no length":           func(v *catalogue.Video) { v.Playback.Duration = 0 },
		"no transcript":       func(v *catalogue.Video) { v.Transcript = new("") },
		"retired for good":    func(v *catalogue.Video) { v.Retired, v.RetiredInto = true, nil },
		"an empty text":       func(v *catalogue.Video) { v.AdditionalDescription = new("") },
		"lists without any":   func(v *catalogue.Video) { v.Keywords, v.ContentWarningIDs = []string{}, []catalogue.ID{} },
		"a day long ago":      func(v *catalogue.Video) { v.AvailableUntil = new(catalogue.Date(-700_000)) },
		"lines in the text":   func(v *catalogue.Video) { v.Description = "one\r\n\ttwo" },
		"an image elsewhere":  func(v *catalogue.Video) { v.Playback.Thumbnail = "https://i.ytimg.com/vi/x/hq720.jpg" },
		"an address of bytes": func(v *catalogue.Video) { v.Playback.Thumbnail = "http://192.0.2.1:81/é" },
	} {
		item := sound(catalogue.KindVideo).(*catalogue.Video)
		video(item)
		if faults := item.Validate(); faults != nil {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

// broken is a change that breaks one rule of a kind in an otherwise valid record, and the only field that the error
// must name.
type broken[T any] struct {
	field string
	by    func(item T)
}

func checkBroken[T catalogue.Item](t *testing.T, all ...broken[T]) {
	t.Helper()
	for i, rule := range all {
		var none T
		item := sound(none.Kind()).(T)
		rule.by(item)
		if faults := item.Validate(); len(faults) != 1 || faults[0].Field != rule.field || faults[0].Problem == "" {
			t.Errorf("%s, rule %d: got %q, want one fault of %q", none.Kind(), i, faults, rule.field)
		} else if problem := faults[0].Problem; len(problem) > 400 || !utf8.ValidString(problem) || strings.ContainsAny(problem, "\x00\n") {
			t.Errorf("%s, rule %d: the problem is not one line to be read: %q", none.Kind(), i, problem)
		}
	}
}

func TestShortNameIsNotReportedMissing(t *testing.T) {
	faults := (&catalogue.Tag{Label: "x"}).Validate()
	if want := "label: has 1 characters, at least 2 are needed"; len(faults) != 1 || faults[0].Field+": "+faults[0].Problem != want {
		t.Errorf("got %v, want %s", faults, want)
	}
}

// badTexts returns every way to break a text field of at least least and at most most characters.
func badTexts[T any](field string, least, most int, set func(item T, text string)) (all []broken[T]) {
	texts := []string{characters(most + 1), "a\x00", "a\x1b[2J", "a\x7f", "a\u0085", "a\xff", "a\xed\xa0\x80"}
	if least > 0 {
		texts = append(texts, "", strings.Repeat(" ", least), strings.Repeat("\n", least), characters(least-1))
	}
	for _, text := range texts {
		all = append(all, broken[T]{field, func(item T) { set(item, text) }})
	}
	return all
}

const tooMany = catalogue.MaxListLength + 1

func badThema[T any](field string, set func(item T, code string)) (all []broken[T]) {
	for _, code := range []string{"", "a", "ABCDEFGHIJKLM", "A B", "A\x00", "Ä", "\xff", strings.Repeat("A", 500)} {
		all = append(all, broken[T]{field, func(item T) { set(item, code) }})
	}
	return all
}

func badAddresses[T any](field string, set func(item T, address string)) (all []broken[T]) {
	for _, text := range []string{
		"media.example/x", "/x", "//media.example/x", "ftp://media.example/x", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd",
		"https://", "https:///x", "https://user:secret@media.example/x", "https://media.example/\x00", "https://media.example/\n", "https://media.example/\xff",
		"https://media.example:port/", "https://media.example/%zz", address(catalogue.MaxURLLength + 1), " https://media.example/",
	} {
		all = append(all, broken[T]{field, func(item T) { set(item, text) }})
	}
	return all
}

func TestInvalidLabels(t *testing.T) {
	const name = catalogue.MaxNameLength
	checkBroken(t, badTexts("label", 2, 100, func(tag *catalogue.Tag, text string) { tag.Label = text })...)
	checkBroken(t, badTexts("label", 1, name, func(w *catalogue.ContentWarning, text string) { w.Label = text })...)
	checkBroken(t, badTexts("name", 1, name, func(topic *catalogue.Topic, text string) { topic.Name = text })...)
	checkBroken(t, badTexts("label", 1, name, func(l *catalogue.EducationLevel, text string) { l.Label = text })...)
	checkBroken(t, badThema("code", func(l *catalogue.EducationLevel, code string) {
		l.Code, l.ID = code, catalogue.EducationLevelID(code)
	})...)
	checkBroken(t, broken[*catalogue.EducationLevel]{"id", func(l *catalogue.EducationLevel) { l.ID = someID }})
}

func TestInvalidSubjects(t *testing.T) {
	checkBroken(t, badTexts("name", 2, 100, func(s *catalogue.Subject, text string) { s.Name = text })...)
	checkBroken(t, badThema("categories[7].code", func(s *catalogue.Subject, code string) { s.Categories[7].Code = code })...)
	checkBroken(t, badTexts("categories[7].description", 0, catalogue.MaxNameLength, func(s *catalogue.Subject, text string) {
		s.Categories[7].Description = text
	})...)
	checkBroken(t,
		broken[*catalogue.Subject]{"categories", func(s *catalogue.Subject) { s.Categories = append(s.Categories, s.Categories[0]) }},
		broken[*catalogue.Subject]{"marketSegments", func(s *catalogue.Subject) { s.MarketSegments[0] = "k12" }},
		broken[*catalogue.Subject]{"marketSegments", func(s *catalogue.Subject) {
			s.MarketSegments = repeat[catalogue.MarketSegment]("K12", tooMany)
		}},
	)
}

func TestInvalidDisciplines(t *testing.T) {
	checkBroken(t, badTexts("name", 2, 100, func(d *catalogue.Discipline, text string) { d.Name = text })...)
	for _, code := range []string{"", "a", strings.Repeat("a", 51), "Arts", "fine arts", "arts1", "arts_", "é", "arts\n", "arts\x00", "\xff"} {
		checkBroken(t, broken[*catalogue.Discipline]{"code", func(d *catalogue.Discipline) { d.Code = code }})
	}
	checkBroken(t, broken[*catalogue.Discipline]{"subjects", func(d *catalogue.Discipline) { d.SubjectIDs = ids(tooMany) }})
}

func TestInvalidContracts(t *testing.T) {
	const text = catalogue.MaxTextLength
	checkBroken(t, badTexts("name", 1, catalogue.MaxNameLength, func(c *catalogue.Contract, s string) { c.Name = s })...)
	checkBroken(t, badTexts("video", 0, text, func(c *catalogue.Contract, s string) { c.Video = &s })...)
	checkBroken(t, badTexts("editingInfo", 0, text, func(c *catalogue.Contract, s string) { c.EditingInfo = s })...)
	checkBroken(t, badTexts("territories", 1, catalogue.MaxNameLength, func(c *catalogue.Contract, s string) { c.Territories[3] = s })...)
	checkBroken(t, badTexts("additionalTerritoryInfo", 0, text, func(c *catalogue.Contract, s string) { c.AdditionalTerritoryInfo = s })...)
	checkBroken(t,
		broken[*catalogue.Contract]{"editingPermission", func(c *catalogue.Contract) { *c.EditingPermission = "" }},
		broken[*catalogue.Contract]{"editingPermission", func(c *catalogue.Contract) { *c.EditingPermission = "allowed" }},
		broken[*catalogue.Contract]{"territoryType", func(c *catalogue.Contract) { c.TerritoryType = "EVERYWHERE" }},
		broken[*catalogue.Contract]{"territories", func(c *catalogue.Contract) { c.Territories = repeat("FR", tooMany) }},
		broken[*catalogue.Contract]{"maxLicenseDurationYears", func(c *catalogue.Contract) { *c.MaxLicenseDurationYears = 0 }},
		broken[*catalogue.Contract]{"maxLicenseDurationYears", func(c *catalogue.Contract) { *c.MaxLicenseDurationYears = -1 }},
		broken[*catalogue.Contract]{"maxLicenseDurationYears", func(c *catalogue.Contract) { *c.MaxLicenseDurationYears = 101 }},
	)
}

func TestInvalidVideos(t *testing.T) {
	const text = catalogue.MaxTextLength
	type video = *catalogue.Video
	checkBroken(t, badTexts("title", 1, catalogue.MaxTitleLength, func(v video, s string) { v.Title = s })...)
	checkBroken(t, badTexts("description", 0, text, func(v video, s string) { v.Description = s })...)
	checkBroken(t, badTexts("additionalDescription", 0, text, func(v video, s string) { v.AdditionalDescription = &s })...)
	checkBroken(t, badTexts("legalRestrictions", 0, text, func(v video, s string) { v.LegalRestrictions = s })...)
	checkBroken(t, badTexts("keywords[9]", 1, catalogue.MaxNameLength, func(v video, s string) { v.Keywords[9] = s })...)
	checkBroken(t, badTexts("transcript", 0, catalogue.MaxTranscriptLength, func(v video, s string) { v.Transcript = &s })...)
	checkBroken(t, badThema("categories[5]", func(v video, code string) { v.Categories[5] = code })...)
	for _, language := range []catalogue.Language{"", "en", "ger", "zzz", "ENG"} {
		checkBroken(t, broken[video]{"language", func(v video) { *v.Language = language }})
	}
	for _, alias := range []string{"x", "1x", " 1", "-1", strings.Repeat("9", 24), "١", "1\x00"} {
		checkBroken(t, broken[video]{"legacyId", func(v video) { v.LegacyID = alias }})
	}
	checkBroken(t,
		broken[video]{"type", func(v video) { v.Type = "" }},
		broken[video]{"type", func(v video) { v.Type = "INSTRUCTIONAL_CLIPS" }},
		broken[video]{"type", func(v video) { v.Type = catalogue.VideoType(strings.Repeat("x", 10_000)) }},
		broken[video]{"type", func(v video) { v.Type = "a\nb\x00\xff" }},
		broken[video]{"channel", func(v video) { v.ChannelID = "" }},
		broken[video]{"subjects", func(v video) { v.SubjectIDs = ids(tooMany) }},
		broken[video]{"ageRange", func(v video) { v.AgeRange = ages(12, 11) }},
		broken[video]{"ageRange", func(v video) { v.AgeRange = ages(5, 151) }},
		broken[video]{"ageRange", func(v video) { v.AgeRange = catalogue.AgeRange{Min: new(-1)} }},
		broken[video]{"ageRange", func(v video) { v.AgeRange = ages(-1, 151) }},
		broken[video]{"bestFor", func(v video) { v.BestForIDs = ids(tooMany) }},
		broken[video]{"contentWarnings", func(v video) { v.ContentWarningIDs = ids(tooMany) }},
		broken[video]{"keywords", func(v video) { v.Keywords = repeat("word", tooMany) }},
		broken[video]{"educationLevels", func(v video) { v.EducationLevels = repeat("AB", tooMany) }},
		broken[video]{"cefrLevel", func(v video) { *v.CEFRLevel = "a1" }},
		broken[video]{"contentCategories[2]", func(v video) { v.ContentCategories[2] = "CARTOON" }},
		broken[video]{"contentCategories", func(v video) { v.ContentCategories = repeat[catalogue.Subtype]("INTERVIEW", tooMany) }},
		broken[video]{"categories", func(v video) { v.Categories = repeat("AB", tooMany) }},
		broken[video]{"topics", func(v video) { v.TopicIDs = ids(tooMany) }},
		broken[video]{"retiredInto", func(v video) { v.Retired = false }},
		broken[video]{"retiredInto", func(v video) { v.ID = *v.RetiredInto }},
		broken[video]{"retiredInto", func(v video) { *v.RetiredInto = "1001" }},
	)
}

func TestInvalidPlaybacks(t *testing.T) {
	type video = *catalogue.Video
	checkBroken(t, badTexts("playback.id", 1, catalogue.MaxNameLength, func(v video, s string) { v.Playback.ID = s })...)
	checkBroken(t, badAddresses("playback.stream", func(v video, s string) { v.Playback.Stream = s })...)
	checkBroken(t, badAddresses("playback.thumbnail", func(v video, s string) { v.Playback.Thumbnail = s })...)
	checkBroken(t, badAddresses("playback.preview", func(v video, s string) { v.Playback.Preview = s })...)
	checkBroken(t,
		broken[video]{"playback.provider", func(v video) { v.Playback.Provider, v.Playback.Stream = "VIMEO", "" }},
		broken[video]{"playback.provider", func(v video) { v.Playback.Provider, v.Playback.Stream = "", "" }},
		broken[video]{"playback.duration", func(v video) { v.Playback.Duration = catalogue.Day + 1 }},
		broken[video]{"playback.duration", func(v video) { v.Playback.Duration = -1 }},
		broken[video]{"playback.stream", func(v video) { v.Playback.Stream = "" }},
		broken[video]{"playback.stream", func(v video) { v.Playback.Provider = catalogue.ProviderYouTube }},
	)
	// The name of a stream in the binary becomes a part of a URL without escaping.
	for _, name := range []string{"", `a"b`, "a/b", "../a", "a b", "a{b}", "A", "é", "a\x00S", "a\xff", "a?b", "a%62", strings.Repeat("a", 81)} {
		checkBroken(t,
			broken[video]{"playback.stream", func(v video) { v.Playback.Stream = "demo:" + name }},
			broken[video]{"playback.thumbnail", func(v video) { v.Playback.Thumbnail = "demo:" + name }},
			broken[video]{"playback.preview", func(v video) { v.Playback.Preview = "demo:" + name }},
		)
	}
}

func TestInvalidAttachments(t *testing.T) {
	type video = *catalogue.Video
	checkBroken(t, badTexts("attachments[4].id", 1, catalogue.MaxNameLength, func(v video, s string) { v.Attachments[4].ID = s })...)
	checkBroken(t, badTexts("attachments[4].description", 0, catalogue.MaxTextLength, func(v video, s string) { v.Attachments[4].Description = &s })...)
	checkBroken(t, badAddresses("attachments[4].link", func(v video, s string) { v.Attachments[4].Link = s })...)
	checkBroken(t,
		broken[video]{"attachments[4].type", func(v video) { v.Attachments[4].Type = "Lesson Guide" }},
		broken[video]{"attachments[4].link", func(v video) { v.Attachments[4].Link = "" }},
		broken[video]{"attachments[4].link", func(v video) { v.Attachments[4].Link = "demo:bars" }},
		broken[video]{"attachments", func(v video) {
			v.Attachments = repeat(catalogue.Attachment{ID: "a", Type: "ACTIVITY", Link: "https://media.example/"}, tooMany)
		}},
	)
}

// TestFaultsInOrder checks that validation returns all faults of a record at once, in the order of its fields.
func TestFaultsInOrder(t *testing.T) {
	video := sound(catalogue.KindVideo).(*catalogue.Video)
	video.Title, video.Type, video.Playback.ID, video.LegacyID, video.Keywords[1], video.Keywords[0] = "", "x", "", "x", "", "\x00"
	faults := video.Validate()
	var fields []string
	for _, fault := range faults {
		fields = append(fields, fault.Field)
	}
	if got, want := strings.Join(fields, " "), "title type playback.id keywords[0] keywords[1] legacyId"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := faults[:1].Error(); got != "title is required" {
		t.Errorf("one fault reads %q", got)
	}
	if got := faults[2:4].Error(); got != "playback.id is required; keywords[0] holds a control character" {
		t.Errorf("two faults read %q", got)
	}
}
