package importline

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	c "github.com/filmstrip/filmstrip/catalogue"
)

func contractShape() *shape {
	return shapeOf[c.Contract](
		at("name", required, func(x *c.Contract) *string { return &x.Name }, text),
		at("video", optional, func(x *c.Contract) **string { return &x.Video }, maybe(text)),
		at("editingPermission", optional, func(x *c.Contract) **c.EditingPermission { return &x.EditingPermission },
			maybe(parsed(among(c.EditingPermissions())))),
		at("editingInfo", optional, func(x *c.Contract) *string { return &x.EditingInfo }, text),
		at("territoryType", optional, func(x *c.Contract) *c.TerritoryType { return &x.TerritoryType },
			orEmpty(among(c.TerritoryTypes()))),
		at("territories", optional, func(x *c.Contract) *[]string { return &x.Territories }, list(text)),
		at("additionalTerritoryInfo", optional, func(x *c.Contract) *string { return &x.AdditionalTerritoryInfo }, text),
		at("maxLicenseDurationYears", optional, func(x *c.Contract) **int { return &x.MaxLicenseDurationYears }, maybe(whole)),
	)
}

func legalRestrictionShape() *shape {
	return shapeOf[c.LegalRestriction](
		at("text", required, func(x *c.LegalRestriction) *string { return &x.Text }, text),
	)
}

func educationLevelShape() *shape {
	return shapeOf[c.EducationLevel](
		at("code", required, func(x *c.EducationLevel) *string { return &x.Code }, text),
		at("label", required, func(x *c.EducationLevel) *string { return &x.Label }, text),
	)
}

func tagShape() *shape {
	return shapeOf[c.Tag](
		at("label", required, func(x *c.Tag) *string { return &x.Label }, text),
	)
}

func contentWarningShape() *shape {
	return shapeOf[c.ContentWarning](
		at("label", required, func(x *c.ContentWarning) *string { return &x.Label }, text),
	)
}

func subjectShape() *shape {
	return shapeOf[c.Subject](
		at("name", required, func(x *c.Subject) *string { return &x.Name }, text),
		at("categories", optional, func(x *c.Subject) *[]c.SubjectCategory { return &x.Categories },
			listOrEmpty(object[c.SubjectCategory](categoryFields))).holding(categoryFields),
		at("marketSegments", optional, func(x *c.Subject) *[]c.MarketSegment { return &x.MarketSegments },
			list(parsed(c.ParseMarketSegment))),
	)
}

var categoryFields = newTable(
	at("code", required, func(x *c.SubjectCategory) *string { return &x.Code }, text),
	at("description", optional, func(x *c.SubjectCategory) *string { return &x.Description }, text),
)

func disciplineShape() *shape {
	return shapeOf[c.Discipline](
		at("name", required, func(x *c.Discipline) *string { return &x.Name }, text),
		at("code", required, func(x *c.Discipline) *string { return &x.Code }, text),
		at("subjects", optional, func(x *c.Discipline) *[]c.ID { return &x.SubjectIDs }, list(referenceTo(c.KindSubject))),
	)
}

func topicShape() *shape {
	return shapeOf[c.Topic](
		at("name", required, func(x *c.Topic) *string { return &x.Name }, text),
	)
}

func phraseShape() *shape {
	return shapeOf[c.Phrase](
		at("text", required, func(x *c.Phrase) *string { return &x.Text }, text),
	)
}

func synonymShape() *shape {
	return shapeOf[c.Synonym](
		at("words", required, func(x *c.Synonym) *[]string { return &x.Words }, list(text)),
	)
}

func searchRuleShape() *shape {
	return shapeOf[c.SearchRule](
		at("query", required, func(x *c.SearchRule) *string { return &x.Query }, text),
		at("pinned", optional, func(x *c.SearchRule) *[]c.ID { return &x.PinnedIDs }, list(referenceTo(c.KindVideo))),
		at("buried", optional, func(x *c.SearchRule) *[]c.ID { return &x.BuriedIDs }, list(referenceTo(c.KindVideo))),
	)
}

func channelShape() *shape {
	return shapeOf[c.Channel](
		at("name", required, func(x *c.Channel) *string { return &x.Name }, text),
		at("description", optional, func(x *c.Channel) *string { return &x.Description }, text),
		at("oneLineDescription", optional, func(x *c.Channel) *string { return &x.OneLineDesc }, text),
		at("notes", optional, func(x *c.Channel) *string { return &x.Notes }, text),
		at("contentType", optional, func(x *c.Channel) *string { return &x.ContentType }, text),
		at("legalRestriction", optional, func(x *c.Channel) *string { return &x.LegalRestriction }, text),
		at("language", optional, func(x *c.Channel) **c.Language { return &x.Language }, maybe(parsed(c.ParseLanguage))),
		at("contentCategories", optional, func(x *c.Channel) *[]c.Subtype { return &x.ContentCategories },
			list(parsed(c.ParseSubtype))),
		at("categories", optional, func(x *c.Channel) *[]string { return &x.Categories }, list(text)),
		at("educationLevels", optional, func(x *c.Channel) *[]string { return &x.EducationLevels }, list(text)),
		at("ingestType", optional, func(x *c.Channel) *c.IngestType { return &x.IngestType }, orEmpty(c.ParseIngestType)),
		at("contract", optional, func(x *c.Channel) **c.ID { return &x.ContractID }, maybe(referenceTo(c.KindContract))),
		at("private", optional, func(x *c.Channel) *bool { return &x.Private }, boolean),
		at("currency", optional, func(x *c.Channel) *c.Currency { return &x.Currency }, orEmpty(c.ParseCurrency)),
		at("distributionMethods", optional, func(x *c.Channel) *[]c.DistributionMethod { return &x.DistributionMethods },
			list(parsed(c.ParseDistributionMethod))),
		at("ageRange", optional, func(x *c.Channel) *c.AgeRange { return &x.AgeRange },
			object[c.AgeRange](ageRangeFields)).holding(ageRangeFields),
		at("requiresVideoLevelTagging", optional, func(x *c.Channel) *bool { return &x.VideoLevelTagging }, boolean),
		at("ingestUrls", optional, func(x *c.Channel) *[]string { return &x.IngestURLs }, list(text)),
		at("ingestPlaylistIds", optional, func(x *c.Channel) *[]string { return &x.IngestPlaylistIDs }, list(text)),
		at("marketingInformation", optional, func(x *c.Channel) *c.ChannelMarketing { return &x.Marketing },
			object[c.ChannelMarketing](marketingFields)).holding(marketingFields),
		at("pedagogyInformation", optional, func(x *c.Channel) *c.ChannelPedagogy { return &x.Pedagogy },
			object[c.ChannelPedagogy](pedagogyFields)).holding(pedagogyFields),
	)
}

var marketingFields = newTable(
	at("status", optional, func(x *c.ChannelMarketing) *string { return &x.Status }, text),
	at("oneLineIntro", optional, func(x *c.ChannelMarketing) *string { return &x.OneLineIntro }, text),
	at("logos", optional, func(x *c.ChannelMarketing) *[]string { return &x.Logos }, list(text)),
	at("showreel", optional, func(x *c.ChannelMarketing) *string { return &x.Showreel }, text),
	at("sampleVideos", optional, func(x *c.ChannelMarketing) *[]string { return &x.SampleVideos }, list(text)),
)

var pedagogyFields = newTable(
	at("subjects", optional, func(x *c.ChannelPedagogy) *[]c.ID { return &x.SubjectIDs }, list(referenceTo(c.KindSubject))),
	at("ageRanges", optional, func(x *c.ChannelPedagogy) *[]c.AgeRange { return &x.AgeRanges }, ageRanges).holding(ageRangeFields),
	at("bestForTags", optional, func(x *c.ChannelPedagogy) *[]c.ID { return &x.BestForTagIDs }, list(referenceTo(c.KindTag))),
)

// ageRanges is list for age ranges, whose bounds are pointers.
func ageRanges(s *scope, value jsontext.Value) (ranges []c.AgeRange) {
	read := object[c.AgeRange](ageRangeFields)
	s.Each(value, c.MaxListLength, func(element jsontext.Value) {
		if ages := read(s, element); !slices.ContainsFunc(ranges, ages.Equal) {
			ranges = append(ranges, ages)
		}
	})
	return ranges
}
