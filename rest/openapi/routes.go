package openapi

import (
	"maps"
	"net/http"
)

// describedRoutes describes each line of the route table.
var describedRoutes = gathered(aboutIndex, aboutVideos, aboutReferenceData, aboutUsers, aboutPlaces, aboutMaterial, aboutCollections, aboutEvents)

func gathered(tables ...map[string]description) map[string]description {
	all := map[string]description{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

var aboutIndex = map[string]description{
	"GET /v1": reading(indexTag, "getIndex", "Read the index", "The links of the caller.", "Index").saying(
		"The index holds the links that the caller may follow. They lead to all other resources. `GET /v1/` is the same operation."),
	"GET /v1/admin": reading(indexTag, "getAdminIndex", "Read the administration index", "The links of the caller.", "Index"),
}

var aboutVideos = map[string]description{
	"GET /v1/videos/{id}": {
		tag: videosTag, id: "getVideo", summary: "Read a video",
		answers: []answerOf{halAnswer("The video.", "Video"), problem(http.StatusPermanentRedirect)},
	},
	"GET /v1/videos": reading(videosTag, "searchVideos", "Search videos", "A page of videos, with facets of all matches.", "VideoSearch").saying(
		"Results match every filter; any value within a filter is enough, except that `best_for` requires all its values. " +
			"Search reaches only the first 10,000 results; the feed lists all videos."),
	"GET /v1/feed/videos": reading(videosTag, "getVideoFeed", "Page through all videos", "A page of the feed.", "VideoFeed").saying(
		"Follow `next` until a page has no such link."),
	"GET /v1/feed/removed-videos": reading(videosTag, "getRemovedVideos", "Page through all removed videos", "A page of removed videos.", "RemovedVideos").saying(
		"The feed lists videos that were deleted or retired, or whose availability has ended, oldest removal first. " +
			"Follow `next` until a page has no such link."),
	"GET /v1/videos/{id}/similar": reading(videosTag, "getSimilarVideos", "List videos like a video", "The videos, the most similar first.", "VideoSearch").saying(
		"Videos are similar if they mean similar things; on a server without an embedding model, if they share rare words of title and keywords."),
	"GET /v1/videos/{id}/transcript": {
		tag: videosTag, id: "getTranscript", summary: "Read the transcript of a video",
		answers: []answerOf{{
			status: http.StatusOK, text: "The transcript.", headers: []string{"Content-Disposition"},
			content: node{TextType: node{"schema": node{"type": "string"}}},
		}},
	},
	"POST /v1/videos/{id}/embeds": {
		tag: videosTag, id: "createEmbed", summary: "Create an address under which pages show a video",
		text: "Pages of the account's allowed origins embed `html`. The video then plays for every visitor until the " +
			"address expires. Playback events name the client and no user.",
		body: optionalBody("NewEmbed"),
		answers: []answerOf{{
			status: http.StatusCreated, text: "The new address.", headers: []string{"Location"},
			content: node{HALType: node{"schema": reference("Embed")}},
		}, problem(http.StatusConflict)},
	},
	"GET /v1/videos/metadata": reading(videosTag, "getMetadataTypes", "List the types of videos", "The types.", "VideoTypes").saying(
		"This operation equals `GET /v1/video-types`."),
	"POST /v1/videos/metadata": reading(videosTag, "getVideoMetadata", "Read metadata of videos by their ids", "The metadata of the videos.", "VideoMetadataList").
		taking(jsonBody("VideoIDs")).saying(
		"The response leaves out videos that do not exist or that the caller may not see."),
	"GET /v1/video-types": reading(videosTag, "getVideoTypes", "List the types of videos", "The types.", "VideoTypes"),
	"GET /v1/suggestions": reading(videosTag, "getSuggestions", "Suggest completions of a query", "The completions.", "Suggestions").requiring("query"),
}

var aboutReferenceData = map[string]description{
	"GET /v1/subjects":                    reading(referenceTag, "getSubjects", "List subjects", "The subjects.", "Subjects"),
	"GET /v1/subjects/{id}":               reading(referenceTag, "getSubject", "Read a subject", "The subject.", "Subject"),
	"GET /v1/disciplines":                 reading(referenceTag, "getDisciplines", "List disciplines with their subjects", "The disciplines.", "Disciplines"),
	"GET /v1/disciplines/{id}":            reading(referenceTag, "getDiscipline", "Read a discipline", "The discipline.", "Discipline"),
	"GET /v1/channels":                    reading(referenceTag, "getChannels", "List channels", "A page of channels; with `projection=list` their names alone.", "Channels"),
	"GET /v1/channels/{id}":               reading(referenceTag, "getChannel", "Read a channel", "The channel.", "Channel"),
	"GET /v1/education-levels":            reading(referenceTag, "getEducationLevels", "List education levels", "The levels.", "EducationLevels"),
	"GET /v1/contract-legal-restrictions": reading(referenceTag, "getContractLegalRestrictions", "List the texts by which contracts restrict the use of videos", "The texts.", "ContractLegalRestrictions"),
	"GET /v1/content-categories":          reading(referenceTag, "getContentCategories", "List content categories", "The categories.", "ContentCategories"),
	"GET /v1/tags":                        reading(referenceTag, "getTags", "List tags", "The tags.", "Tags"),
	"GET /v1/tags/{id}":                   reading(referenceTag, "getTag", "Read a tag", "The tag.", "Tag"),
	"GET /v1/content-warnings":            reading(referenceTag, "getContentWarnings", "List content warnings", "The content warnings.", "ContentWarnings"),
	"GET /v1/content-warnings/{id}":       reading(referenceTag, "getContentWarning", "Read a content warning", "The content warning.", "ContentWarning"),
}

// eventHeaders are the headers that every event accepts.
var eventHeaders = []string{"IdempotencyKey", "ServiceReferer"}

// eventAnswers are the answers of every event.
var eventAnswers = []answerOf{recorded, problem(http.StatusUnprocessableEntity)}

var aboutEvents = map[string]description{
	"POST /v1/events/playback": reporting("recordPlayback", "Report that a segment of a video was played", jsonBody("PlaybackEvent")),
	"POST /v1/events/playback/batch": reporting("recordPlaybackBatch", "Report segments that were played earlier", jsonBody("PlaybackBatch")).saying(
		"The server stores either all segments or none."),
	"POST /v1/events/player-interaction": reporting("recordPlayerInteraction", "Report an interaction with the player", jsonBody("PlayerInteractionEvent")),
	"POST /v1/events/page-render":        reporting("recordPageRender", "Report that a page was shown", jsonBody("PageRenderEvent")),
	"POST /v1/events/platform-interaction": reporting("recordPlatformInteraction", "Report an interaction with the client's pages", optionalBody("InteractionEvent")).
		requiring("subtype"),
	"POST /v1/events/suggested-search-completions": reporting("recordSearchCompletions", "Report which completions of a query were shown", jsonBody("SearchCompletionsEvent")),
	"POST /v1/videos/{id}/events": reporting("recordVideoInteraction", "Report an interaction with a video outside the player", optionalBody("InteractionEvent")).
		requiring("logVideoInteraction", "type").saying(
		"Without `logVideoInteraction=true`, the status is 404. The server ignores a body that does not have this form."),
	"POST /v1/videos/{id}/track-share-link": reporting("recordVideoShare", "Report that a user shared a link to a video", optionalBody("InteractionEvent")),
	"POST /v1/events/expired-user-access": reporting("reportAccessExpired", "Report a visit by a user whose account has expired", nil).saying(
		"The server ignores the body."),
}

// parameterTexts describe parameters. The key is the path and the name for one route, or the name alone for all routes.
var parameterTexts = map[string]parameterText{
	"id":            {text: "The id of the resource."},
	"providerId":    {text: "The id of the provider."},
	"referer":       {text: "The id of the user who shared the link."},
	"query":         {text: "The words to search for. Parts in double quotes match exactly."},
	"size":          {text: "The number of items per page."},
	"page":          {text: "The number of the page, starting at 0."},
	"projection":    {text: "The level of detail of each item.", values: []string{"list", "details"}},
	"visibility":    {text: "`all` includes items without videos that the caller may see.", values: []string{"all"}},
	"updated_as_of": {text: "Selects items that were updated on or after this UTC day."},

	"/v1/videos/{id} id":        {text: "The id of the video, or its legacy id."},
	"/v1/videos/{id}/events id": {text: "The id of the video, or its legacy id."},

	"/v1/videos sort_by":             {text: "The sort order. By default, the best match comes first; `RELEASE_DATE` sorts by release date, newest first."},
	"best_for":                       {text: "Labels of tags. A video must have all of them."},
	"duration_min":                   {text: "The minimum duration, inclusive. `duration` overrides it."},
	"duration_max":                   {text: "The maximum duration, inclusive. `duration` overrides it."},
	"duration":                       {text: "Duration ranges, `min-max` or `min`, both ends inclusive."},
	"duration_facets":                {text: "The ranges of the duration facet. A bucket excludes its upper end unless that is 24 hours, so its `hits` can be lower than the total of the same range in `duration`."},
	"released_date_from":             {text: "The earliest release date, inclusive."},
	"released_date_to":               {text: "The latest release date, inclusive."},
	"source":                         {text: "The source of the video. `SERVICE` is the operator's own catalogue."},
	"age_range_min":                  {text: "The minimum age, inclusive.", deprecated: true},
	"age_range_max":                  {text: "The maximum age, inclusive.", deprecated: true},
	"age_range":                      {text: "Age ranges. A video matches if it covers at least two ages of a range.", deprecated: true},
	"age_range_facets":               {text: "The ranges of the age facet.", deprecated: true},
	"subject":                        {text: "The ids of subjects."},
	"subjects_set_manually":          {text: "Selects videos whose subjects were set by hand (`true`) or not (`false`)."},
	"promoted":                       {text: "Selects videos that are promoted (`true`) or not (`false`)."},
	"channel":                        {text: "Ids of channels. Names of channels also work, but are deprecated."},
	"content_partner":                {text: "Ids or names of channels; use `channel`.", deprecated: true},
	"include_channel_facets":         {text: "If `true`, the response has channel facets."},
	"include_education_level_facets": {text: "If `true`, the response has education level facets."},
	"include_topic_facets":           {text: "If `true`, the response has topic facets."},
	"include_cefr_level_facets":      {text: "If `true`, the response has CEFR level facets."},
	"/v1/videos type":                {text: "Types of videos."},
	"/v1/videos id":                  {text: "Ids of videos."},
	"resource_types":                 {text: "Types of attachments."},
	"category_code":                  {text: "Codes of subject categories. A code also matches the codes below it."},
	"language":                       {text: "Languages, as ISO 639-2 or ISO 639-1 codes."},
	"education_level":                {text: "Codes of education levels."},
	"content_package":                {text: "The id of a content package. The search finds only its videos. Only operators may use this parameter."},
	"topics":                         {text: "Topics."},
	"cefr_level":                     {text: "CEFR levels."},
	"subtype":                        {text: "Content categories of videos."},
	"ngss_code":                      {text: "NGSS codes, which stand for subject categories. An unknown code matches nothing."},
	"ngss_grade":                     {text: "NGSS grades, which stand for education levels. An unknown grade matches nothing."},
	"cursor_id":                      {text: "The position of the page. Only the link `next` sets it."},
	"marketSegment":                  {text: "The market segment for which the subjects are intended."},
	"name":                           {text: "The full name, ignoring case."},
	"categories":                     {text: "Codes of subject categories."},
	"ingestType":                     {text: "The ways in which the channels' videos are ingested."},
	"education_levels":               {text: "Codes of education levels."},
	"/v1/channels sort_by":           {text: "The order."},
	"/v1/videos/{id}/events type":    {text: "The kind of interaction, such as `VIDEO_LINK_COPIED`."},
	"logVideoInteraction":            {text: "The value must be `true`."},
	"anonymous":                      {text: "If `true`, the server stores the event without its users and address."},
	"/v1/events/platform-interaction subtype": {text: "The kind of interaction, such as `SEARCH_BAR_CLICKED`."},
	"/v1/suggestions query":                   {text: "The text that the user has typed so far."},
	"countryCode":                             {text: "The ISO 3166-1 alpha-3 code."},
	"state":                                   {text: "The code of a state. It is required for the USA."},
	"/v1/schools query":                       {text: "A part of the name, ignoring case."},
	"/v1/districts query":                     {text: "A part of the name, ignoring case."},
	"/v1/feed/videos size":                    {text: "The maximum number of videos per page."},
}
