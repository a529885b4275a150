package rest_test

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// The catalogue of every world. Each item is named by its reference, and no two kinds share a reference.

var kinds = map[string]catalogue.Kind{
	"licence": catalogue.KindContract, "pre-school": catalogue.KindEducationLevel, "secondary": catalogue.KindEducationLevel,
	"hook": catalogue.KindTag, "explainer": catalogue.KindTag,
	"violence": catalogue.KindContentWarning, "flashes": catalogue.KindContentWarning,
	"physics": catalogue.KindSubject, "chemistry": catalogue.KindSubject, "history": catalogue.KindSubject,
	"unused": catalogue.KindSubject, "covert": catalogue.KindSubject,
	"sciences": catalogue.KindDiscipline, "humanities": catalogue.KindDiscipline, "leisure": catalogue.KindDiscipline,
	"buoyancy": catalogue.KindTopic, "density": catalogue.KindTopic,
	"openscience": catalogue.KindProvider, "underground": catalogue.KindProvider,
	"mechanics": catalogue.KindTheme, "optics": catalogue.KindTheme, "leaflet": catalogue.KindTheme,
	"paddles": catalogue.KindHighlight, "wake": catalogue.KindHighlight, "hush": catalogue.KindHighlight,
	"lab": catalogue.KindChannel, "harbour": catalogue.KindChannel, "tube": catalogue.KindChannel, "private": catalogue.KindChannel,
}

// idOf returns the ID of the item with a reference. A reference of no other kind is a video.
func idOf(reference string) catalogue.ID {
	kind, ok := kinds[reference]
	if !ok {
		kind = catalogue.KindVideo
	}
	switch reference {
	case "pre-school":
		return catalogue.EducationLevelID("4CA")
	case "secondary":
		return catalogue.EducationLevelID("4CL")
	}
	return catalogue.DeriveID(kind, "test", reference)
}

func metaOf(reference string) catalogue.Meta {
	return catalogue.Meta{ID: idOf(reference), Source: "test", Reference: reference}
}

func idsOf(references ...string) []catalogue.ID {
	ids := make([]catalogue.ID, len(references))
	for i, reference := range references {
		ids[i] = idOf(reference)
	}
	return ids
}

func day(text string) catalogue.Date { return must(catalogue.ParseDate(text)) }

// videoOf returns a video with the required fields only.
func videoOf(reference, title, channel string) *catalogue.Video {
	return &catalogue.Video{
		Meta: metaOf(reference), Title: title, Type: catalogue.Instructional, ChannelID: idOf(channel),
		ReleasedOn: day("2020-01-01"),
		Playback:   catalogue.Playback{ID: "play-" + reference, Provider: catalogue.ProviderHLS, Duration: 90 * catalogue.Second, Stream: "demo:bars"},
	}
}

// earlier is the catalogue ten days before the world begins; later contains the items added when it begins.
func earlier() []catalogue.Item {
	return slices.Concat(referenceData(), []catalogue.Item{
		floating(), boats(), battle(), minimal(), ending(), expired(), secretVideo(), hostile(),
	}, learning())
}

func later() []catalogue.Item {
	onYouTube := videoOf("onYouTube", "How submarines dive", "tube")
	onYouTube.Playback = catalogue.Playback{
		ID: "dQ", Provider: catalogue.ProviderYouTube, Duration: 20 * catalogue.Minute, Thumbnail: "https://img.example/dQ.jpg",
	}
	onYouTube.SubjectIDs = idsOf("physics")
	onYouTube.ReleasedOn = day("2024-06-01")
	duplicate := videoOf("duplicate", "Why things float, again", "lab")
	duplicate.Retired, duplicate.RetiredInto = true, new(idOf("floating"))
	retired := videoOf("retired", "Withdrawn", "lab")
	retired.Retired = true
	return []catalogue.Item{onYouTube, duplicate, retired}
}

func referenceData() []catalogue.Item {
	return []catalogue.Item{
		&catalogue.Contract{
			Meta: metaOf("licence"), Name: "Licence", Video: new("No resale"),
			EditingPermission: new(catalogue.EditingPermission("ALLOWED_WITH_RESTRICTIONS")), EditingInfo: "Keep the credits",
			TerritoryType: "RESTRICTED", Territories: []string{"Canada", "Norway"}, AdditionalTerritoryInfo: "Schools only",
			MaxLicenseDurationYears: new(5),
		},
		&catalogue.EducationLevel{Meta: metaOf("pre-school"), Code: "4CA", Label: "Pre-school"},
		&catalogue.EducationLevel{Meta: metaOf("secondary"), Code: "4CL", Label: "Secondary"},
		&catalogue.Tag{Meta: metaOf("hook"), Label: "Hook"},
		&catalogue.Tag{Meta: metaOf("explainer"), Label: "Explainer"},
		&catalogue.ContentWarning{Meta: metaOf("violence"), Label: "Violence"},
		&catalogue.ContentWarning{Meta: metaOf("flashes"), Label: "Flashing lights"},
		&catalogue.Subject{
			Meta: metaOf("physics"), Name: "Physics", MarketSegments: []catalogue.MarketSegment{"K12"},
			Categories: []catalogue.SubjectCategory{{Code: "PH", Description: "Physics in general"}},
		},
		&catalogue.Subject{Meta: metaOf("chemistry"), Name: "Chemistry", MarketSegments: []catalogue.MarketSegment{"K12", "HIGHER_EDUCATION"}},
		&catalogue.Subject{Meta: metaOf("history"), Name: "History", MarketSegments: []catalogue.MarketSegment{"HIGHER_EDUCATION"}},
		&catalogue.Subject{Meta: metaOf("unused"), Name: "Astronomy"},
		&catalogue.Subject{Meta: metaOf("covert"), Name: "Covert studies"},
		&catalogue.Discipline{Meta: metaOf("sciences"), Name: "Sciences", Code: "sciences", SubjectIDs: idsOf("physics", "unused", "chemistry")},
		&catalogue.Discipline{Meta: metaOf("humanities"), Name: "Humanities", Code: "humanities", SubjectIDs: idsOf("history")},
		&catalogue.Discipline{Meta: metaOf("leisure"), Name: "Leisure", Code: "leisure"},
		&catalogue.Topic{Meta: metaOf("buoyancy"), Name: "Buoyancy"},
		&catalogue.Topic{Meta: metaOf("density"), Name: "Density"},
		&catalogue.Channel{
			Meta: metaOf("lab"), Name: "Open Lab", Description: "Experiments", OneLineDesc: "We try it out", Notes: "Weekly",
			ContentType: "INSTRUCTIONAL", LegalRestriction: "Credit the lab", Language: new(catalogue.Language("eng")),
			ContentCategories: []catalogue.Subtype{"ANIMATION", "TALKING_HEAD"}, Categories: []string{"PH"},
			EducationLevels: []string{"4CL"}, IngestType: "MANUAL", ContractID: new(idOf("licence")),
			Currency: "EUR", DistributionMethods: []catalogue.DistributionMethod{"STREAM", "DOWNLOAD"},
			AgeRange: catalogue.AgeRange{Min: new(9), Max: new(12)}, VideoLevelTagging: true,
			IngestURLs: []string{"https://staff.example/feed"}, IngestPlaylistIDs: []string{"staff-playlist"},
			Marketing: catalogue.ChannelMarketing{
				Status: "staff-status", OneLineIntro: "staff-intro", Logos: []string{"https://staff.example/logo"},
				Showreel: "https://staff.example/showreel", SampleVideos: []string{"https://staff.example/sample"},
			},
			Pedagogy: catalogue.ChannelPedagogy{
				SubjectIDs: idsOf("physics", "unused"), BestForTagIDs: idsOf("hook"),
				AgeRanges: []catalogue.AgeRange{{Min: new(9)}, {Max: new(12)}},
			},
		},
		&catalogue.Channel{Meta: metaOf("harbour"), Name: "Harbour Films", IngestType: "MRSS", Categories: []string{"NH", "WG"}},
		&catalogue.Channel{Meta: metaOf("tube"), Name: "Tube Class", IngestType: "YOUTUBE"},
		&catalogue.Channel{Meta: metaOf("private"), Name: "Private Lab", IngestType: "CUSTOM", Private: true, EducationLevels: []string{"4CA"}},
	}
}

// floating returns a video with every field set.
func floating() *catalogue.Video {
	v := videoOf("floating", "Why things float", "lab")
	v.Description, v.AdditionalDescription = "Ships, ice and balloons", new("An old text")
	v.ReleasedOn = day("2021-05-17")
	v.Playback = catalogue.Playback{
		ID: "play-floating", Provider: catalogue.ProviderHLS, Duration: 74 * catalogue.Second,
		Stream: "demo:bars", Thumbnail: "demo:bars", Preview: "demo:bars",
	}
	v.SubjectIDs, v.SubjectsSetManually = idsOf("physics", "chemistry"), true
	v.LegalRestrictions = "Credit the producer"
	v.AgeRange = catalogue.AgeRange{Min: new(5), Max: new(11)}
	v.BestForIDs = idsOf("hook", "explainer")
	v.Promoted = true
	v.Language = new(catalogue.Language("eng"))
	v.Attachments = []catalogue.Attachment{
		{ID: "a1", Type: "LESSON_PLAN", Description: new("Ten questions"), Link: "https://files.example/a1.pdf?x=1&y=2"},
		{ID: "a2", Type: "ACTIVITY", Link: "https://files.example/a2.pdf"},
	}
	v.ContentWarningIDs = idsOf("flashes")
	v.Keywords = []string{"buoyancy", "water"}
	v.AvailableUntil = new(day("2030-12-31"))
	v.EducationLevels = []string{"4CA", "4CL"}
	v.CEFRLevel = new(catalogue.CEFRLevel("B1"))
	v.ContentCategories = []catalogue.Subtype{"ANIMATION", "DEMONSTRATION"}
	v.Categories = []string{"PHD"}
	v.TopicIDs = idsOf("buoyancy", "density")
	v.LegacyID = "1001"
	v.Transcript, v.HasTranscript = new("Things float. Others sink. That is all."), true
	return v
}

// boats returns a long French video that is hosted elsewhere.
func boats() *catalogue.Video {
	v := videoOf("boats", "Building wooden boats", "harbour")
	v.Description = "A shipyard by the water"
	v.ReleasedOn = day("2022-02-02")
	v.Type = catalogue.Stock
	v.Playback = catalogue.Playback{
		ID: "play-boats", Provider: catalogue.ProviderHLS, Duration: 12 * catalogue.Minute, Stream: "https://video.example/boats/index.m3u8",
		Thumbnail: "https://img.example/boats/{thumbnailWidth}.jpg", Preview: "https://img.example/boats/{thumbnailWidth}/{thumbnailCount}.jpg",
	}
	v.SubjectIDs = idsOf("history")
	v.AgeRange = catalogue.AgeRange{Min: new(14)}
	v.Language = new(catalogue.Language("fra"))
	v.ContentWarningIDs = []catalogue.ID{}
	v.BestForIDs = idsOf("hook")
	v.EducationLevels = []string{"4CL"}
	v.CEFRLevel = new(catalogue.CEFRLevel("C1"))
	v.ContentCategories = []catalogue.Subtype{"DOCUMENTARY"}
	v.Attachments = []catalogue.Attachment{{ID: "b1", Type: "FINAL_PROJECT", Link: "https://files.example/b1.pdf"}}
	v.TopicIDs = idsOf("buoyancy")
	v.Transcript, v.HasTranscript = new("Planks.\n\nMore planks. And nails."), true
	return v
}

func battle() *catalogue.Video {
	v := videoOf("battle", "The battle at sea", "harbour")
	v.Description = "News of a water fight"
	v.ReleasedOn = day("2019-09-09")
	v.Type = catalogue.News
	v.Playback.Duration = 2 * catalogue.Minute
	v.SubjectIDs, v.SubjectsSetManually = idsOf("history"), true
	v.AgeRange = catalogue.AgeRange{Max: new(4)}
	v.ContentWarningIDs = idsOf("violence", "flashes")
	return v
}

// minimal returns a video with the required fields only.
func minimal() *catalogue.Video { return videoOf("minimal", "Untold", "harbour") }

// ending returns a video whose last day is the day on which the world begins; the last day of expired was the day
// before.
func ending() *catalogue.Video {
	v := videoOf("ending", "Last chance", "lab")
	v.AvailableUntil = new(day("2026-03-04"))
	return v
}

func expired() *catalogue.Video {
	v := videoOf("expired", "Too late", "lab")
	v.AvailableUntil = new(day("2026-03-03"))
	return v
}

// secretVideo returns a video of a private channel.
func secretVideo() *catalogue.Video {
	v := videoOf("secretVideo", "Secret water works", "private")
	v.SubjectIDs = idsOf("covert")
	return v
}

// hostile returns a video whose texts contain characters that must be escaped.
func hostile() *catalogue.Video {
	v := videoOf("hostile", `<b>"Quotes" & \backslashes\ </b>, 'n\u0000ul', 水の話, עברית, 😀`, "lab")
	v.Description = "line\nbreak\ttab </script> \u2028 \u2029 \",\"availability\":null,\"x\":\""
	v.Keywords = []string{`{"a":1}`, "a,b", "%00"}
	v.Transcript, v.HasTranscript = new("水。 A. B."), true
	return v
}

// visible returns the references of the videos that a customer sees. The operator sees one more.
func visible() []string {
	return []string{"floating", "boats", "battle", "minimal", "ending", "hostile", "onYouTube"}
}
