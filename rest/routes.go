package rest

import (
	"net/http"

	"github.com/filmstrip/filmstrip/catalogue"
)

// route is one endpoint with the parameters that it knows. The table is in the order in which
// requests are matched: the busiest first, but literal segments before variables.
type route struct {
	method     string
	path       string
	parameters []parameter
	endpoint   endpoint
	// cacheControl tells clients how long they may keep the answer.
	cacheControl string
}

// How long answers may be kept. Whatever depends on the caller is private. Videos are asked for
// again each time (which costs nothing where the tag is still right), because their stream's
// signature and the caller's rights change with time; lists that change rarely may be kept.
const (
	revalidate = "private, no-cache"
	aMinute    = "private, max-age=60"
	anHour     = "private, max-age=3600"
	neverKept  = "private, no-store"
)

var routes = []route{
	{"GET", "/v1/videos/metadata", nil, videoTypes, anHour},
	{"POST", "/v1/videos/metadata", nil, videoMetadata, neverKept},
	{"GET", "/v1/videos/{id}", videoParameters, video, revalidate},
	{"GET", "/v1/videos", searchParameters, searchVideos, revalidate},
	{"GET", "/v1/feed/videos", feedParameters, videoFeed, revalidate},
	{"GET", "/v1/suggestions", suggestionParameters, suggestions, revalidate},
	{"GET", "/v1/", nil, index, revalidate},
	{"GET", "/v1", nil, index, revalidate},
	{"GET", "/v1/admin", nil, index, revalidate},
	{"GET", "/v1/videos/{id}/transcript", nil, transcript, revalidate},
	{"GET", "/v1/video-types", nil, videoTypes, anHour},
	{"GET", "/v1/subjects", subjectParameters, subjects, aMinute},
	{"GET", "/v1/subjects/{id}", nil, one("Subject", "subject"), aMinute},
	{"GET", "/v1/disciplines", disciplineParameters, disciplines, aMinute},
	{"GET", "/v1/disciplines/{id}", nil, one("Discipline", "discipline"), aMinute},
	{"GET", "/v1/channels", channelParameters, channels, aMinute},
	{"GET", "/v1/channels/{id}", nil, one("Channel", "channel"), aMinute},
	{"GET", "/v1/education-levels", nil, all("EducationLevels", "levels", withoutSelf), aMinute},
	{"GET", "/v1/tags", nil, all("Tags", "tags", withSelf), aMinute},
	{"GET", "/v1/tags/{id}", nil, one("Tag", "tag"), aMinute},
	{"GET", "/v1/content-warnings", nil, all("ContentWarnings", "contentWarnings", withSelf), aMinute},
	{"GET", "/v1/content-warnings/{id}", nil, one("ContentWarning", "content warning"), aMinute},
}

var (
	videoParameters = []parameter{textParameter("referer", "referer")}

	feedParameters = []parameter{
		numberParameter("size", "first", 1, maxFeedSize),
		{name: "cursor_id", hidden: true, read: textParameter("cursor_id", "after").read},
		dateParameter("updated_as_of", "updatedAsOf"),
	}

	visibilityParameter = choiceParameter("visibility", "visibility", map[string]string{"ALL": "ALL"})

	subjectParameters = []parameter{
		visibilityParameter,
		choiceParameter("marketSegment", "marketSegment", identity(catalogue.MarketSegments())),
	}

	disciplineParameters = []parameter{visibilityParameter}

	suggestionParameters = []parameter{textParameter("query", "query")}

	channelParameters = []parameter{
		textParameter("name", "filter.name"),
		choiceParameter("projection", "projection", map[string]string{"LIST": "list", "DETAILS": "details"}),
		choiceParameter("sort_by", "sortBy", identity([]string{
			"NAME_ASC", "NAME_DESC", "CATEGORIES_ASC", "CATEGORIES_DESC", "YOUTUBE_ASC", "YOUTUBE_DESC",
		})),
		numberParameter("page", "page", 0, maxChannelPage),
		numberParameter("size", "size", 1, maxChannelPage),
		textsParameter("categories", "filter.categories"),
		enumsParameter("ingestType", "filter.ingestTypes", catalogue.ParseIngestType),
		textsParameter("education_levels", "filter.educationLevels"),
	}
)

func identity[T ~string](values []T) map[string]string {
	choices := make(map[string]string, len(values))
	for _, value := range values {
		choices[string(value)] = string(value)
	}
	return choices
}

var errTooLarge = &statusError{http.StatusRequestEntityTooLarge, "the body is larger than this endpoint takes"}

func unsupportedMediaType(given string) error {
	return &statusError{http.StatusUnsupportedMediaType, "the content type " + quoted(given) + " is not application/json"}
}

// statusError is a fault of HTTP itself, which no code of the domain stands for.
type statusError struct {
	status  int
	message string
}

func (e *statusError) Error() string { return e.message }
