package rest

import "net/http"

// changed is the answer to what was asked to be done.
var changed = answerOf{status: http.StatusNoContent, text: "It is done."}

var aboutCollections = map[string]description{
	"GET /v1/collections": {
		tag: collectionsTag, id: "searchCollections", summary: "Search collections",
		text:    "Filters are all to be met; of the values of one filter, one is enough.",
		answers: []answerOf{halAnswer("A page of collections.", "Collections")},
	},
	"POST /v1/collections": {
		tag: collectionsTag, id: "createCollection", summary: "Create a collection",
		body: jsonBody("NewCollection"),
		answers: []answerOf{{
			status: http.StatusCreated, text: "The collection.", headers: []string{"Location"},
			content: node{halType: node{"schema": reference("Collection")}},
		}, problem(http.StatusNotFound)},
	},
	"GET /v1/collections/{id}": {
		tag: collectionsTag, id: "getCollection", summary: "Read a collection",
		answers: []answerOf{halAnswer("The collection.", "Collection")},
	},
	"PATCH /v1/collections/{id}": {
		tag: collectionsTag, id: "updateCollection", summary: "Change a collection, or save it",
		text: "What the body has takes the place of what was there; what it lacks stays. With `bookmarked` the collection is saved for the " +
			"user, or no longer, and the body is not read.",
		body: optionalBody("CollectionChange"),
		answers: []answerOf{
			changed, halAnswer("With `bookmarked`: the collection, without its videos.", "Collection"), problem(http.StatusConflict),
		},
	},
	"DELETE /v1/collections/{id}": {
		tag: collectionsTag, id: "deleteCollection", summary: "Delete a collection",
		answers: []answerOf{changed},
	},
	"PUT /v1/collections/{id}/videos/{video_id}": {
		tag: collectionsTag, id: "addVideoToCollection", summary: "Add a video to a collection",
		text:    "One that is in it already stays where it is.",
		answers: []answerOf{changed},
	},
	"DELETE /v1/collections/{id}/videos/{video_id}": {
		tag: collectionsTag, id: "removeVideoFromCollection", summary: "Remove a video from a collection",
		text:    "It is no fault if it is not in it.",
		answers: []answerOf{changed},
	},
	"PATCH /v1/collections/{id}/permissions": {
		tag: collectionsTag, id: "setCollectionPermissions", summary: "Say what others may do with a collection",
		body: jsonBody("CollectionPermissions"), answers: []answerOf{changed},
	},
	"POST /v1/collections/{id}/comments": {
		tag: collectionsTag, id: "addCollectionComment", summary: "Comment on a video of a collection",
		body: jsonBody("NewCollectionComment"), answers: []answerOf{halAnswer("The collection.", "Collection")},
	},
	"DELETE /v1/collections/{id}/comments/{comment_id}": {
		tag: collectionsTag, id: "removeCollectionComment", summary: "Remove a comment",
		answers: []answerOf{changed},
	},
	"POST /v1/collections/{id}/events": {
		tag: eventsTag, id: "recordCollectionInteraction", summary: "Tell that somebody did something with a collection",
		body: jsonBody("CollectionInteractionEvent"), headers: eventHeaders,
		answers: []answerOf{{status: http.StatusOK, text: "The event is stored, and will not be lost."}, problem(http.StatusUnprocessableEntity)},
	},
	"POST /v1/collections/{id}/track-share-link": {
		tag: eventsTag, id: "recordCollectionShare", summary: "Tell that somebody shared the link of a collection",
		body: optionalBody("InteractionEvent"), headers: eventHeaders, answers: eventAnswers,
	},
	"GET /v1/users/{id}/collections": {
		tag: collectionsTag, id: "getUserCollections", summary: "List the collections that a user owns or has saved",
		answers: []answerOf{halAnswer("A page of collections.", "Collections")},
	},
}

// collectionTexts are those of parameters of collections.
var collectionTexts = map[string]parameterText{
	"videoId":             {text: "The id of the video, or its legacy id."},
	"video_id":            {text: "The id of the video, or its legacy id."},
	"comment_id":          {text: "The id of the comment."},
	"highlightId":         {text: "The id of the piece."},
	"highlight_id":        {text: "The id of a piece of the video, which alone is meant."},
	"provider":            {text: "The navigation path of the provider, as the links of providers have it."},
	"partial_title_match": {text: "Whether `query` is part of the title, also inside a word, and not a phrase of the title or the description."},
	"bookmarked":          {text: "Whether the user has saved it."},
	"discoverable":        {text: "Whether it shows to others."},
	"ignore_discoverable": {text: "Whether to find all, discoverable or not. For operators."},
	"promotedFor":         {text: "What it is promoted for."},
	"has_lesson_plans":    {text: "Whether it has a lesson plan."},
	"owner":               {text: "The id of the owner."},
	"types":               {text: "Whose collections: one's own, those of other users, those of the service."},
	"can_edit":            {text: "Whether the user may change it."},
	"last_updated_at":     {text: "The `updatedAt` that the change rests on. Where it is another by now, the answer is 409."},

	"/v1/collections age_range_min": {text: "The lower bound of the ages, included."},
	"/v1/collections age_range_max": {text: "The upper bound of the ages, included."},
	"/v1/collections age_range":     {text: "Ranges of ages, of which the collection covers at least two ages."},

	"/v1/collections sort_by":                        {text: "The order; several settle what is equal by the one before."},
	"/v1/users/{id}/collections sort_by":             {text: "The order; several settle what is equal by the one before."},
	"/v1/users/{id}/collections bookmarked":          {text: "`false` leaves the user's own alone."},
	"/v1/collections/{id} bookmarked":                {text: "Whether the collection is to be saved for the user."},
	"/v1/alignments/themes id":                       {text: "The ids of the themes; none: all."},
	"/v1/videos/{id}/captions id":                    {text: "The id of the video, or its legacy id."},
	"/v1/videos/{id}/captions language":              {text: "The language of the captions, by its code in ISO 639-2 or ISO 639-1."},
	"/v1/users/{id}/collections partial_title_match": {text: "Whether `query` is part of the title, also inside a word, and not a phrase of the title or the description."},
	"format":          {text: "The format of the captions.", values: []string{"vtt", "srt"}},
	"download":        {text: "Whether to answer with a file."},
	"human-generated": {text: "Whether people wrote the captions."},
	"threshold":       {text: "The lowest score."},
	"max_overlap":     {text: "How much of the shorter of two pieces of one video may be common to both, from 0 to 1."},
	"hyper_relevance": {text: "Whether each piece begins where the query begins to be spoken of."},
}
