package openapi

import "net/http"

// changed is the answer to a successful change.
var changed = answerOf{status: http.StatusNoContent, text: "The change is stored."}

var aboutCollections = map[string]description{
	"GET /v1/collections": reading(collectionsTag, "searchCollections", "Search collections", "A page of collections.", "Collections").saying(
		"Results match every filter; any value within a filter is enough."),
	"POST /v1/collections": {
		tag: collectionsTag, id: "createCollection", summary: "Create a collection",
		body: jsonBody("NewCollection"),
		answers: []answerOf{{
			status: http.StatusCreated, text: "The collection.", headers: []string{"Location"},
			content: node{HALType: node{"schema": reference("Collection")}},
		}, problem(http.StatusNotFound)},
	},
	"GET /v1/collections/{id}": reading(collectionsTag, "getCollection", "Read a collection", "The collection.", "Collection"),
	"PATCH /v1/collections/{id}": {
		tag: collectionsTag, id: "updateCollection", summary: "Change a collection, or save it",
		text: "Fields of the body replace the stored ones; omitted fields keep their values. With `bookmarked`, the server saves the collection for the " +
			"user or removes it from the saved ones, and ignores the body.",
		body: optionalBody("CollectionChange"),
		answers: []answerOf{
			changed, halAnswer("With `bookmarked`: the collection, without its videos.", "Collection"), problem(http.StatusConflict),
		},
	},
	"DELETE /v1/collections/{id}": changing("deleteCollection", "Delete a collection"),
	"PUT /v1/collections/{id}/videos/{video_id}": changing("addVideoToCollection", "Add a video to a collection").saying(
		"A video that the collection already contains keeps its position."),
	"DELETE /v1/collections/{id}/videos/{video_id}": changing("removeVideoFromCollection", "Remove a video from a collection").saying(
		"A video that the collection does not contain is not an error."),
	"PATCH /v1/collections/{id}/permissions": changing("setCollectionPermissions", "Set the permissions of a collection").
		taking(jsonBody("CollectionPermissions")),
	"POST /v1/collections/{id}/comments": reading(collectionsTag, "addCollectionComment", "Comment on a video of a collection", "The collection.", "Collection").
		taking(jsonBody("NewCollectionComment")),
	"DELETE /v1/collections/{id}/comments/{comment_id}": changing("removeCollectionComment", "Remove a comment"),
	"POST /v1/collections/{id}/events": {
		tag: eventsTag, id: "recordCollectionInteraction", summary: "Report an interaction with a collection",
		body: jsonBody("CollectionInteractionEvent"), headers: eventHeaders,
		answers: []answerOf{{status: http.StatusOK, text: "The event is stored durably."}, problem(http.StatusUnprocessableEntity)},
	},
	"POST /v1/collections/{id}/track-share-link": reporting("recordCollectionShare", "Report that a user shared a link to a collection", optionalBody("InteractionEvent")),
	"GET /v1/users/{id}/collections":             reading(collectionsTag, "getUserCollections", "List the collections that a user owns or has saved", "A page of collections.", "Collections"),
}

// collectionTexts are the texts of the parameters of collections.
var collectionTexts = map[string]parameterText{
	"videoId":             {text: "The id of the video, or its legacy id."},
	"video_id":            {text: "The id of the video, or its legacy id."},
	"comment_id":          {text: "The id of the comment."},
	"highlightId":         {text: "The id of the highlight."},
	"highlight_id":        {text: "The id of a highlight of the video. The operation then applies to the highlight alone."},
	"provider":            {text: "The navigation path of the provider, as in the links of providers."},
	"partial_title_match": {text: "If `true`, `query` matches any part of the title, also inside a word, instead of a phrase of the title or the description."},
	"bookmarked":          {text: "`true` selects collections that the user has saved."},
	"discoverable":        {text: "Selects collections that are discoverable (`true`) or not (`false`)."},
	"ignore_discoverable": {text: "If `true`, the search includes collections that are not discoverable. The caller needs the permission VIEW_ANY_COLLECTION."},
	"promotedFor":         {text: "The products for which the collection is promoted."},
	"has_lesson_plans":    {text: "`true` selects collections with a lesson plan."},
	"owner":               {text: "The id of the owner."},
	"types":               {text: "The types of collections: the user's own, saved ones of other users, and saved ones of the service."},
	"can_edit":            {text: "If `true`, the list holds only collections that the user may change."},
	"last_updated_at":     {text: "The `updatedAt` on which the change is based. If the collection has changed since, the status is 409."},

	"/v1/collections age_range_min": {text: "The minimum age, inclusive."},
	"/v1/collections age_range_max": {text: "The maximum age, inclusive."},
	"/v1/collections age_range":     {text: "Age ranges. A collection matches if it covers at least two ages of a range."},

	"/v1/collections sort_by":                        {text: "The sort orders. Each one orders the results that are equal by the previous one."},
	"/v1/users/{id}/collections sort_by":             {text: "The sort orders. Each one orders the results that are equal by the previous one."},
	"/v1/users/{id}/collections bookmarked":          {text: "`false` limits the list to the user's own collections."},
	"/v1/collections/{id} bookmarked":                {text: "`true` saves the collection for the user; `false` removes it from the saved ones."},
	"/v1/alignments/themes id":                       {text: "The ids of the themes. The default is all themes."},
	"/v1/videos/{id}/captions id":                    {text: "The id of the video, or its legacy id."},
	"/v1/videos/{id}/captions language":              {text: "The language of the captions, as an ISO 639-2 or ISO 639-1 code."},
	"/v1/users/{id}/collections partial_title_match": {text: "If `true`, `query` matches any part of the title, also inside a word, instead of a phrase of the title or the description."},
	"format":          {text: "The format of the captions.", values: []string{"vtt", "srt"}},
	"download":        {text: "If `true`, the response is a file."},
	"human-generated": {text: "Selects captions that people wrote (`true`) or software generated (`false`)."},
	"threshold":       {text: "The minimum score, from 0 to 1."},
	"max_overlap":     {text: "The maximum overlap of two highlights of one video, as a fraction of the shorter one, from 0 to 1."},
	"hyper_relevance": {text: "If `true`, each highlight starts at the first cue within it that matches the query."},
}
