// Package questions turns the searches of a generated log into requests, for the tools that send them.
package questions

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/filmstrip/filmstrip/internal/generate"
)

// Path returns the path of GET /v1/videos with a query as a client writes it, all facets and a page size. It returns "" if the
// query filters by tags, which clients name by labels that the log does not contain.
func Path(query *generate.Query, size int) string {
	filter := &query.Filter
	if len(filter.Tags) > 0 {
		return ""
	}
	values := url.Values{
		"size": {strconv.Itoa(size)}, "include_channel_facets": {"true"}, "include_education_level_facets": {"true"},
		"include_topic_facets": {"true"}, "include_cefr_level_facets": {"true"},
	}
	if query.Text != "" {
		values.Set("query", query.Text)
	}
	addAll(values, "subject", filter.Subjects)
	addAll(values, "type", filter.Types)
	addAll(values, "duration", filter.Durations)
	addAll(values, "age_range", filter.Ages)
	addAll(values, "channel", filter.Channels)
	addAll(values, "language", filter.Languages)
	addAll(values, "education_level", filter.EducationLevels)
	addAll(values, "subtype", filter.Subtypes)
	addAll(values, "topics", filter.Topics)
	addAll(values, "cefr_level", filter.CEFR)
	addAll(values, "resource_types", filter.ResourceTypes)
	addAll(values, "category_code", filter.Categories)
	addOne(values, "released_date_from", filter.ReleasedFrom)
	addOne(values, "released_date_to", filter.ReleasedTo)
	addOne(values, "age_range_min", filter.AgeMin)
	addOne(values, "age_range_max", filter.AgeMax)
	addOne(values, "promoted", filter.Promoted)
	addOne(values, "subjects_set_manually", filter.SubjectsSetManually)
	if filter.YouTube != nil {
		values.Set("source", map[bool]string{true: "YOUTUBE", false: "SERVICE"}[*filter.YouTube])
	}
	return "/v1/videos?" + values.Encode()
}

func addAll[T any](values url.Values, name string, list []T) {
	for _, one := range list {
		values.Add(name, fmt.Sprint(one))
	}
}

func addOne[T any](values url.Values, name string, one *T) {
	if one != nil {
		values.Set(name, fmt.Sprint(*one))
	}
}
