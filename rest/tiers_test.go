package rest_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// sample is a request to a relation that succeeds for every caller who may send it.
type sample struct {
	method string // empty for GET
	body   string
	id     string // replaces {id}, or the variable that names the resource
	within string // replaces the variable that names the parent resource
	query  string // required by the address
	// unlinked: callers without a link to the relation may also succeed, because other permissions allow it too.
	unlinked bool
	// perishable: the link may be outdated when the test follows it, because the walk itself changes its resource.
	perishable bool
	// foreign: the sample belongs to another account. Callers of that account and callers without a token may read it.
	foreign bool
	// conflict: a caller who has the permission, but no link because the account lacks a setting, gets 409.
	conflict bool
	// public: the relation needs neither permission nor token.
	public bool
}

// at returns the sample's request to an address.
func (s sample) at(as, path string) apiRequest {
	a := apiRequest{as: as, method: s.method, path: path, body: s.body}
	if s.body != "" {
		a.header = map[string]string{"Content-Type": "application/json"}
	}
	return a
}

// fill replaces the variables of a path.
func (s sample) fill(path string) string {
	for _, value := range []string{s.within, s.id} {
		if variable := pathVariable.FindString(path); value != "" && variable != "" {
			path = strings.Replace(path, variable, value, 1)
		}
	}
	return path
}

var pathVariable = regexp.MustCompile(`\{[a-zA-Z_]+\}|<user_id>`)

// sampleOf returns the first sample of a relation. A relation without a sample, such as a self link, gets GET.
func sampleOf(rel string) sample {
	if list := samples()[rel]; len(list) > 0 {
		return list[0]
	}
	return sample{}
}

// samples returns the samples of every relation. A relation without one fails the test.
func samples() map[string][]sample {
	get := []sample{{}}
	const places = "?countryCode=USA&state=CA&query=water"
	of := func(reference string) []sample { return []sample{{id: string(idOf(reference))}} }
	return map[string][]sample{
		"subjects": get, "allSubjects": get, "marketSegmentSubjects": get, "disciplines": get, "allDisciplines": get,
		"searchVideos": get, "tags": get, "suggestions": {{query: "?query=water"}}, "videoFeed": get, "removedVideos": get, "videoTypes": get, "channels": get, "educationLevels": get,
		"contractLegalRestrictions": get, "contentCategories": get,
		"getMetadata":         {{}, {method: "POST", body: `{"ids":["` + string(idOf("floating")) + `"]}`}},
		"reportAccessExpired": {{method: "POST"}},
		"logInteraction":      {{method: "POST", id: string(idOf("floating")), query: "?logVideoInteraction=true&type=VIDEO_LINK_COPIED"}},

		"createPlaybackEvent":                        {{method: "POST", body: playbackBody}},
		"createPlaybackEvents":                       {{method: "POST", body: batchBody}},
		"createPlayerInteractedWithEvent":            {{method: "POST", body: playerBody}},
		"trackPageRendered":                          {{method: "POST", body: pageBody}},
		"trackPlatformInteractedWith":                {{method: "POST", query: "?subtype=SEARCH_BAR_CLICKED"}},
		"createSearchQueryCompletionsSuggestedEvent": {{method: "POST", body: completionsBody}},

		"serviceWebAppAccess": get, "classroomWebAppAccess": get, "currentUser": get, "isUserActive": {{id: pupilID, foreign: true}}, "countries": get,
		"user": {{id: pupilID, unlinked: true}}, "profile": {{id: pupilID, unlinked: true}},
		"searchSchools": {{query: places}}, "searchDistricts": {{query: places}}, "countrySchoolsByState": {{query: places}},
		"countrySchools": {{query: "?countryCode=FRA&query=water"}}, "states": {{id: "USA"}},

		"ngssCodes": get, "ngssGrades": get, "getAllProviders": get, "provider": of("openscience"), "getProviderById": of("openscience"), "getThemesByIds": get,
		"getThemesByProvider": {{id: "openscience"}}, "getThemesByProviderAndId": {{within: "openscience", id: string(idOf("mechanics"))}},
		"learningOutcomes": of("floating"), "assessmentQuestions": of("floating"), "CefrLevel": of("floating"), "captions": of("floating"),
		"getHighlights": {{query: "?query=water"}}, "getHighlight": of("paddles"),

		"discoverCollections": get, "promotedCollections": get, "promotedForCollections": get, "searchCollections": get, "searchAllCollections": get,
		"myCollections": []sample{{id: pupilID, unlinked: true}}, "mySavedCollections": []sample{{id: pupilID, unlinked: true}}, "serviceSharedCollections": []sample{{id: pupilID, unlinked: true}},
		"userSharedBookmarkedCollections": []sample{{id: pupilID, unlinked: true}},
		"createCollection":                {{method: "POST", body: `{"title":"Walked","videos":["` + string(idOf("floating")) + `"]}`}},
		"collection":                      {{id: string(collectionOf("tides"))}},
		"safeEdit":                        {{perishable: true, method: "PATCH", id: string(collectionOf("tides")), body: "{}"}},
		"addVideo":                        {{perishable: true, method: "PUT", within: string(collectionOf("tides")), id: string(idOf("floating"))}},
		"removeVideo":                     {{perishable: true, method: "DELETE", within: string(collectionOf("tides")), id: string(idOf("minimal"))}},
		"bookmark":                        {{method: "PATCH", id: string(collectionOf("tides"))}},
		"unbookmark":                      {{method: "PATCH", id: string(collectionOf("tides"))}},
		"trackVideoShareLink":             {{method: "POST", id: string(idOf("floating"))}},
		"trackCollectionShareLink":        {{method: "POST", id: string(collectionOf("tides"))}},
		"interactedWith":                  {{method: "POST", id: string(collectionOf("tides")), body: `{"subtype":"NAVIGATE_TO_COLLECTION_DETAILS"}`}},
		"updatePermissions":               {{method: "PATCH", id: string(collectionOf("tides")), body: `{"anyone":"VIEW_ONLY"}`}},
		"addComment": {{perishable: true, method: "POST", id: string(collectionOf("tides")),
			body: `{"comment":{"videoId":"` + string(idOf("floating")) + `","text":"Walked"}}`}},
		"removeComment": {{perishable: true, method: "DELETE", within: string(collectionOf("tides")), id: string(collectionOf("comment"))}},

		"createEmbed": {{method: "POST", id: string(idOf("floating")), conflict: true}},
		"video":       of("floating"), "similar": of("floating"), "transcript": of("floating"), "channel": of("lab"), "subject": of("physics"),
		"discipline": of("sciences"), "tag": of("hook"), "contentWarning": of("flashes"),
		"thumbnail": {{id: "bars", public: true}}, "videoPreview": {{id: "bars", public: true}},
		"hlsStream": {{public: true}},
	}
}

// callerKind is one kind of caller of a tier.
type callerKind struct {
	name string
	// refusal is the status of a request that the caller may not send.
	refusal int
}

// TestEveryRelationForEveryTier follows every relation as each kind of caller of every built-in tier. It proves that
// each visible link works, in any document, and that each invisible one is refused, unless its address also serves a
// visible link.
func TestEveryRelationForEveryTier(t *testing.T) {
	w := newWorld(t, options{})
	for name := range hal.Relations() {
		if len(samples()[name]) == 0 {
			t.Fatalf("no sample says how the relation %s is called", name)
		}
	}
	for _, tier := range account.BuiltInTiers() {
		for _, kind := range w.callersOf(t, tier) {
			t.Run(kind.name, func(t *testing.T) { newWalk(t, w, kind).run() })
		}
	}
	for _, kind := range []callerKind{{operator, http.StatusForbidden}, {nobody, http.StatusUnauthorized}} {
		t.Run("as "+kind.name, func(t *testing.T) { newWalk(t, w, kind).run() })
	}
	shown := func(as string) []string {
		walk := newWalk(t, w, callerKind{as, http.StatusForbidden})
		walk.run()
		return slices.Sorted(maps.Keys(walk.shown))
	}
	if got := shown("basic, expired"); !slices.Equal(got, []string{"reportAccessExpired"}) {
		t.Errorf("an expired account is shown %v", got)
	}
	if basic, plus, premium := shown("basic"), shown("plus"), shown("premium"); len(basic) >= len(plus) || len(plus) >= len(premium) {
		t.Errorf("tiers show %v, %v, %v", basic, plus, premium)
	}
}

// TestAnonymousRelations proves the same for callers without a token, if anonymous access is enabled.
func TestAnonymousRelations(t *testing.T) {
	w := newWorld(t, options{config: func(c *wiring) { c.Anonymous = true }})
	walk := newWalk(t, w, callerKind{nobody, http.StatusUnauthorized})
	walk.run()
	want := []string{
		"allSubjects", "captions", "collection", "contentWarning", "createPlaybackEvent", "createPlayerInteractedWithEvent", "createSearchQueryCompletionsSuggestedEvent", "hlsStream", "isUserActive",
		"marketSegmentSubjects", "subject", "subjects", "thumbnail", "trackPageRendered", "trackPlatformInteractedWith", "transcript", "video",
		"videoPreview",
	}
	if got := slices.Sorted(maps.Keys(walk.shown)); !slices.Equal(got, want) {
		t.Errorf("anybody is shown %v, want %v", got, want)
	}
	for _, path := range []string{pathOf("secretVideo"), pathOf("secretVideo") + "/transcript", pathOf("expired"), pathOf("minimal") + "/transcript"} {
		wantRejection(t, w.get(t, nobody, path), http.StatusNotFound)
	}
	for _, path := range []string{"/v1/videos", "/v1/feed/videos", "/v1/channels", "/v1/admin", "/v1/nothing", "/v1/education-levels"} {
		wantRejection(t, w.get(t, nobody, path), http.StatusUnauthorized)
	}
	for _, path := range []string{"/v1/", "/v1", pathOf("floating"), pathOf("floating") + "/transcript", "/v1/subjects", "/v1/subjects/" + string(idOf("physics"))} {
		for _, authorization := range []string{"Bearer abc", "Bearer ", "", "Basic YTpi"} {
			want := http.StatusUnauthorized
			if authorization == "" {
				want = http.StatusOK
			}
			got := w.send(t, apiRequest{path: path, header: map[string]string{"Authorization": authorization}})
			if got.StatusCode != want {
				t.Errorf("%s with %q: got %d", path, authorization, got.StatusCode)
			}
		}
		wantRejection(t, w.send(t, apiRequest{path: path, header: map[string]string{"Service-User-Id": strings.Repeat("u", 65)}}), http.StatusBadRequest, "65")
	}
}

// callersOf creates accounts of a tier with one client each, and logs them in.
func (w *world) callersOf(t *testing.T, tier *account.Tier) []callerKind {
	t.Helper()
	put := func(records ...account.Entity) {
		check(authtest.Put(t.Context(), w.accounts, records...))
		check(w.auth.Refresh(t.Context()))
	}
	inForce := authtest.Account(tier.ID, tier.ID)
	if tier.ID == "premium" { // only this tier's account has allowed origins
		inForce.AllowedOrigins = []string{"https://learn.example"}
	}
	expired := authtest.Account(tier.ID+"-expired", tier.ID)
	yesterday := catalogue.DateOf(begin) - 1
	expired.AccessExpiresOn = &yesterday
	suspended := authtest.Account(tier.ID+"-suspended", tier.ID)
	for _, of := range []*account.Account{inForce, expired, suspended} {
		put(of, authtest.Client(of.ID, of.ID, secret))
	}
	var kinds []callerKind
	for _, one := range []struct {
		account    *account.Account
		name, user string
		refusal    int
	}{
		{inForce, "", "", http.StatusForbidden},
		{inForce, ", a user", "pupil 7", http.StatusForbidden},
		{expired, ", expired", "", http.StatusForbidden},
		{expired, ", expired, a user", "pupil 7", http.StatusForbidden},
		{suspended, ", suspended", "", http.StatusUnauthorized},
	} {
		name := tier.ID + one.name
		w.tokens[name] = logInAs(t, w.handler, one.account.ID, one.user)
		kinds = append(kinds, callerKind{name, one.refusal})
	}
	suspended.Status = account.Suspended // after its token was issued
	put(suspended)
	return kinds
}

// walk is one caller's walk along all visible links.
type walk struct {
	t    *testing.T
	w    *world
	kind callerKind
	// shown contains the relations that some document showed, and paths the paths of their addresses.
	shown, paths map[string]bool
	seen         map[string]bool
}

func newWalk(t *testing.T, w *world, kind callerKind) *walk {
	return &walk{t: t, w: w, kind: kind, shown: map[string]bool{}, paths: map[string]bool{}, seen: map[string]bool{}}
}

func (k *walk) run() {
	for _, index := range []string{"/v1/", "/v1", "/v1/admin"} {
		got := k.w.get(k.t, k.kind.name, index)
		if got.StatusCode != http.StatusOK {
			wantRejection(k.t, got, http.StatusUnauthorized)
			continue
		}
		k.follow(index, got)
	}
	for name, address := range hal.Relations() {
		if !k.shown[name] && !k.paths[pathForm(address)] {
			k.wantForbidden(name, address)
		}
	}
}

// follow follows each link of a document.
func (k *walk) follow(path string, document *answer) {
	for _, link := range linksOf(k.t, path, document.json(k.t)) {
		if !strings.HasPrefix(link.href, base) {
			continue
		}
		target := targetOf(link)
		k.shown[target] = true
		k.paths[pathForm(hal.Relations()[target])] = true
		for _, sample := range samples()[target] {
			for _, address := range expand(k.t, link) {
				if request := sample.method + " " + address; !k.seen[request] {
					k.seen[request] = true
					k.wantSuccess(link.rel, strings.TrimPrefix(address, base), sample)
				}
			}
		}
	}
}

func (k *walk) wantSuccess(rel, path string, sample sample) {
	as := k.kind.name
	if sample.public {
		as = nobody // players send no token
	}
	got := k.call(as, path, sample)
	if sample.foreign && as != nobody {
		if got.StatusCode != http.StatusForbidden {
			k.t.Errorf("%s %s shows something of another account: %d %.200s", sample.method, path, got.StatusCode, got.body)
		}
		return
	}
	switch got.StatusCode {
	case http.StatusOK, http.StatusCreated, http.StatusNoContent, http.StatusFound, http.StatusTemporaryRedirect:
	default:
		if sample.perishable && (got.StatusCode == http.StatusForbidden || got.StatusCode == http.StatusConflict) {
			return
		}
		if as == nobody && strings.HasPrefix(path, "/v1/content-warnings/") && got.StatusCode == http.StatusUnauthorized {
			return // clients need this link in every document, but following it needs a token
		}
		k.t.Errorf("the link %s is shown, and %s %s answers %d %.200s", rel, sample.method, path, got.StatusCode, got.body)
	}
	if got.StatusCode == http.StatusOK && got.Header.Get("Content-Type") == "application/hal+json" {
		k.follow(path, got)
	}
}

func (k *walk) wantForbidden(name, address string) {
	for _, sample := range samples()[name] {
		if sample.public || sample.unlinked {
			continue
		}
		path := sample.fill(pathForm(address)) + sample.query
		if got := k.call(k.kind.name, path, sample); got.StatusCode != k.kind.refusal && (!sample.conflict || got.StatusCode != http.StatusConflict) {
			k.t.Errorf("the link %s is not shown, and %s %s answers %d %.200s, want %d", name, sample.method, path, got.StatusCode, got.body, k.kind.refusal)
		}
	}
}

func (k *walk) call(as, path string, sample sample) *answer {
	return k.w.send(k.t, sample.at(as, path))
}

// targetOf returns the relation that a link leads to. Resources link to themselves as self, and the next page of a feed
// is a page of that feed.
func targetOf(link link) string {
	if link.rel == "next" && strings.Contains(link.href, "/removed-videos?") {
		return "removedVideos"
	}
	if link.rel == "next" {
		return "videoFeed"
	}
	if link.rel != "self" {
		return link.rel
	}
	path := must(url.Parse(link.href)).Path
	for name, address := range hal.Relations() {
		if sampleOf(name).method != "" {
			continue
		}
		if before, after, ok := strings.Cut(pathForm(address), "{id}"); ok && after == "" && before == path[:strings.LastIndex(path, "/")+1] {
			return name
		}
	}
	for name, address := range hal.Relations() {
		if pathForm(address) == path && sampleOf(name).method == "" {
			return name
		}
	}
	return link.rel
}
