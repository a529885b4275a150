package hal

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/graph/model"
)

// relation is the target of a link. The index resource and the links of every resource use one table of relations.
type relation struct {
	// address is an RFC 6570 template relative to the base address. A link that names a resource expands the variables
	// that identify it and drops the query. <user_id> is the placeholder for the caller's own user.
	address string
	// withRel makes a link that names a resource include its own relation name, as older clients of these resources
	// expect. Links of the index never include it.
	withRel bool
	// keepsQuery makes a link that names a resource keep the query.
	keepsQuery bool
}

// relations maps the target of a link (model.Link.Target) to its address.
var relations = map[string]relation{
	"subjects":              {address: "/v1/subjects"},
	"allSubjects":           {address: "/v1/subjects?visibility=all"},
	"marketSegmentSubjects": {address: "/v1/subjects{?marketSegment}"},
	"disciplines":           {address: "/v1/disciplines"},
	"allDisciplines":        {address: "/v1/disciplines?visibility=all"},
	"video":                 {address: "/v1/videos/{id}{?referer}"},
	"searchVideos": {address: "/v1/videos{?query,sort_by,best_for,duration_min,duration_max,duration,duration_facets," +
		"released_date_from,released_date_to,source,age_range_min,age_range_max,age_range,age_range_facets,size,page," +
		"subject,subjects_set_manually,promoted,channel,include_channel_facets,include_education_level_facets," +
		"include_topic_facets,type,id,resource_types,category_code,updated_as_of,language,education_level," +
		"content_package,topics,cefr_level,include_cefr_level_facets,subtype,content_partner,ngss_code,ngss_grade}"},
	"getMetadata":     {address: "/v1/videos/metadata"},
	"tags":            {address: "/v1/tags"},
	"suggestions":     {address: "/v1/suggestions?query={query}"},
	"videoFeed":       {address: "/v1/feed/videos{?size,updated_as_of}"},
	"removedVideos":   {address: "/v1/feed/removed-videos{?size,updated_as_of}"},
	"videoTypes":      {address: "/v1/video-types"},
	"channel":         {address: "/v1/channels/{id}", withRel: true},
	"channels":        {address: "/v1/channels{?name,projection,sort_by,page,size,categories,ingestType,education_levels*}"},
	"educationLevels": {address: "/v1/education-levels"},

	"createPlaybackEvent":                        {address: "/v1/events/playback"},
	"createPlaybackEvents":                       {address: "/v1/events/playback/batch"},
	"createPlayerInteractedWithEvent":            {address: "/v1/events/player-interaction"},
	"logInteraction":                             {address: "/v1/videos/{id}/events?logVideoInteraction=true&type={type}"},
	"trackVideoShareLink":                        {address: "/v1/videos/{id}/track-share-link"},
	"trackPageRendered":                          {address: "/v1/events/page-render"},
	"trackPlatformInteractedWith":                {address: "/v1/events/platform-interaction{?subtype,anonymous}"},
	"createSearchQueryCompletionsSuggestedEvent": {address: "/v1/events/suggested-search-completions"},
	"reportAccessExpired":                        {address: "/v1/events/expired-user-access"},

	"contractLegalRestrictions": {address: "/v1/contract-legal-restrictions"},
	"contentCategories":         {address: "/v1/content-categories"},

	"serviceWebAppAccess":   {address: "/v1/users/_self"},
	"classroomWebAppAccess": {address: "/v1/users/_self"},
	"currentUser":           {address: "/v1/users/_self"},
	"profile":               {address: "/v1/users/<user_id>"},
	"user":                  {address: "/v1/users/{id}"},
	"isUserActive":          {address: "/v1/users/{id}/active"},

	"countries":             {address: "/v1/countries"},
	"searchSchools":         {address: "/v1/schools?countryCode=USA{&query,state}"},
	"searchDistricts":       {address: "/v1/districts?countryCode=USA{&query,state}"},
	"countrySchools":        {address: "/v1/schools?countryCode={id}{&query}"},
	"countrySchoolsByState": {address: "/v1/schools?countryCode={id}{&query,state}"},
	"states":                {address: "/v1/countries/{id}/states"},

	"discoverCollections":    {address: "/v1/collections?projection=list&discoverable=true&page=0&size=30{&query,subject,sort_by}"},
	"promotedCollections":    {address: "/v1/collections?projection=list&promoted=true&discoverable=true&page=0&size=30"},
	"promotedForCollections": {address: "/v1/collections?projection=list&discoverable=true&page=0&size=30{&promotedFor}"},
	"searchCollections": {address: "/v1/collections{?query,subject,discoverable,projection,page,size,age_range_min,age_range_max,age_range," +
		"resource_types,sort_by}"},
	"searchAllCollections": {address: "/v1/collections{?query,partial_title_match,subject,discoverable,ignore_discoverable,promoted,promotedFor," +
		"bookmarked,owner,projection,page,size,age_range_min,age_range_max,age_range,resource_types,has_lesson_plans,sort_by}"},
	"collection": {address: "/v1/collections/{id}{?projection,referer}"},
	"myCollections": {address: "/v1/users/<user_id>/collections?bookmarked=false&types=OWNED" +
		"{&query,partial_title_match,projection,page,size,sort_by}"},
	"mySavedCollections":              {address: "/v1/users/<user_id>/collections{?query,partial_title_match,projection,page,size,sort_by,can_edit}"},
	"serviceSharedCollections":        {address: "/v1/users/<user_id>/collections?types=SERVICE_SHARED{&query,partial_title_match,projection,page,size,sort_by,can_edit}"},
	"userSharedBookmarkedCollections": {address: "/v1/users/<user_id>/collections?types=USER_SHARED{&query,partial_title_match,projection,page,size,sort_by,can_edit}"},
	"createCollection":                {address: "/v1/collections"},
	"safeEdit":                        {address: "/v1/collections/{id}?last_updated_at=<updated_at>"},
	"addVideo":                        {address: "/v1/collections/{id}/videos/{video_id}{?highlight_id}", keepsQuery: true},
	"removeVideo":                     {address: "/v1/collections/{id}/videos/{video_id}{?highlight_id}", keepsQuery: true},
	"bookmark":                        {address: "/v1/collections/{id}?bookmarked=true"},
	"unbookmark":                      {address: "/v1/collections/{id}?bookmarked=false"},
	"interactedWith":                  {address: "/v1/collections/{id}/events"},
	"trackCollectionShareLink":        {address: "/v1/collections/{id}/track-share-link"},
	"updatePermissions":               {address: "/v1/collections/{id}/permissions"},
	"addComment":                      {address: "/v1/collections/{id}/comments"},
	"removeComment":                   {address: "/v1/collections/{id}/comments/{comment_id}"},

	"ngssCodes":                {address: "/v1/curriculum/ngss/codes"},
	"ngssGrades":               {address: "/v1/curriculum/ngss/grades"},
	"getThemesByIds":           {address: "/v1/alignments/themes{?id}"},
	"getThemesByProvider":      {address: "/v1/alignments/{provider}/themes"},
	"getThemesByProviderAndId": {address: "/v1/alignments/{provider}/themes/{id}"},
	"getAllProviders":          {address: "/v1/alignments/providers"},
	"getProviderById":          {address: "/v1/alignments/providers/{providerId}"},
	"provider":                 {address: "/v1/alignments/providers/{providerId}"},
	"learningOutcomes":         {address: "/v1/videos/{videoId}/learning-outcomes"},
	"assessmentQuestions":      {address: "/v1/videos/{videoId}/assessment-questions"},
	"CefrLevel":                {address: "/v1/videos/{videoId}/cefr-level"},
	"getHighlights":            {address: "/v1/highlights{?threshold,size,query,education_level,max_overlap,hyper_relevance,channel,subtype}"},
	"getHighlight":             {address: "/v1/highlights/{highlightId}"},
	"captions":                 {address: "/v1/videos/{id}/captions{?format,download,language}"},
	"createEmbed":              {address: "/v1/videos/{id}/embeds"},
	"similar":                  {address: "/v1/videos/{id}/similar{?size}"},

	"subject":        {address: "/v1/subjects/{id}"},
	"discipline":     {address: "/v1/disciplines/{id}", withRel: true},
	"tag":            {address: "/v1/tags/{id}", withRel: true},
	"contentWarning": {address: "/v1/content-warnings/{id}", withRel: true},
	"transcript":     {address: "/v1/videos/{id}/transcript"},
	"thumbnail":      {address: "/v1/media/{id}/width/{thumbnailWidth}/vid_slices/3/vid_slice/1"},
	"videoPreview":   {address: "/v1/media/{id}/width/{thumbnailWidth}/vid_slices/{thumbnailCount}"},
	streamRelation:   {},
}

// streamRelation is the only relation whose address is signed.
const streamRelation = "hlsStream"

// Address returns the path of a relation. Unless id is "", it is the path for the resource with that ID.
func Address(relation, id string) string {
	address, _ := relations[relation].expand("", id)
	return address
}

// Relations returns the address of every relation, an RFC 6570 template relative to the base address. Only the address
// of a video's stream is "", because that address is signed.
func Relations() map[string]string {
	addresses := make(map[string]string, len(relations))
	for name, relation := range relations {
		addresses[name] = relation.address
	}
	return addresses
}

// expand expands the first variable of the address if a link names a resource, and the first two if the link also names
// the resource's parent. Neither value contains characters that need escaping.
func (r relation) expand(within, id string) (address string, templated bool) {
	address = r.address
	if id != "" {
		if !r.keepsQuery {
			address, _, _ = strings.Cut(address, "{?")
		}
		if within != "" {
			address = fillFirst(address, within)
		}
		address = fillFirst(address, id)
	}
	return address, strings.Contains(address, "{")
}

func fillFirst(address, value string) string {
	before, rest, _ := strings.Cut(address, "{")
	_, after, found := strings.Cut(rest, "}")
	if !found {
		return address
	}
	return before + value + after
}

// slotWriter writes links as members of a template. It implements scalars.LinkWriter.
type slotWriter struct{}

// WriteLinks writes links as one JSON object.
func (slotWriter) WriteLinks(_ context.Context, w io.Writer, links model.Links) error {
	_, err := w.Write(appendLinks(make([]byte, 0, 256), links))
	return err
}

// appendLinks appends links as one JSON object. Marks enclose each link that requires a permission.
func appendLinks(b []byte, links model.Links) []byte {
	certain := false // whether a link that every caller receives has been written
	if len(links.List) > 0 && links.List[0].Permission != account.Everyone {
		b = append(b, slotMark, slotObject)
	} else {
		b = append(b, '{')
	}
	for i, link := range links.List {
		if link.Permission != account.Everyone {
			b = append(b, slotMark, slotPermission, byte(link.Permission))
		}
		switch {
		case certain:
			b = append(b, ',')
		case i > 0:
			b = append(b, slotMark, slotComma)
		}
		b = appendLink(b, link)
		if link.Permission != account.Everyone {
			b = append(b, slotMark, slotEnd)
		} else {
			certain = true
		}
	}
	return append(b, '}')
}

func appendLink(b []byte, link model.Link) []byte {
	target := relations[link.Target()]
	templated := link.Templated
	b = append(append(append(b, '"'), link.Rel...), `":{`...)
	if target.withRel && link.ID != "" {
		b = append(append(append(b, `"rel":"`...), link.Rel...), `",`...)
	}
	b = append(b, `"href":`...)
	switch {
	case link.Address != "":
		encoded, _ := json.Marshal(link.Address) // a string always encodes
		b = append(b, encoded...)
	case link.Target() == streamRelation:
		b = append(b, '"', slotMark, slotBase, slotMark, slotStream)
		b = append(append(b, link.ID...), '"')
	default:
		var address string
		address, templated = target.expand(link.Within, link.ID)
		address = strings.Replace(address, "<user_id>", link.User, 1)
		address = strings.Replace(address, "<updated_at>", url.QueryEscape(link.UpdatedAt), 1)
		b = append(append(append(b, '"', slotMark, slotBase), address...), '"')
	}
	b = append(b, `,"templated":`...)
	if templated {
		return append(b, `true}`...)
	}
	return append(b, `false}`...)
}
