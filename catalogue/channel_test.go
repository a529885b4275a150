package catalogue_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
)

func TestInvalidChannels(t *testing.T) {
	const text = catalogue.MaxTextLength
	checkBroken(t, badTexts("name", 1, catalogue.MaxNameLength, func(c *catalogue.Channel, s string) { c.Name = s })...)
	checkBroken(t, badTexts("description", 0, text, func(c *catalogue.Channel, s string) { c.Description = s })...)
	checkBroken(t, badTexts("oneLineDescription", 0, text, func(c *catalogue.Channel, s string) { c.OneLineDesc = s })...)
	checkBroken(t, badTexts("notes", 0, text, func(c *catalogue.Channel, s string) { c.Notes = s })...)
	checkBroken(t, badTexts("contentType", 0, catalogue.MaxNameLength, func(c *catalogue.Channel, s string) { c.ContentType = s })...)
	checkBroken(t, badTexts("legalRestriction", 0, text, func(c *catalogue.Channel, s string) { c.LegalRestriction = s })...)
	checkBroken(t, badThema("categories[5]", func(c *catalogue.Channel, code string) { c.Categories[5] = code })...)
	for _, language := range []catalogue.Language{"", "en", "ger", "zzz", "ENG"} {
		checkBroken(t, broken[*catalogue.Channel]{"language", func(c *catalogue.Channel) { *c.Language = language }})
	}
	checkBroken(t,
		broken[*catalogue.Channel]{"contentCategories", func(c *catalogue.Channel) { c.ContentCategories[0] = "animation" }},
		broken[*catalogue.Channel]{"contentCategories", func(c *catalogue.Channel) {
			c.ContentCategories = repeat[catalogue.Subtype]("INTERVIEW", tooMany)
		}},
		broken[*catalogue.Channel]{"categories", func(c *catalogue.Channel) { c.Categories = repeat("AB", tooMany) }},
		broken[*catalogue.Channel]{"educationLevels", func(c *catalogue.Channel) { c.EducationLevels = repeat("AB", tooMany) }},
		broken[*catalogue.Channel]{"ingestType", func(c *catalogue.Channel) { c.IngestType = "FTP" }},
	)
}

func TestInvalidInternalChannelFields(t *testing.T) {
	type channel = *catalogue.Channel
	const name = catalogue.MaxNameLength
	for _, currency := range []catalogue.Currency{"usd", "US", "ABC", "XTS", "USD ", "\xff", catalogue.Currency(characters(500))} {
		checkBroken(t, broken[channel]{"currency", func(c channel) { c.Currency = currency }})
	}
	checkBroken(t, badTexts("ingestPlaylistIds[3]", 1, name, func(c channel, s string) { c.IngestPlaylistIDs[3] = s })...)
	checkBroken(t, badTexts("marketingInformation.status", 0, name, func(c channel, s string) { c.Marketing.Status = s })...)
	checkBroken(t, badTexts("marketingInformation.oneLineIntro", 0, catalogue.MaxTextLength, func(c channel, s string) { c.Marketing.OneLineIntro = s })...)
	checkBroken(t, badAddresses("ingestUrls[2]", func(c channel, s string) { c.IngestURLs[2] = s })...)
	checkBroken(t, badAddresses("marketingInformation.logos[0]", func(c channel, s string) { c.Marketing.Logos[0] = s })...)
	checkBroken(t, badAddresses("marketingInformation.showreel", func(c channel, s string) { c.Marketing.Showreel = s })...)
	checkBroken(t, badAddresses("marketingInformation.sampleVideos[7]", func(c channel, s string) { c.Marketing.SampleVideos[7] = s })...)
	tooManyAddresses := repeat("https://media.example/", tooMany)
	checkBroken(t,
		broken[channel]{"distributionMethods[1]", func(c channel) { c.DistributionMethods[1] = "download" }},
		broken[channel]{"distributionMethods", func(c channel) {
			c.DistributionMethods = repeat[catalogue.DistributionMethod]("STREAM", tooMany)
		}},
		broken[channel]{"ageRange", func(c channel) { c.AgeRange = ages(151, -1) }},
		broken[channel]{"ageRange", func(c channel) { c.AgeRange = ages(9, 8) }},
		broken[channel]{"ingestType", func(c channel) { c.IngestType, c.IngestPlaylistIDs = "", nil }},
		broken[channel]{"ingestType", func(c channel) { c.IngestType, c.IngestURLs = "", nil }},
		broken[channel]{"ingestUrls[0]", func(c channel) { c.IngestURLs[0] = "" }},
		broken[channel]{"ingestUrls", func(c channel) { c.IngestURLs = tooManyAddresses }},
		broken[channel]{"ingestPlaylistIds", func(c channel) { c.IngestPlaylistIDs = repeat("p", tooMany) }},
		broken[channel]{"ingestPlaylistIds[0]", func(c channel) { c.IngestPlaylistIDs[0] = "two\nlines" }},
		broken[channel]{"marketingInformation.status", func(c channel) { c.Marketing.Status = "two\nlines" }},
		broken[channel]{"marketingInformation.logos", func(c channel) { c.Marketing.Logos = tooManyAddresses }},
		broken[channel]{"marketingInformation.sampleVideos", func(c channel) { c.Marketing.SampleVideos = tooManyAddresses }},
		broken[channel]{"pedagogyInformation.subjects", func(c channel) { c.Pedagogy.SubjectIDs = ids(tooMany) }},
		broken[channel]{"pedagogyInformation.bestForTags", func(c channel) { c.Pedagogy.BestForTagIDs = ids(tooMany) }},
		broken[channel]{"pedagogyInformation.ageRanges", func(c channel) { c.Pedagogy.AgeRanges = repeat(ages(1, 2), tooMany) }},
		broken[channel]{"pedagogyInformation.ageRanges[4]", func(c channel) { c.Pedagogy.AgeRanges[4] = ages(-1, -1) }},
		broken[channel]{"pedagogyInformation.ageRanges[4]", func(c channel) { c.Pedagogy.AgeRanges[4] = ages(3, 2) }},
		broken[channel]{"pedagogyInformation.ageRanges[4]", func(c channel) { c.Pedagogy.AgeRanges[4] = ages(-1, 151) }},
	)
}

// TestOldChannelBodies checks that a channel body from before channels had facts for staff is read and written
// unchanged, so that an import of the same line finds no change.
func TestOldChannelBodies(t *testing.T) {
	const before = `{"name":"c","description":"","oneLineDescription":"","notes":"","contentType":"","legalRestriction":"","language":null,` +
		`"contentCategories":null,"categories":["PH"],"educationLevels":null,"ingestType":"MRSS","contract":null,"private":true}`
	var channel catalogue.Channel
	if err := json.Unmarshal([]byte(before), &channel); err != nil {
		t.Fatal(err)
	}
	if faults := channel.Validate(); faults != nil {
		t.Error(faults)
	}
	if after, err := json.Marshal(&channel); err != nil || string(after) != before {
		t.Errorf("written as %s, %v", after, err)
	}
}

// TestChannelBodies checks that the JSON body of a channel contains every field.
func TestChannelBodies(t *testing.T) {
	want := fullest(catalogue.KindChannel)
	body, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := &catalogue.Channel{}
	if err := json.Unmarshal(body, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, catalogue.Item(got)); diff != "" {
		t.Error(diff)
	}
}

// TestChannelLinks checks that Links returns every link of a channel and the field that contains it.
func TestChannelLinks(t *testing.T) {
	two := ids(2)
	channel := &catalogue.Channel{
		EducationLevels: []string{"4CL"}, ContractID: new(someID),
		Pedagogy: catalogue.ChannelPedagogy{SubjectIDs: two, BestForTagIDs: two[:1]},
	}
	want := []catalogue.Link{
		{Kind: catalogue.KindEducationLevel, ID: catalogue.EducationLevelID("4CL"), Field: "educationLevels[0]"},
		{Kind: catalogue.KindContract, ID: someID, Field: "contract"},
		{Kind: catalogue.KindSubject, ID: two[0], Field: "pedagogyInformation.subjects[0]"},
		{Kind: catalogue.KindSubject, ID: two[1], Field: "pedagogyInformation.subjects[1]"},
		{Kind: catalogue.KindTag, ID: two[0], Field: "pedagogyInformation.bestForTags[0]"},
	}
	if diff := cmp.Diff(want, channel.Links()); diff != "" {
		t.Error(diff)
	}
}
