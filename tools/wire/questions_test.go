package wire_test

import (
	"fmt"
	"net/url"
	"strconv"
	"testing"

	"github.com/filmstrip/filmstrip/internal/generate"
)

// question is one page that a client requests.
type question struct {
	path    string // of GET /v1/videos, with all facets
	hasText bool
	// asked are the requests to Typesense for this question, and search is the one that found the page. The others find
	// the match level.
	asked  [][]byte
	search []byte
	// found are the videos of its page.
	found []string
}

const (
	catalogueSeed = 1
	questionSeed  = 2
	pageSize      = 100
	// warmingQuestions are sent before the measured ones: enough for a process to open its connections and to know the
	// frequencies of common words.
	warmingQuestions = 60
)

// drawQuestions draws different questions of the catalogue: the measured ones, and those that warm up a new process.
func drawQuestions(b *testing.B, n int) (measured, warming []*question) {
	b.Helper()
	var all []*question
	known := map[string]bool{}
	for _, query := range generate.Queries(questionSeed, 2*(n+warmingQuestions), generate.Options{Videos: *videos, Seed: catalogueSeed}) {
		path := pathOf(&query)
		// Clients filter tags by label, which the log does not contain.
		if len(query.Filter.Tags) == 0 && !known[path] {
			known[path] = true
			all = append(all, &question{path: path, hasText: query.Text != ""})
		}
	}
	if len(all) < n+warmingQuestions {
		b.Fatalf("only %d questions differ", len(all))
	}
	return all[warmingQuestions : warmingQuestions+n], all[:warmingQuestions]
}

// pathOf returns a query as a client writes it.
func pathOf(query *generate.Query) string {
	values := url.Values{
		"size": {strconv.Itoa(pageSize)}, "include_channel_facets": {"true"}, "include_education_level_facets": {"true"},
		"include_topic_facets": {"true"}, "include_cefr_level_facets": {"true"},
	}
	if query.Text != "" {
		values.Set("query", query.Text)
	}
	filter := &query.Filter
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

// idsPath requests the page of a question by its videos, which caches their documents but no response for the question
// itself.
func (q *question) idsPath() string {
	return "/v1/videos?" + url.Values{"size": {strconv.Itoa(pageSize)}, "id": q.found}.Encode()
}
