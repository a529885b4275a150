package rest

import (
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// searchParameters are the parameters of GET /v1/videos: those of the specification's table and of its link.
var searchParameters = []parameter{
	textParameter("query", "query"),
	choiceParameter("sort_by", "sortBy", map[string]string{"RELEASE_DATE": "RELEASE_DATE"}),
	namesParameter("best_for", "filter.bestFor"),
	durationParameter("duration_min", func(into hal.Variables, d catalogue.Duration) {
		put(into, durationBounds+".min", d.String())
	}),
	durationParameter("duration_max", func(into hal.Variables, d catalogue.Duration) {
		put(into, durationBounds+".max", d.String())
	}),
	durationRangesParameter("duration", "filter.durations", catalogue.MaxFilterValues),
	durationRangesParameter("duration_facets", "facets.durations", catalogue.MaxFacetBuckets),
	dateParameter("released_date_from", "filter.releasedFrom"),
	dateParameter("released_date_to", "filter.releasedTo"),
	choiceParameter("source", "filter.source", map[string]string{"SERVICE": "SERVICE", "YOUTUBE": "YOUTUBE"}),
	numberParameter("age_range_min", "filter.ageMin", 0, catalogue.MaxAge),
	numberParameter("age_range_max", "filter.ageMax", 0, catalogue.MaxAge),
	agesParameter("age_range", "filter.ages", catalogue.MaxFilterValues),
	agesParameter("age_range_facets", "facets.ages", catalogue.MaxFacetBuckets),
	numberParameter("size", "size", 1, catalogue.MaxSearchSize),
	numberParameter("page", "page", 0, catalogue.SearchWindow),
	textsParameter("subject", "filter.subjects"),
	booleanParameter("subjects_set_manually", "filter.subjectsSetManually"),
	booleanParameter("promoted", "filter.promoted"),
	namesParameter("channel", "filter.channels"),
	namesParameter("content_partner", "filter.channels"),
	booleanParameter("include_channel_facets", "facets.channels"),
	booleanParameter("include_education_level_facets", "facets.educationLevels"),
	booleanParameter("include_topic_facets", "facets.topics"),
	booleanParameter("include_cefr_level_facets", "facets.cefrLevels"),
	enumsParameter("type", "filter.types", catalogue.ParseVideoType),
	textsParameter("id", "filter.ids"),
	enumsParameter("resource_types", "filter.resourceTypes", catalogue.ParseAttachmentType),
	textsParameter("category_code", "filter.categories"),
	dateParameter("updated_as_of", "filter.updatedAsOf"),
	enumsParameter("language", "filter.languages", catalogue.ParseSpokenLanguage),
	textsParameter("education_level", "filter.educationLevels"),
	textParameter("content_package", "filter.contentPackage"),
	textsParameter("topics", "filter.topics"),
	enumsParameter("cefr_level", "filter.cefrLevels", catalogue.ParseCEFRLevel),
	enumsParameter("subtype", "filter.subtypes", catalogue.ParseSubtype),
	textsParameter("ngss_code", "filter.ngssCodes"),
	textsParameter("ngss_grade", "filter.ngssGrades"),
}

// durationBounds holds duration_min and duration_max until it is known whether the request has duration, which supersedes
// both.
const durationBounds = "durationBounds"

// settleDurations converts duration_min and duration_max to a range, which applies unless the request has duration. It refuses a
// reversed range in either case.
func settleDurations(into hal.Variables) error {
	bounds, ok := into[durationBounds].(map[string]any)
	delete(into, durationBounds)
	if !ok {
		return nil
	}
	text := "PT0S"
	if lowest, ok := bounds["min"].(string); ok {
		text = lowest
	}
	if highest, ok := bounds["max"].(string); ok {
		text += "-" + highest
	}
	duration, err := catalogue.ParseDurationRange(text)
	if err != nil {
		return nameParameter("duration_min, duration_max", err)
	}
	if filter, _ := into["filter"].(map[string]any); filter["durations"] == nil {
		put(into, "filter.durations", []any{rangeVariable(duration)})
	}
	return nil
}

// checkReleaseDates refuses a reversed range of dates.
func checkReleaseDates(into hal.Variables) error {
	filter, _ := into["filter"].(map[string]any)
	from, hasFrom := filter["releasedFrom"].(string)
	to, hasTo := filter["releasedTo"].(string)
	if hasFrom && hasTo && from > to { // YYYY-MM-DD
		return fault.InvalidRequest("released_date_from %s is after released_date_to %s", from, to)
	}
	return nil
}

// checkAgeBounds refuses a reversed range of ages.
func checkAgeBounds(into hal.Variables) error {
	filter, _ := into["filter"].(map[string]any)
	lowest, hasLowest := filter["ageMin"].(int64)
	highest, hasHighest := filter["ageMax"].(int64)
	if hasLowest && hasHighest && lowest > highest {
		return fault.InvalidRequest("age_range_min %d is above age_range_max %d", lowest, highest)
	}
	return nil
}
