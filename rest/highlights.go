package rest

import (
	"net/http"
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest/hal"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

const mostHighlights = 500

var highlightsParameters = []parameter{
	shareParameter("threshold", "threshold"),
	numberParameter("size", "size", 1, mostHighlights),
	textParameter("query", "query"),
	textsParameter("education_level", "educationLevels"),
	shareParameter("max_overlap", "maxOverlap"),
	booleanParameter("hyper_relevance", "hyperRelevance"),
	namesParameter("channel", "channels"),
	enumsParameter("subtype", "subtypes", catalogue.ParseSubtype),
}

var highlightsDefaults = hal.Variables{"threshold": 0.815, "size": int64(100), "hyperRelevance": false}

// shareParameter reads a number from 0 to 1.
func shareParameter(name, path string) parameter {
	schema := openapi.Schema{"type": "number", "minimum": 0, "maximum": 1}
	return parameter{name: name, schema: schema, variable: path, read: func(values []string, into hal.Variables) error {
		share, err := strconv.ParseFloat(values[0], 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return fault.InvalidRequest("%q is not a number between 0 and 1", values[0])
		}
		put(into, path, share)
		return nil
	}}
}

// highlights serves GET /v1/highlights.
func highlights(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	if values["query"] == nil {
		return nil, fault.InvalidRequest("query is required")
	}
	return f.list(r, "Highlights", values, "highlights", withoutSelf)
}
