package importline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importline"
)

const channelHead = `"format":1,"kind":"channel","source":"s","ref":"c"`

func TestNewChannelWithEveryField(t *testing.T) {
	line := `{` + channelHead + `,"name":"N","description":"D","oneLineDescription":"O","notes":"X","contentType":"Lessons",
		"legalRestriction":"L","language":"de","contentCategories":["animation"],"categories":["PG"],"educationLevels":["4CL"],
		"ingestType":"mrss","contract":"k","private":true,
		"currency":"eur","distributionMethods":["stream","DOWNLOAD","Stream"],"ageRange":{"min":5,"max":11},"requiresVideoLevelTagging":true,
		"ingestUrls":["https://a.example/feed","https://a.example/feed"],"ingestPlaylistIds":["PL1","PL2","PL1"],
		"marketingInformation":{"status":"S","oneLineIntro":"I","logos":["https://a.example/l"],"showreel":"https://a.example/r","sampleVideos":["https://a.example/v"]},
		"pedagogyInformation":{"subjects":["s1",{"source":"other","ref":"s2"},"s1"],"ageRanges":[{"min":5},{"min":5,"max":11},{"min":5}],"bestForTags":["hook"]}}`
	five, eleven, language := 5, 11, catalogue.Language("deu")
	contract := derived(catalogue.KindContract, "k")
	want := &catalogue.Channel{
		Meta: catalogue.Meta{ID: derived(catalogue.KindChannel, "c"), Source: "s", Reference: "c"},
		Name: "N", Description: "D", OneLineDesc: "O", Notes: "X", ContentType: "Lessons", LegalRestriction: "L",
		Language: &language, ContentCategories: []catalogue.Subtype{"ANIMATION"}, Categories: []string{"PG"},
		EducationLevels: []string{"4CL"}, IngestType: "MRSS", ContractID: &contract, Private: true,
		Currency: "EUR", DistributionMethods: []catalogue.DistributionMethod{"STREAM", "DOWNLOAD"},
		AgeRange: catalogue.AgeRange{Min: &five, Max: &eleven}, VideoLevelTagging: true,
		IngestURLs: []string{"https://a.example/feed"}, IngestPlaylistIDs: []string{"PL1", "PL2"},
		Marketing: catalogue.ChannelMarketing{
			Status: "S", OneLineIntro: "I", Logos: []string{"https://a.example/l"}, Showreel: "https://a.example/r",
			SampleVideos: []string{"https://a.example/v"},
		},
		Pedagogy: catalogue.ChannelPedagogy{
			SubjectIDs:    []catalogue.ID{derived(catalogue.KindSubject, "s1"), catalogue.DeriveID(catalogue.KindSubject, "other", "s2")},
			AgeRanges:     []catalogue.AgeRange{{Min: &five}, {Min: &five, Max: &eleven}},
			BestForTagIDs: []catalogue.ID{derived(catalogue.KindTag, "hook")},
		},
	}
	if diff := cmp.Diff(catalogue.Item(want), apply(t, nil, line)); diff != "" {
		t.Error(diff)
	}
}

// TestEmptyChannelFieldsAreNotStored checks that empty objects and lists give the same content as absent ones.
func TestEmptyChannelFieldsAreNotStored(t *testing.T) {
	least := mustMarshal(t, apply(t, nil, `{`+channelHead+`,"name":"N"}`))
	for _, fields := range []string{
		`"currency":"","distributionMethods":[],"ageRange":{},"requiresVideoLevelTagging":false,"ingestUrls":[],"ingestPlaylistIds":[]`,
		`"marketingInformation":{},"pedagogyInformation":{}`,
		`"marketingInformation":{"status":"","logos":[],"sampleVideos":[]},"pedagogyInformation":{"subjects":[],"ageRanges":[],"bestForTags":[]}`,
		`"currency":null,"distributionMethods":null,"ageRange":null,"ingestUrls":null,"marketingInformation":null,"pedagogyInformation":null`,
	} {
		if body := mustMarshal(t, apply(t, nil, `{`+channelHead+`,"name":"N",`+fields+`}`)); body != least {
			t.Errorf("%s changes the content:\n%s", fields, body)
		}
	}
}

// TestIngestURLsNeedAnIngestType checks that ingest addresses and playlists need an ingest type, in the line
// or in the stored channel.
func TestIngestURLsNeedAnIngestType(t *testing.T) {
	typed := apply(t, nil, `{`+channelHead+`,"name":"N","ingestType":"MRSS"}`)
	if _, faults := decode(t, `{`+channelHead+`,"ingestUrls":["https://a.example"]}`).Apply(typed); len(faults) > 0 {
		t.Errorf("the stored ingest type is ignored: %v", faults)
	}
	placed := apply(t, typed, `{`+channelHead+`,"ingestPlaylistIds":["PL1"]}`)
	for line, stored := range map[string]catalogue.Item{
		`"name":"N","ingestUrls":["https://a.example"]`:          nil,
		`"name":"N","ingestType":"","ingestPlaylistIds":["PL1"]`: nil,
		`"ingestType":null`: placed,
		`"ingestType":"","ingestUrls":["https://a.example"],"name":"Two"`: typed,
	} {
		record := importline.Decode([]byte(`{` + channelHead + `,` + line + `}`))
		faults := record.Faults
		if len(faults) == 0 {
			_, faults = record.Apply(stored)
		}
		if len(faults) != 1 || faults[0].Field != "ingestType" {
			t.Errorf("%s: got %v", line, faults)
		}
	}
}

// TestFaultsOfChannelsNameFieldAndValue checks the faults that a line by itself can have.
func TestFaultsOfChannelsNameFieldAndValue(t *testing.T) {
	for line, want := range map[string]string{
		`"currency":"EURO"`:                                 `currency: "EURO" is not an ISO 4217 currency code`,
		`"currency":3`:                                      `currency: 3 is not a text`,
		`"distributionMethods":["STREAM","DVD"]`:            `distributionMethods[1]: "DVD" is not one of STREAM, DOWNLOAD`,
		`"distributionMethods":[null]`:                      `distributionMethods[0]: must not be null`,
		`"ageRange":{"min":9,"max":8}`:                      `ageRange: min 9 is above max 8`,
		`"ingestUrls":["ftp://a.example"]`:                  `ingestUrls[0]: "ftp://a.example" is not an absolute http or https address`,
		`"marketingInformation":{"logo":"x"}`:               `marketingInformation.logo: there is no such field`,
		`"marketingInformation":{"logos":["x"]}`:            `marketingInformation.logos[0]: "x" is not an absolute http or https address`,
		`"pedagogyInformation":{"ageRanges":[{"min":200}]}`: `pedagogyInformation.ageRanges[0]: 200 is not an age between 0 and 150`,
		`"pedagogyInformation":{"ageRanges":[{}]}`:          `pedagogyInformation.ageRanges[0]: has neither min nor max`,
		`"pedagogyInformation":{"subjects":[7]}`:            `pedagogyInformation.subjects[0]: 7 is not an id, a reference or {"source": …, "ref": …}`,
	} {
		faults := importline.Decode([]byte(`{` + channelHead + `,` + line + `}`)).Faults
		if len(faults) != 1 || faults[0].Reason() != want {
			t.Errorf("%s: got %v, want %s", line, faults, want)
		}
	}
}
