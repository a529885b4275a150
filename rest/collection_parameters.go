package rest

import (
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest/hal"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

const (
	maxCollectionPage     = 500
	defaultCollectionPage = 30
)

var collectionDefaults = hal.Variables{
	projectionVariable: listProjection, "page": int64(0), "size": int64(defaultCollectionPage),
}

var projectionParameter = choiceParameter(projectionVariable, projectionVariable, map[string]string{"LIST": listProjection, "DETAILS": detailsProjection})

// pageParameters are the parameters of every list of collections.
var pageParameters = []parameter{
	projectionParameter,
	numberParameter("page", "page", 0, catalogue.SearchWindow),
	numberParameter("size", "size", 1, maxCollectionPage),
	choicesParameter("sort_by", "sortBy", []string{"TITLE", "UPDATED_AT", "IS_DEFAULT", "HAS_ATTACHMENT"}),
	textParameter("query", "filter.query"),
	booleanParameter("partial_title_match", "filter.partialTitleMatch"),
	booleanParameter("bookmarked", "filter.saved"),
}

var collectionParameters = append([]parameter{
	textsParameter("subject", "filter.subjects"),
	booleanParameter("discoverable", "filter.discoverable"),
	booleanParameter("ignore_discoverable", "filter.ignoreDiscoverable"),
	booleanParameter("promoted", "filter.promoted"),
	choicesParameter("promotedFor", "filter.promotedFor", account.Products()),
	booleanParameter("has_lesson_plans", lessonPlans),
	enumsParameter("resource_types", "filter.resourceTypes", catalogue.ParseAttachmentType),
	numberParameter("age_range_min", "filter.ageMin", 0, catalogue.MaxAge),
	numberParameter("age_range_max", "filter.ageMax", 0, catalogue.MaxAge),
	agesParameter("age_range", "filter.ages", catalogue.MaxFilterValues),
	textParameter("owner", "filter.owner"),
}, pageParameters...)

var userCollectionParameters = append([]parameter{
	choicesParameter("types", "filter.types", []string{"OWNED", "USER_SHARED", "SERVICE_SHARED"}),
	booleanParameter("can_edit", "filter.canEdit"),
}, pageParameters...)

var (
	oneCollectionParameters = []parameter{projectionParameter, textParameter("referer", "referer")}

	changeCollectionParameters = []parameter{
		booleanParameter("bookmarked", "saved"),
		momentParameter("last_updated_at", "lastUpdatedAt"),
	}

	highlightParameters = []parameter{textParameter("highlight_id", "highlight")}
)

// choicesParameter reads a list of words from a fixed set, in any case.
func choicesParameter[T ~string](name, path string, choices []T) parameter {
	parse := oneOf(choices)
	return valuesParameter(name, path, openapi.EnumOf(choices), func(value string) (any, error) {
		choice, err := parse(value)
		return string(choice), err
	})
}

// oneOf returns a function that reads a word from a fixed set, in any case.
func oneOf[T ~string](choices []T) func(text string) (T, error) {
	return func(text string) (T, error) {
		if choice := T(strings.ToUpper(text)); slices.Contains(choices, choice) {
			return choice, nil
		}
		return "", fault.InvalidRequest("%s", fault.NotOneOf(text, choices))
	}
}

// momentParameter reads a timestamp. An unescaped plus sign arrives as a space.
func momentParameter(name, path string) parameter {
	schema := openapi.Schema{"type": "string", "format": "date-time"}
	return parameter{name: name, schema: schema, read: func(values []string, into hal.Variables) error {
		moment, err := time.Parse(time.RFC3339Nano, strings.ReplaceAll(values[0], " ", "+"))
		if err != nil {
			return &fault.Error{Code: fault.Invalid, Label: "Invalid date format", Message: quoted(values[0]) + " is not an instant of ISO 8601"}
		}
		put(into, path, moment.UTC().Format(time.RFC3339Nano))
		return nil
	}}
}
