package model_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/model"
)

func id(n int) catalogue.ID { return catalogue.ID(fmt.Sprintf("%024x", n)) }

func meta(n int) catalogue.Meta { return catalogue.Meta{ID: id(n), Version: int64(n)} }

func levelMeta(code string) catalogue.Meta {
	return catalogue.Meta{ID: catalogue.EducationLevelID(code)}
}

// everything is a directory with two items of most kinds. The first channel has a contract.
func everything() *catalogue.Directory {
	return catalogue.NewDirectory(9, []catalogue.Item{
		&catalogue.Contract{
			Meta: meta(10), Video: new("in class"), EditingPermission: new(catalogue.EditingPermission("ALLOWED")), EditingInfo: "ask",
			TerritoryType: "RESTRICTED", Territories: []string{"FR"}, AdditionalTerritoryInfo: "and overseas", MaxLicenseDurationYears: new(5),
		},
		&catalogue.Channel{
			Meta: meta(20), Name: "Lab", Description: "d", OneLineDesc: "o", Notes: "n", ContentType: "Shorts", LegalRestriction: "l",
			Language: new(catalogue.Language("fra")), ContentCategories: []catalogue.Subtype{"TALKING_HEAD"}, Categories: []string{"PH", "A"},
			EducationLevels: []string{"4CL", "4CA"}, IngestType: "MRSS", ContractID: new(id(10)), Private: true,
			Currency: "EUR", DistributionMethods: []catalogue.DistributionMethod{"DOWNLOAD"}, AgeRange: catalogue.AgeRange{Min: new(9)},
			VideoLevelTagging: true, IngestURLs: []string{"https://a.example/feed"}, IngestPlaylistIDs: []string{"PL1"},
			Marketing: catalogue.ChannelMarketing{
				Status: "s", OneLineIntro: "i", Logos: []string{"https://a.example/l"}, Showreel: "https://a.example/r",
				SampleVideos: []string{"https://a.example/v"},
			},
			Pedagogy: catalogue.ChannelPedagogy{
				SubjectIDs: []catalogue.ID{id(31), id(30)}, AgeRanges: []catalogue.AgeRange{{Max: new(7)}}, BestForTagIDs: []catalogue.ID{id(41)},
			},
		},
		&catalogue.Channel{Meta: meta(21), Name: "Bare"},
		&catalogue.Subject{
			Meta: meta(30), Name: "Physics", Categories: []catalogue.SubjectCategory{{Code: "PH", Description: "p"}},
			MarketSegments: []catalogue.MarketSegment{"K12"},
		},
		&catalogue.Subject{Meta: meta(31), Name: "Art"},
		&catalogue.Tag{Meta: meta(40), Label: "Hook"}, &catalogue.Tag{Meta: meta(41), Label: "Explainer"},
		&catalogue.ContentWarning{Meta: meta(50), Label: "Blood"},
		&catalogue.EducationLevel{Meta: levelMeta("4CA"), Code: "4CA", Label: "Primary"},
		&catalogue.EducationLevel{Meta: levelMeta("4CL"), Code: "4CL", Label: "Secondary"},
		&catalogue.Topic{Meta: meta(60), Name: "Waves"},
	})
}

// labels joins the labels of views.
func labels[T any](list []T, label func(T) string) string {
	if list == nil {
		return "nil"
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = label(v)
	}
	return "[" + strings.Join(texts, " ") + "]"
}

func subjectName(s *model.Subject) string         { return s.Name }
func tagLabel(t *model.Tag) string                { return t.Label }
func warningLabel(w *model.ContentWarning) string { return w.Label }

// linkText formats a link as "rel>target id address{permission}".
func linkText(l model.Link) string {
	text := fmt.Sprintf("%s>%s %s%s", l.Rel, l.Target(), strings.TrimLeft(l.ID, "0"), l.Address)
	if l.Templated {
		text += " templated"
	}
	return strings.TrimSpace(text) + "{" + l.Permission.String() + "}"
}

func linksText(links model.Links) string {
	return labels(append([]model.Link{}, links.List...), linkText)
}

// asJSON returns a value as JSON, which distinguishes nil from empty.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// equal compares named values.
func equal(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, %d wanted", what, len(got), len(want))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s is %s, want %s", what, name, got[name], want[name])
		}
	}
}

// facts returns every value that a video shows.
func facts(t *testing.T, v *model.Video) map[string]string {
	t.Helper()
	language, contract := "null", v.Restrictions()
	if v.Language() != nil {
		language = v.Language().Code + " " + v.Language().DisplayName
	}
	return map[string]string{
		"reference": v.Reference().String(), "id": string(v.ID), "title": v.Title, "description": v.Description,
		"additionalDescription": asJSON(t, v.AdditionalDescription), "releasedOn": v.ReleasedOn.String(),
		"updatedAt": v.UpdatedAt.Format(catalogue.TimestampFormat), "legalRestrictions": v.LegalRestrictions,
		"promoted": strconv.FormatBool(v.Promoted), "keywords": asJSON(t, v.Keywords), "type": string(v.Type),
		"cefrLevel": asJSON(t, v.CEFRLevel), "contentCategories": asJSON(t, v.ContentCategories),
		"hasTranscript": strconv.FormatBool(v.HasTranscript()), "categories": asJSON(t, v.Categories()), "badges": asJSON(t, v.Badges()),
		"ageRange": asJSON(t, v.AgeRange), "availability": asJSON(t, v.Availability()), "language": language,
		"subjects": labels(v.Subjects(), subjectName), "bestFor": labels(v.BestFor(), tagLabel),
		"contentWarnings": labels(v.ContentWarnings(), warningLabel),
		"educationLevels": labels(v.EducationLevels(), func(l *catalogue.EducationLevel) string { return l.Label }),
		"topics":          labels(v.Topics(), func(p *catalogue.Topic) string { return p.Name }),
		"channel":         fmt.Sprint(v.Channel() != nil), "createdBy": v.CreatedBy(), "license": asJSON(t, v.MaxLicenseDurationYears()),
		"attachments": labels(v.Attachments(), func(a model.Attachment) string {
			return a.ID + " " + string(a.Type) + " " + asJSON(t, a.Description) + " " + linksText(a.Links())
		}),
		"restrictions": asJSON(t, contract), "sequence": fmt.Sprint(v.Sequence), "links": linksText(v.Links()),
		"playback": v.Playback().Type() + " " + v.Playback().ID() + " " + v.Playback().Duration().String(), "streams": linksText(v.Playback().Links()),
	}
}

func TestVideoInFull(t *testing.T) {
	day := catalogue.Date(20_000)
	stored := &catalogue.Video{
		Meta: catalogue.Meta{ID: id(1), Version: 7, UpdatedAt: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)}, Sequence: 3,
		Title: "Ice", Description: "It floats.", AdditionalDescription: new("more"), ReleasedOn: day, Type: catalogue.Instructional,
		Playback: catalogue.Playback{
			ID: "p1", Provider: catalogue.ProviderHLS, Duration: 90 * catalogue.Second, Stream: "https://media.example/1.m3u8",
			Thumbnail: "https://media.example/1/{thumbnailWidth}", Preview: "demo:bars",
		},
		ChannelID: id(20), SubjectIDs: []catalogue.ID{id(31), id(99), id(30)}, LegalRestrictions: "none", AgeRange: catalogue.AgeRange{Min: new(5)},
		BestForIDs: []catalogue.ID{id(40), id(41)}, Promoted: true, Language: new(catalogue.Language("deu")),
		Attachments:       []catalogue.Attachment{{ID: "a1", Type: "ACTIVITY", Description: new("d"), Link: "https://files.example/{1}"}, {ID: "a2", Type: "LESSON_PLAN"}},
		ContentWarningIDs: []catalogue.ID{id(50), id(51)}, Keywords: []string{"ice"}, AvailableUntil: &day, EducationLevels: []string{"4CL", "9", "4CA"},
		CEFRLevel: new(catalogue.CEFRLevel("B2")), ContentCategories: []catalogue.Subtype{"ANIMATION"}, Categories: []string{"PHD", "PH"},
		TopicIDs: []catalogue.ID{id(60), id(61)}, HasTranscript: true,
	}
	equal(t, "in full", facts(t, model.NewVideo(stored, everything())), map[string]string{
		"reference": string(id(1)) + ":7", "id": string(id(1)), "title": "Ice", "description": "It floats.", "additionalDescription": `"more"`,
		"releasedOn": day.String(), "updatedAt": "2026-01-02T03:04:05.000006Z", "legalRestrictions": "none", "promoted": "true",
		"keywords": `["ice"]`, "type": "INSTRUCTIONAL", "cefrLevel": `"B2"`, "contentCategories": `["ANIMATION"]`, "hasTranscript": "true",
		"categories": `["A","PH","PHD"]`, "badges": `["ad-free"]`, "ageRange": `{"min":5,"max":null}`,
		"availability": `{"AvailableUntil":"` + day.String() + `"}`, "language": "deu German",
		// These follow the order of the video, without items that the directory lacks.
		"subjects": "[Art Physics]", "bestFor": "[Hook Explainer]", "contentWarnings": "[Blood]", "educationLevels": "[Secondary Primary]",
		"topics": "[Waves]", "channel": "true", "createdBy": "Lab", "license": "5",
		"attachments": `[a1 ACTIVITY "d" [download>download https://files.example/{1}{}] a2 LESSON_PLAN null [download>download{}]]`,
		"restrictions": `{"Video":"in class","Editing":{"Permission":"ALLOWED","EditingInfo":"ask"},` +
			`"Territory":{"Type":"RESTRICTED","Territories":["FR"],"AdditionalTerritoryInfo":"and overseas"}}`,
		"sequence": "3", "links": "[self>video 1{BROWSE} logInteraction>logInteraction 1{VIEW_VIDEOS} trackVideoShareLink>trackVideoShareLink 1{VIEW_VIDEOS} similar>similar 1{VIEW_VIDEOS} createEmbed>createEmbed 1{EMBED_VIDEOS} transcript>transcript 1{DOWNLOAD_TRANSCRIPT}]", "playback": "STREAM p1 PT1M30S",
		"streams": "[" + reportedPlaying + " thumbnail>thumbnail https://media.example/1/{thumbnailWidth} templated{} videoPreview>videoPreview bars{} hlsStream>hlsStream 1{}]",
	})
}

// TestVideoAtLeast proves that unknown values are null and that lists without elements are empty.
func TestVideoAtLeast(t *testing.T) {
	stored := &catalogue.Video{
		Meta: meta(1), Title: "Ice", Type: catalogue.Stock, ChannelID: id(21),
		Playback: catalogue.Playback{ID: "p1", Provider: catalogue.ProviderYouTube},
	}
	want := map[string]string{
		"reference": string(id(1)) + ":1", "id": string(id(1)), "title": "Ice", "description": "", "additionalDescription": "null",
		"releasedOn": "1970-01-01", "updatedAt": "0001-01-01T00:00:00.000000Z", "legalRestrictions": "", "promoted": "false",
		"keywords": "null", "type": "STOCK", "cefrLevel": "null", "contentCategories": "null", "hasTranscript": "false", "categories": "[]",
		"badges": `["youtube"]`, "ageRange": `{"min":null,"max":null}`, "availability": "null", "language": "null", "subjects": "[]", "bestFor": "[]",
		"contentWarnings": "nil", "educationLevels": "[]", "topics": "[]", "channel": "true", "createdBy": "Bare", "license": "null",
		"attachments":  "[]",
		"restrictions": `{"Video":null,"Editing":{"Permission":null,"EditingInfo":""},"Territory":{"Type":"NO_RESTRICTIONS","Territories":null,"AdditionalTerritoryInfo":""}}`,
		"sequence":     "0", "links": "[self>video 1{BROWSE} logInteraction>logInteraction 1{VIEW_VIDEOS} trackVideoShareLink>trackVideoShareLink 1{VIEW_VIDEOS} similar>similar 1{VIEW_VIDEOS}]", "playback": "YOUTUBE p1 PT0S",
		"streams": "[" + reportedPlaying + "]",
	}
	equal(t, "at least", facts(t, model.NewVideo(stored, everything())), want)

	stored.ContentWarningIDs = []catalogue.ID{}
	want["contentWarnings"] = "[]"
	equal(t, "judged", facts(t, model.NewVideo(stored, everything())), want)

	want["channel"], want["createdBy"] = "false", ""
	equal(t, "in an empty directory", facts(t, model.NewVideo(stored, catalogue.NewDirectory(0, nil))), want)
}

// TestIncompleteContract proves that values missing in a contract are shown as absent or unrestricted.
func TestIncompleteContract(t *testing.T) {
	d := catalogue.NewDirectory(1, []catalogue.Item{
		&catalogue.Contract{Meta: meta(10), Name: "c"}, &catalogue.Channel{Meta: meta(20), ContractID: new(id(10))},
	})
	v := model.NewVideo(&catalogue.Video{ChannelID: id(20)}, d)
	want := `{"Video":null,"Editing":{"Permission":null,"EditingInfo":""},"Territory":{"Type":"NO_RESTRICTIONS","Territories":null,"AdditionalTerritoryInfo":""}}`
	if got := asJSON(t, v.Restrictions()); got != want || v.MaxLicenseDurationYears() != nil {
		t.Errorf("got %s, %v", got, v.MaxLicenseDurationYears())
	}
}

func TestAgeRangeShown(t *testing.T) {
	for want, r := range map[string]catalogue.AgeRange{
		`{"min":null,"max":null}`: {}, `{"min":5,"max":11}`: {Min: new(5), Max: new(11)}, `{"min":5,"max":null}`: {Min: new(5)}, `{"min":null,"max":11}`: {Max: new(11)},
	} {
		if got := asJSON(t, model.NewVideo(&catalogue.Video{AgeRange: r}, everything()).AgeRange); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// reportedPlaying lists the links of every playback.
const reportedPlaying = "createPlaybackEvent>createPlaybackEvent{BROWSE} createPlayerInteractedWithEvent>createPlayerInteractedWithEvent{BROWSE}"

func TestPlaybackLinks(t *testing.T) {
	for want, p := range map[string]catalogue.Playback{
		"": {Provider: catalogue.ProviderYouTube},
		" thumbnail>thumbnail https://i.example/1.jpg{}":                                                    {Provider: catalogue.ProviderYouTube, Thumbnail: "https://i.example/1.jpg"},
		" thumbnail>thumbnail bars{} videoPreview>videoPreview bars{} hlsStream>hlsStream 1{}":              {Provider: catalogue.ProviderHLS, Stream: "demo:bars", Thumbnail: "demo:bars", Preview: "demo:bars"},
		" videoPreview>videoPreview https://i.example/{thumbnailCount} templated{} hlsStream>hlsStream 1{}": {Provider: catalogue.ProviderHLS, Stream: "https://m.example/", Preview: "https://i.example/{thumbnailCount}"},
	} {
		v := model.NewVideo(&catalogue.Video{Meta: meta(1), Playback: p}, everything())
		if got := linksText(v.Playback().Links()); got != "["+reportedPlaying+want+"]" {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func channelFacts(t *testing.T, c *model.Channel) map[string]string {
	language, restriction, ingest := "null", "null", "null"
	if c.Language() != nil {
		language = c.Language().Code + " " + c.Language().Name
	}
	if r := c.LegalRestriction(); r != nil {
		restriction = fmt.Sprint(r.ID.Valid(), " ", r.Text)
	}
	if c.IngestType() != nil {
		ingest = string(*c.IngestType())
	}
	return map[string]string{
		"id": string(c.ID), "name": c.Name, "texts": strings.Join([]string{c.Description, c.OneLineDescription(), c.Notes, c.ContentType}, "|"),
		"private": fmt.Sprint(c.Private), "links": linksText(c.Links()), "restriction": restriction, "language": language, "ingest": ingest,
		"currency": asJSON(t, c.Currency()), "distribution": asJSON(t, c.DistributionMethods), "ages": asJSON(t, c.AgeRange()),
		"marketing": asJSON(t, c.MarketingInformation()), "pedagogy": asJSON(t, c.PedagogyInformation()),
		"comes in": asJSON(t, c.Ingest()), "taxonomy": asJSON(t, c.Taxonomy()),
		"contentTypes":      asJSON(t, c.ContentTypes()),
		"contentCategories": labels(c.ContentCategories(), func(k model.ContentCategory) string { return string(k.Key) + "=" + k.Label }),
		"educationLevels":   labels(c.EducationLevels(), func(l *catalogue.EducationLevel) string { return l.Code }),
	}
}

func TestChannels(t *testing.T) {
	d := everything()
	equal(t, "in full", channelFacts(t, model.NewChannel(d.Channel(id(20)), d)), map[string]string{
		"id": string(id(20)), "name": "Lab", "texts": "d|o|n|Shorts", "private": "true", "links": "[self>channel 14{VIEW_CHANNELS}]",
		"restriction": "true l", "language": "fra French", "ingest": "MRSS", "contentTypes": `["Shorts"]`,
		"contentCategories": "[TALKING_HEAD=Talking head]", "educationLevels": "[4CL 4CA]",
		"currency": `"EUR"`, "distribution": `["DOWNLOAD"]`, "ages": `{"min":9,"max":null}`,
		"marketing": `{"Status":"s","OneLineIntro":"i","Logos":["https://a.example/l"],"Showreel":"https://a.example/r","SampleVideos":["https://a.example/v"]}`,
		"pedagogy":  fmt.Sprintf(`{"Subjects":[%q,%q],"AgeRanges":[{"min":null,"max":7}],"BestForTags":[%q]}`, id(31), id(30), id(41)),
		"comes in":  `{"Type":"MRSS","Urls":["https://a.example/feed"],"PlaylistIds":["PL1"]}`,
		"taxonomy":  `{"Categories":["PH","A"],"RequiresVideoLevelTagging":true}`,
	})
	equal(t, "at least", channelFacts(t, model.NewChannel(d.Channel(id(21)), d)), map[string]string{
		"id": string(id(21)), "name": "Bare", "texts": "|||", "private": "false", "links": "[self>channel 15{VIEW_CHANNELS}]",
		"restriction": "null", "language": "null", "ingest": "null", "contentTypes": "[]", "contentCategories": "[]", "educationLevels": "[]",
		"currency": "null", "distribution": "null", "ages": "null",
		"marketing": `{"Status":null,"OneLineIntro":null,"Logos":[],"Showreel":null,"SampleVideos":[]}`,
		"pedagogy":  `{"Subjects":[],"AgeRanges":[],"BestForTags":[]}`, "comes in": "null",
		"taxonomy": `{"Categories":[],"RequiresVideoLevelTagging":false}`,
	})
	if model.NewChannel(nil, d) != nil {
		t.Error("there is a view of no channel")
	}
}

func TestLabels(t *testing.T) {
	d := everything()
	subject, bare := model.NewSubject(d.Subject(id(30))), model.NewSubject(d.Subject(id(31)))
	tag, warning := model.NewTag(d.Tag(id(40))), model.NewContentWarning(d.ContentWarning(id(50)))
	for got, want := range map[string]string{
		string(subject.ID) + subject.Name + fmt.Sprint(subject.MarketSegments) + asJSON(t, subject.Categories): string(id(30)) + `Physics[K12][{"code":"PH","description":"p"}]`,
		asJSON(t, bare.Categories): "null", linksText(subject.Links()): "[self>subject 1e{BROWSE}]",
		string(tag.ID) + tag.Label + asJSON(t, tag.UserID()) + linksText(tag.Links()): string(id(40)) + "Hooknull[self>tag 28{VIEW_TAGS}]",
		string(warning.ID) + warning.Label + linksText(warning.Links()):               string(id(50)) + "Blood[self>contentWarning 32{BROWSE}]",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	stored := &catalogue.Discipline{Meta: meta(70), Name: "The Arts", Code: "arts"}
	full, empty := model.NewDiscipline(stored, []*model.Subject{bare}), model.NewDiscipline(stored, nil)
	if got := fmt.Sprint(full.ID, full.Name, full.Code, labels(full.Subjects(), subjectName), linksText(full.Links())); got != string(id(70))+"The Artsarts[Art][self>discipline 46{VIEW_DISCIPLINES}]" {
		t.Errorf("the discipline is %s", got)
	}
	if empty.Subjects() == nil {
		t.Error("a discipline without subjects has no list")
	}
	if model.NewSubject(nil) != nil || model.NewTag(nil) != nil || model.NewContentWarning(nil) != nil {
		t.Error("there is a view of nothing")
	}
}

// TestIndexLinks proves that the index has each relation once, and none of a single resource.
func TestIndexLinks(t *testing.T) {
	seen := map[string]bool{}
	for _, link := range (model.Index{}).Links().List {
		if seen[link.Rel] || link.Rel == "" || link.Target() != link.Rel || link.ID != "" || link.Address != "" {
			t.Errorf("%+v", link)
		}
		seen[link.Rel] = true
	}
	if len(seen) == 0 {
		t.Error("there is nothing to start from")
	}
}

// TestAnonymousIndexLinks proves that the index without a token has some of the links, all of which every caller sees.
func TestAnonymousIndexLinks(t *testing.T) {
	all := (model.Index{}).Links().List
	open := model.Index{Anonymous: true}.Links().List
	if len(open) == 0 || len(open) >= len(all) {
		t.Errorf("there are %d", len(open))
	}
	for _, link := range open {
		if !slices.Contains(all, link) || link.Permission != account.Browse {
			t.Errorf("%+v", link)
		}
	}
}
