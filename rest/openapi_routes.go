package rest

import (
	"maps"
	"net/http"
)

// describedRoutes says of each line of the route table what that does not.
var describedRoutes = gathered(aboutIndex, aboutVideos, aboutReferenceData, aboutUsers, aboutPlaces, aboutMaterial, aboutCollections, aboutEvents)

func gathered(tables ...map[string]description) map[string]description {
	all := map[string]description{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

var aboutIndex = map[string]description{
	"GET /v1/": {
		tag: indexTag, id: "getIndex", summary: "Read the index",
		text:    "The links that the caller may use. Everything else is found from here.",
		answers: []answerOf{halAnswer("The links of the caller.", "Index")},
	},
	"GET /v1": {
		tag: indexTag, id: "getIndexWithoutSlash", summary: "Read the index",
		text:    "The same as `GET /v1/`.",
		answers: []answerOf{halAnswer("The links of the caller.", "Index")},
	},
	"GET /v1/admin": {
		tag: indexTag, id: "getAdminIndex", summary: "Read the index of administration",
		answers: []answerOf{halAnswer("The links of the caller.", "Index")},
	},
}

var aboutVideos = map[string]description{
	"GET /v1/videos/{id}": {
		tag: videosTag, id: "getVideo", summary: "Read a video",
		answers: []answerOf{halAnswer("The video.", "Video"), problem(http.StatusPermanentRedirect)},
	},
	"GET /v1/videos": {
		tag: videosTag, id: "searchVideos", summary: "Search videos",
		text: "Filters are all to be met; of the values of one filter, one is enough (of `best_for` all are needed). " +
			"No more than the first 10,000 results can be reached: for more there is the feed.",
		answers: []answerOf{halAnswer("A page of videos, with facets of all that were found.", "VideoSearch")},
	},
	"GET /v1/feed/videos": {
		tag: videosTag, id: "getVideoFeed", summary: "Page through all videos",
		text:    "Follow `next` until there is none.",
		answers: []answerOf{halAnswer("The next videos.", "VideoFeed")},
	},
	"GET /v1/feed/removed-videos": {
		tag: videosTag, id: "getRemovedVideos", summary: "Page through all videos that are gone",
		text: "Those that were deleted or retired, and those whose availability has ended, the earliest first. " +
			"Follow `next` until there is none.",
		answers: []answerOf{halAnswer("The next videos that are gone.", "RemovedVideos")},
	},
	"GET /v1/videos/{id}/transcript": {
		tag: videosTag, id: "getTranscript", summary: "Read the transcript of a video",
		answers: []answerOf{{
			status: http.StatusOK, text: "The transcript.", headers: []string{"Content-Disposition"},
			content: node{textType: node{"schema": node{"type": "string"}}},
		}},
	},
	"POST /v1/videos/{id}/embeds": {
		tag: videosTag, id: "createEmbed", summary: "Make an address under which pages show a video",
		text: "Pages of the account's allowed origins put `html` in, and the video plays there for everybody who reads them, until the " +
			"address ends. What is played is told in the name of the client, of no user.",
		body: optionalBody("NewEmbed"),
		answers: []answerOf{{
			status: http.StatusCreated, text: "The address.", content: node{halType: node{"schema": reference("Embed")}},
		}, problem(http.StatusConflict)},
	},
	"GET /v1/videos/metadata": {
		tag: videosTag, id: "getMetadataTypes", summary: "List the types of videos",
		text:    "The same as `GET /v1/video-types`.",
		answers: []answerOf{halAnswer("The types.", "VideoTypes")},
	},
	"POST /v1/videos/metadata": {
		tag: videosTag, id: "getVideoMetadata", summary: "Read metadata of videos by their ids",
		text:    "Videos that there are not, or that the caller may not see, are left out.",
		body:    jsonBody("VideoIDs"),
		answers: []answerOf{halAnswer("What is known of them.", "VideoMetadataList")},
	},
	"GET /v1/video-types": {
		tag: videosTag, id: "getVideoTypes", summary: "List the types of videos",
		answers: []answerOf{halAnswer("The types.", "VideoTypes")},
	},
	"GET /v1/suggestions": {
		tag: videosTag, id: "getSuggestions", summary: "Suggest what to search for",
		required: []string{"query"},
		answers:  []answerOf{halAnswer("What goes on from the text.", "Suggestions")},
	},
}

var aboutReferenceData = map[string]description{
	"GET /v1/subjects": {
		tag: referenceTag, id: "getSubjects", summary: "List subjects",
		answers: []answerOf{halAnswer("The subjects.", "Subjects")},
	},
	"GET /v1/subjects/{id}": {
		tag: referenceTag, id: "getSubject", summary: "Read a subject",
		answers: []answerOf{halAnswer("The subject.", "Subject")},
	},
	"GET /v1/disciplines": {
		tag: referenceTag, id: "getDisciplines", summary: "List disciplines with their subjects",
		answers: []answerOf{halAnswer("The disciplines.", "Disciplines")},
	},
	"GET /v1/disciplines/{id}": {
		tag: referenceTag, id: "getDiscipline", summary: "Read a discipline",
		answers: []answerOf{halAnswer("The discipline.", "Discipline")},
	},
	"GET /v1/channels": {
		tag: referenceTag, id: "getChannels", summary: "List channels",
		answers: []answerOf{halAnswer("A page of channels; with `projection=list` their names alone.", "Channels")},
	},
	"GET /v1/channels/{id}": {
		tag: referenceTag, id: "getChannel", summary: "Read a channel",
		answers: []answerOf{halAnswer("The channel.", "Channel")},
	},
	"GET /v1/education-levels": {
		tag: referenceTag, id: "getEducationLevels", summary: "List education levels",
		answers: []answerOf{halAnswer("The levels.", "EducationLevels")},
	},
	"GET /v1/contract-legal-restrictions": {
		tag: referenceTag, id: "getContractLegalRestrictions", summary: "List the texts with which contracts restrict the use of videos",
		answers: []answerOf{halAnswer("The texts.", "ContractLegalRestrictions")},
	},
	"GET /v1/content-categories": {
		tag: referenceTag, id: "getContentCategories", summary: "List content categories",
		answers: []answerOf{halAnswer("The categories.", "ContentCategories")},
	},
	"GET /v1/tags": {
		tag: referenceTag, id: "getTags", summary: "List tags",
		answers: []answerOf{halAnswer("The tags.", "Tags")},
	},
	"GET /v1/tags/{id}": {
		tag: referenceTag, id: "getTag", summary: "Read a tag",
		answers: []answerOf{halAnswer("The tag.", "Tag")},
	},
	"GET /v1/content-warnings": {
		tag: referenceTag, id: "getContentWarnings", summary: "List content warnings",
		answers: []answerOf{halAnswer("The content warnings.", "ContentWarnings")},
	},
	"GET /v1/content-warnings/{id}": {
		tag: referenceTag, id: "getContentWarning", summary: "Read a content warning",
		answers: []answerOf{halAnswer("The content warning.", "ContentWarning")},
	},
}

// eventHeaders are what every event may tell beside its body.
var eventHeaders = []string{"IdempotencyKey", "ServiceReferer"}

// eventAnswers are those of every event.
var eventAnswers = []answerOf{recorded, problem(http.StatusUnprocessableEntity)}

var aboutEvents = map[string]description{
	"POST /v1/events/playback": {
		tag: eventsTag, id: "recordPlayback", summary: "Tell that a segment of a video was played",
		body: jsonBody("PlaybackEvent"), headers: eventHeaders, answers: eventAnswers,
	},
	"POST /v1/events/playback/batch": {
		tag: eventsTag, id: "recordPlaybackBatch", summary: "Tell of segments that were played in the past",
		text: "All of them are stored, or none.",
		body: jsonBody("PlaybackBatch"), headers: eventHeaders, answers: eventAnswers,
	},
	"POST /v1/events/player-interaction": {
		tag: eventsTag, id: "recordPlayerInteraction", summary: "Tell that somebody did something with the player",
		body: jsonBody("PlayerInteractionEvent"), headers: eventHeaders, answers: eventAnswers,
	},
	"POST /v1/events/page-render": {
		tag: eventsTag, id: "recordPageRender", summary: "Tell that a page was shown",
		body: jsonBody("PageRenderEvent"), headers: eventHeaders, answers: eventAnswers,
	},
	"POST /v1/events/platform-interaction": {
		tag: eventsTag, id: "recordPlatformInteraction", summary: "Tell that somebody did something with the client's pages",
		required: []string{"subtype"},
		body:     optionalBody("InteractionEvent"), headers: eventHeaders, answers: eventAnswers,
	},
	"POST /v1/events/suggested-search-completions": {
		tag: eventsTag, id: "recordSearchCompletions", summary: "Tell which completions of a query were shown",
		body: jsonBody("SearchCompletionsEvent"), headers: eventHeaders, answers: eventAnswers,
	},
	"POST /v1/videos/{id}/events": {
		tag: eventsTag, id: "recordVideoInteraction", summary: "Tell that somebody did something with a video, outside the player",
		text:     "Without `logVideoInteraction=true` there is nothing at this address. A body that is none of this form is ignored.",
		required: []string{"logVideoInteraction", "type"},
		body:     optionalBody("InteractionEvent"), headers: eventHeaders, answers: eventAnswers,
	},
	"POST /v1/videos/{id}/track-share-link": {
		tag: eventsTag, id: "recordVideoShare", summary: "Tell that somebody shared the link of a video",
		body: optionalBody("InteractionEvent"), headers: eventHeaders, answers: eventAnswers,
	},
	"POST /v1/events/expired-user-access": {
		tag: eventsTag, id: "reportAccessExpired", summary: "Tell that somebody came whose account has expired",
		text:    "The body is not read.",
		headers: eventHeaders, answers: eventAnswers,
	},
}

// parameterTexts say what parameters mean: those of one route under its path and their name, those that mean the
// same everywhere under their name.
var parameterTexts = map[string]parameterText{
	"id":            {text: "The id of the thing."},
	"providerId":    {text: "The id of the provider."},
	"referer":       {text: "The id of the user who shared the link."},
	"query":         {text: "Words to search for. What stands between quotation marks is to be found as it stands."},
	"size":          {text: "How many there are on a page."},
	"page":          {text: "The number of the page; the first is 0."},
	"projection":    {text: "How much of each is shown.", values: []string{"list", "details"}},
	"visibility":    {text: "`all` lists also those without videos that the caller may see.", values: []string{"all"}},
	"updated_as_of": {text: "Only what was changed on this day (UTC) or later."},

	"/v1/videos/{id} id":        {text: "The id of the video, or its legacy id."},
	"/v1/videos/{id}/events id": {text: "The id of the video, or its legacy id."},

	"/v1/videos sort_by":             {text: "The order; by default the best match first, otherwise the newest release."},
	"best_for":                       {text: "Labels of tags, all of which the video must have."},
	"duration_min":                   {text: "The shortest duration, included. Ignored where `duration` is given."},
	"duration_max":                   {text: "The longest duration, included. Ignored where `duration` is given."},
	"duration":                       {text: "Ranges of durations, `min-max` or `min`, both ends included."},
	"duration_facets":                {text: "The ranges that the facet of durations counts."},
	"released_date_from":             {text: "The first day of release."},
	"released_date_to":               {text: "The last day of release."},
	"source":                         {text: "Where the video comes from: `SERVICE` is the catalogue itself."},
	"age_range_min":                  {text: "The lower bound of the ages, included.", deprecated: true},
	"age_range_max":                  {text: "The upper bound of the ages, included.", deprecated: true},
	"age_range":                      {text: "Ranges of ages, of which the video covers at least two ages.", deprecated: true},
	"age_range_facets":               {text: "The ranges that the facet of ages counts.", deprecated: true},
	"subject":                        {text: "Ids of subjects."},
	"subjects_set_manually":          {text: "Whether the subjects were set by hand."},
	"promoted":                       {text: "Whether the video is promoted."},
	"channel":                        {text: "Ids of channels. Names of channels are still taken, which is deprecated."},
	"content_partner":                {text: "Ids or names of channels; use `channel`.", deprecated: true},
	"include_channel_facets":         {text: "Whether to count by channel."},
	"include_education_level_facets": {text: "Whether to count by education level."},
	"include_topic_facets":           {text: "Whether to count by topic."},
	"include_cefr_level_facets":      {text: "Whether to count by CEFR level."},
	"/v1/videos type":                {text: "Types of videos."},
	"/v1/videos id":                  {text: "Ids of videos."},
	"resource_types":                 {text: "Types of attachments."},
	"category_code":                  {text: "Codes of subject categories; those below them count as well."},
	"language":                       {text: "Languages by their code in ISO 639-2 or ISO 639-1."},
	"education_level":                {text: "Codes of education levels."},
	"content_package":                {text: "The id of a content package, whose videos alone are searched. For operators."},
	"topics":                         {text: "Topics."},
	"cefr_level":                     {text: "CEFR levels."},
	"subtype":                        {text: "Content categories of videos."},
	"ngss_code":                      {text: "NGSS codes, which stand for subject categories. One that there is not matches nothing."},
	"ngss_grade":                     {text: "NGSS grades, which stand for education levels. One that there is not matches nothing."},
	"cursor_id":                      {text: "Where to go on: set by `next`, never by clients."},
	"marketSegment":                  {text: "The market segment that the subjects are meant for."},
	"name":                           {text: "The whole name, in capital or small letters."},
	"categories":                     {text: "Codes of subject categories."},
	"ingestType":                     {text: "How the channel's videos come in."},
	"education_levels":               {text: "Codes of education levels."},
	"/v1/channels sort_by":           {text: "The order."},
	"/v1/videos/{id}/events type":    {text: "What was done, such as `VIDEO_LINK_COPIED`."},
	"logVideoInteraction":            {text: "Has to be `true`."},
	"anonymous":                      {text: "Whether to keep the event without its users and address."},
	"/v1/events/platform-interaction subtype": {text: "What was done, such as `SEARCH_BAR_CLICKED`."},
	"/v1/suggestions query":                   {text: "What was typed so far."},
	"countryCode":                             {text: "The alpha-3 code of ISO 3166-1."},
	"state":                                   {text: "The code of a state; required for the USA."},
	"/v1/schools query":                       {text: "What the name contains, in any case."},
	"/v1/districts query":                     {text: "What the name contains, in any case."},
	"/v1/feed/videos size":                    {text: "How many there are at most on a page."},
}
