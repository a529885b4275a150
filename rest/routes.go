package rest

import (
	"fmt"
	"net/http"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/requestbody"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// route is one endpoint with its parameters and their defaults. The table is in the order in which requests are matched: the
// busiest routes first, but literal segments before variables.
type route struct {
	method     string
	path       string
	parameters []parameter
	defaults   hal.Variables
	endpoint   endpoint
	// cacheControl is the Cache-Control header: how long clients may keep the response.
	cacheControl string
}

// The lifetimes of responses. Everything that depends on the caller is private. Clients revalidate videos each time (which is
// cheap while the tag matches), because the stream's signature and the caller's permissions change over time; they may keep
// lists that rarely change.
const (
	revalidate = "private, no-cache"
	aMinute    = "private, max-age=60"
	anHour     = "private, max-age=3600"
	neverKept  = "private, no-store"
)

var routes = []route{
	{"POST", "/v1/events/playback", nil, nil, recordEvent("RecordPlayback", playbackFields), neverKept},
	{"POST", "/v1/events/player-interaction", nil, nil, recordEvent("RecordPlayerInteraction", playerInteractionFields), neverKept},
	{"POST", "/v1/events/playback/batch", nil, nil, recordPlaybackBatch, neverKept},
	{"GET", "/v1/videos/metadata", nil, nil, all("VideoTypes", "videoTypes", withoutSelf), anHour},
	{"POST", "/v1/videos/metadata", nil, nil, videoMetadata, neverKept},
	{"GET", "/v1/videos/{id}", videoParameters, nil, video, revalidate},
	{"GET", "/v1/videos", searchParameters, searchDefaults, searchVideos, revalidate},
	{"GET", "/v1/feed/videos", feedParameters, feedDefaults, videoFeed, revalidate},
	{"GET", "/v1/feed/removed-videos", feedParameters, feedDefaults, removedVideos, revalidate},
	{"GET", "/v1/suggestions", suggestionParameters, nil, suggestions, revalidate},
	{"GET", "/v1/", nil, nil, index, revalidate},
	{"GET", "/v1", nil, nil, index, revalidate},
	{"GET", "/v1/admin", nil, nil, index, revalidate},
	{"GET", "/v1/videos/{id}/similar", similarParameters, similarDefaults, similarVideos, revalidate},
	{"GET", "/v1/videos/{id}/transcript", nil, nil, transcript, revalidate},
	{"GET", "/v1/videos/{id}/captions", captionParameters, captionDefaults, captions, revalidate},
	{"POST", "/v1/videos/{id}/embeds", nil, nil, createEmbed, neverKept},
	{"GET", "/v1/videos/{videoId}/learning-outcomes", nil, nil, ofVideo("LearningOutcomes", "learning outcomes", ""), revalidate},
	{"GET", "/v1/videos/{videoId}/assessment-questions", nil, nil, ofVideo("AssessmentQuestions", "assessment questions", ""), revalidate},
	{"GET", "/v1/videos/{videoId}/cefr-level", nil, nil, ofVideo("CefrLevel", "CEFR level", `{"cefrLevel":null}`), revalidate},
	{"GET", "/v1/highlights", highlightsParameters, highlightsDefaults, highlights, revalidate},
	{"GET", "/v1/highlights/{highlightId}", nil, nil, oneNamed("highlightId", "Highlight", "highlight"), revalidate},
	{"GET", "/v1/alignments/providers", nil, nil, all("Providers", "providers", withoutSelf), aMinute},
	{"GET", "/v1/alignments/providers/{providerId}", nil, nil, oneNamed("providerId", "Provider", "provider"), aMinute},
	{"GET", "/v1/alignments/themes", themeParameters, nil, all("Themes", "themes", withoutSelf), revalidate},
	{"GET", "/v1/alignments/{provider}/themes", nil, nil, themesOfProvider, revalidate},
	{"GET", "/v1/alignments/{provider}/themes/{id}", nil, nil, theme, revalidate},
	{"GET", "/v1/curriculum/ngss/codes", nil, nil, ngss("NgssCodes"), anHour},
	{"GET", "/v1/curriculum/ngss/grades", nil, nil, ngss("NgssGrades"), anHour},
	{"GET", "/v1/video-types", nil, nil, all("VideoTypes", "videoTypes", withoutSelf), anHour},
	{"GET", "/v1/subjects", subjectParameters, visibleDefaults, all("Subjects", "subjects", withSelf), aMinute},
	{"GET", "/v1/subjects/{id}", nil, nil, one("Subject", "subject"), aMinute},
	{"GET", "/v1/disciplines", disciplineParameters, visibleDefaults, all("Disciplines", "disciplines", withSelf), aMinute},
	{"GET", "/v1/disciplines/{id}", nil, nil, one("Discipline", "discipline"), aMinute},
	{"GET", "/v1/channels", channelParameters, channelDefaults, channels, aMinute},
	{"GET", "/v1/channels/{id}", nil, nil, channel, aMinute},
	{"GET", "/v1/education-levels", nil, nil, all("EducationLevels", "levels", withoutSelf), aMinute},
	{"GET", "/v1/tags", nil, nil, all("Tags", "tags", withSelf), aMinute},
	{"GET", "/v1/tags/{id}", nil, nil, one("Tag", "tag"), aMinute},
	{"GET", "/v1/content-warnings", nil, nil, all("ContentWarnings", "contentWarnings", withSelf), aMinute},
	{"GET", "/v1/content-warnings/{id}", nil, nil, one("ContentWarning", "content warning"), aMinute},
	{"POST", "/v1/videos/{id}/events", interactionParameters, nil, recordVideoInteraction, neverKept},
	{"POST", "/v1/videos/{id}/track-share-link", nil, nil, recordVideoShare, neverKept},
	{"POST", "/v1/events/page-render", nil, nil, recordEvent("RecordPageRender", pageRenderFields), neverKept},
	{"POST", "/v1/events/platform-interaction", platformParameters, platformDefaults, recordPlatformInteraction, neverKept},
	{"POST", "/v1/events/suggested-search-completions", nil, nil, recordEvent("RecordSearchCompletions", searchCompletionsFields), neverKept},
	{"GET", "/v1/contract-legal-restrictions", nil, nil, all("ContractLegalRestrictions", "restrictions", withoutSelf), aMinute},
	{"GET", "/v1/content-categories", nil, nil, all("ContentCategories", "contentCategories", withoutSelf), anHour},
	{"GET", "/v1/users/_self", nil, nil, currentUser, revalidate},
	{"GET", "/v1/users/{id}", nil, nil, one("Profile", "user"), revalidate},
	{"PUT", "/v1/users/{id}", nil, nil, updateUser, neverKept},
	{"GET", "/v1/users/{id}/active", nil, nil, userActive, neverKept},
	{"GET", "/v1/countries", nil, nil, all("Countries", "countries", withSelf), anHour},
	{"GET", "/v1/countries/{id}", nil, nil, one("Country", "country"), anHour},
	{"GET", "/v1/countries/{id}/states", nil, nil, countryStates, anHour},
	{"GET", "/v1/schools", placeParameters, nil, placesNamed("Schools", "schools"), aMinute},
	{"GET", "/v1/districts", placeParameters, nil, placesNamed("Districts", "districts"), aMinute},
	{"GET", "/v1/collections", collectionParameters, collectionDefaults, collections, revalidate},
	{"POST", "/v1/collections", nil, nil, createCollection, neverKept},
	{"GET", "/v1/collections/{id}", oneCollectionParameters, hal.Variables{projectionVariable: listProjection}, collection, revalidate},
	{"PATCH", "/v1/collections/{id}", changeCollectionParameters, nil, changeCollection, neverKept},
	{"DELETE", "/v1/collections/{id}", nil, nil, doing("DeleteCollection", map[string]string{"id": "id"}), neverKept},
	{"PUT", "/v1/collections/{id}/videos/{video_id}", highlightParameters, nil, doing("AddToCollection", map[string]string{"id": "id", "video": "video_id"}), neverKept},
	{"DELETE", "/v1/collections/{id}/videos/{video_id}", highlightParameters, nil, doing("RemoveFromCollection", map[string]string{"id": "id", "video": "video_id"}), neverKept},
	{"PATCH", "/v1/collections/{id}/permissions", nil, nil, permitCollection, neverKept},
	{"POST", "/v1/collections/{id}/comments", nil, nil, commentCollection, neverKept},
	{"DELETE", "/v1/collections/{id}/comments/{comment_id}", nil, nil, doing("RemoveCollectionComment", map[string]string{"id": "id", "comment": "comment_id"}), neverKept},
	{"POST", "/v1/collections/{id}/events", nil, nil, recordCollectionInteraction, neverKept},
	{"POST", "/v1/collections/{id}/track-share-link", nil, nil, recordCollectionShare, neverKept},
	{"GET", "/v1/users/{id}/collections", userCollectionParameters, collectionDefaults, userCollections, revalidate},
	{"POST", "/v1/events/expired-user-access", nil, nil, reportAccessExpired, neverKept},
}

// The defaults of parameters.
var (
	searchDefaults  = hal.Variables{"sortBy": "RELEVANCE", "page": int64(0), "size": int64(catalogue.DefaultSearchSize)}
	similarDefaults = hal.Variables{"size": int64(10)}
	feedDefaults    = hal.Variables{"first": int64(catalogue.MaxFeedSize)}
	visibleDefaults = hal.Variables{"visibility": "WITH_VIDEOS"}
	channelDefaults = hal.Variables{"sortBy": "NAME_ASC", "page": int64(0), "size": int64(catalogue.MaxChannelPage)}

	platformDefaults = hal.Variables{"anonymous": false}
)

var (
	videoParameters = []parameter{textParameter("referer", "referer")}

	similarParameters = []parameter{numberParameter("size", "size", 1, 100)}

	interactionParameters = []parameter{
		booleanParameter("logVideoInteraction", "logged"),
		textParameter("type", "type"),
	}

	platformParameters = []parameter{
		textParameter("subtype", "subtype"),
		booleanParameter("anonymous", "anonymous"),
	}

	feedParameters = []parameter{
		numberParameter("size", "first", 1, catalogue.MaxFeedSize),
		{name: "cursor_id", hidden: true, read: textParameter("cursor_id", "after").read},
		dateParameter("updated_as_of", "updatedAsOf"),
	}

	visibilityParameter = choiceParameter("visibility", "visibility", map[string]string{"ALL": "ALL"})

	subjectParameters = []parameter{
		visibilityParameter,
		choiceParameter("marketSegment", "marketSegment", identity(catalogue.MarketSegments())),
	}

	disciplineParameters = []parameter{visibilityParameter}

	placeParameters = []parameter{
		textParameter("countryCode", "country"),
		textParameter("state", "state"),
		textParameter("query", "query"),
	}

	suggestionParameters = []parameter{textParameter("query", "query")}

	channelParameters = []parameter{
		textParameter("name", "filter.name"),
		choiceParameter("projection", "projection", map[string]string{"LIST": "list", "DETAILS": "details"}),
		choiceParameter("sort_by", "sortBy", identity([]string{
			"NAME_ASC", "NAME_DESC", "CATEGORIES_ASC", "CATEGORIES_DESC", "YOUTUBE_ASC", "YOUTUBE_DESC",
		})),
		numberParameter("page", "page", 0, catalogue.MaxChannelPage),
		numberParameter("size", "size", 1, catalogue.MaxChannelPage),
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

func unsupportedMediaType(given string) error {
	return &requestbody.Error{Status: http.StatusUnsupportedMediaType, Message: "the content type " + quoted(given) + " is not application/json"}
}

func quoted(text string) string { return fmt.Sprintf("%q", text) }
