package rest_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// The sunset dates that the operator sets in these tests.
const (
	dropped   = "2027-06-30"
	postponed = "2027-09-30"
)

func date(text string) catalogue.Date { return must(catalogue.ParseDate(text)) }

// newDeprecating opens a world that counts deprecated use. It also returns a function that writes the counts.
func newDeprecating(t *testing.T, o options) (w *world, written func()) {
	t.Helper()
	var register *deprecation.Register
	before := o.config
	o.config = func(config *wiring) {
		if before != nil {
			before(config)
		}
		register = deprecation.New(deprecation.Config{
			Roster: func() *account.Roster { return w.auth.Roster() }, Uses: lazyDeprecations{func() store.Deprecations { return w.accounts }},
			Every: time.Hour, Now: config.Now,
		})
		config.Deprecations = register
	}
	w = newWorld(t, o)
	return w, func() {
		ended, end := context.WithCancel(t.Context())
		end()
		register.Run(ended) // writes once more
	}
}

// lazyDeprecations finds its store only once the world is open.
type lazyDeprecations struct{ of func() store.Deprecations }

func (l lazyDeprecations) AddDeprecatedUses(ctx context.Context, uses []account.DeprecatedUse) error {
	return l.of().AddDeprecatedUses(ctx, uses)
}

// putDecisions stores decisions of the operator and refreshes the world's roster.
func (w *world) putDecisions(t *testing.T, decisions ...account.Entity) {
	t.Helper()
	check(authtest.Put(t.Context(), w.accounts, decisions...))
	check(w.auth.Refresh(t.Context()))
}

// useCounts returns how often each client used an item.
func (w *world) useCounts(t *testing.T, key string) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	for _, use := range must(w.accounts.DeprecatedUses(t.Context(), store.DeprecatedUseQuery{Item: key, Limit: 100})) {
		counts[use.Account+"/"+use.Client] += use.Count
	}
	return counts
}

const ageRangeKey = "video-search.age_range"

// TestDeprecatedParametersAreAnnounced proves that an answer announces a deprecated parameter if and only if the request has
// it with a value, whatever the status of the answer.
func TestDeprecatedParametersAreAnnounced(t *testing.T) {
	w, written := newDeprecating(t, options{index: func(index search.Index) search.Index { return brokenIndex{index} }})
	channel := string(idOf("harbour"))
	tag := w.get(t, customer, "/v1/videos?age_range_min=5&size=1").Header.Get("Etag")
	for _, one := range []struct {
		apiRequest
		status int
		keys   []string
	}{
		{apiRequest{path: "/v1/videos?age_range_min=5"}, 200, []string{"video-search.age_range_min"}},
		{apiRequest{path: "/v1/videos?age_range_max=7"}, 200, []string{"video-search.age_range_max"}},
		{apiRequest{path: "/v1/videos?age_range=5-7&age_range=,9-11"}, 200, []string{ageRangeKey}},
		{apiRequest{path: "/v1/videos?age_range_facets=5-7"}, 200, []string{"video-search.age_range_facets"}},
		{apiRequest{path: "/v1/videos?content_partner=" + channel}, 200, []string{"video-search.content_partner"}},
		{apiRequest{path: "/v1/videos?channel=harbour+FILMS"}, 200, []string{"video-search.channel_name"}},
		{apiRequest{path: "/v1/videos?channel=" + channel + ",No+such+channel"}, 200, []string{"video-search.channel_name"}},
		{apiRequest{path: "/v1/videos?age%5Frange=5-7&channel=x"}, 200, []string{ageRangeKey, "video-search.channel_name"}},
		{apiRequest{path: "/v1/videos?age_range=5-7", method: "HEAD"}, 200, []string{ageRangeKey}},
		{apiRequest{path: "/v1/videos?age_range_min=5&size=1", header: map[string]string{"If-None-Match": tag}}, 304, []string{"video-search.age_range_min"}},
		{apiRequest{path: "/v1/videos?age_range_min=none"}, 400, []string{"video-search.age_range_min"}},
		{apiRequest{path: "/v1/videos?query=x&size=0&age_range_min=5"}, 400, []string{"video-search.age_range_min"}},
		{apiRequest{path: "/v1/videos?query=away&age_range=5-7"}, 503, []string{ageRangeKey}},

		{apiRequest{path: "/v1/videos?age_range=&age_range_min=&age_range_max=+&age_range_facets=,&content_partner=&channel="}, 200, nil},
		{apiRequest{path: "/v1/videos?channel=" + channel}, 200, nil},
		{apiRequest{path: "/v1/videos?channel=" + channel + "&channel=ffffffffffffffffffffffff"}, 200, nil}, // IDs only, even of an unknown channel
		{apiRequest{path: "/v1/videos?query=age_range&duration=PT1M"}, 200, nil},
		{apiRequest{path: "/v1/channels?age_range=5-7&name=Harbour"}, 200, nil},
		{apiRequest{path: pathOf("floating")}, 200, nil}, // its answer contains deprecated fields for every caller
	} {
		one.as = customer
		got := w.send(t, one.apiRequest)
		if got.StatusCode != one.status {
			t.Errorf("%s: status %d, want %d", one.path, got.StatusCode, one.status)
		}
		checkReported(t, one.path, got.Header, one.keys, "")
	}
	written()
	total := map[string]int64{}
	for _, item := range deprecation.Items() {
		for who, count := range w.useCounts(t, item.Key) {
			if who != customer+"/"+customer {
				t.Errorf("%s was used by %s", item.Key, who)
			}
			total[item.Key] += count
		}
	}
	want := map[string]int64{
		"video-search.age_range_min": 5, "video-search.age_range_max": 1, ageRangeKey: 4,
		"video-search.age_range_facets": 1, "video-search.content_partner": 1, "video-search.channel_name": 3,
	}
	if diff := cmp.Diff(want, total); diff != "" {
		t.Errorf("what was counted (-want +got):\n%s", diff)
	}
}

// checkReported checks the deprecation headers of an answer: the announced items, and the sunset date, "" for none.
func checkReported(t *testing.T, what string, header http.Header, keys []string, sunset string) {
	t.Helper()
	var since, day string
	var links []string
	for _, key := range keys {
		item := deprecation.ItemOf(key)
		since = "@1795305600" // 2026-11-22
		if link := "<" + base + item.Documentation + `>; rel="deprecation"; type="text/html"`; !slices.Contains(links, link) {
			links = append(links, link)
		}
	}
	if sunset != "" {
		day = date(sunset).Start().Format(http.TimeFormat)
		links = append(links, "<"+base+deprecation.PolicyPage+`>; rel="sunset"; type="text/html"`)
	}
	if header.Get("Deprecation") != since || header.Get("Sunset") != day || !slices.Equal(header["Link"], links) {
		t.Errorf("%s: Deprecation %q, Sunset %q, Link %q\nwant %q, %q, %q", what, header["Deprecation"], header["Sunset"], header["Link"], since, day, links)
	}
}

// TestSunsetByClient proves that each client gets its own sunset date, also with a page that is cached for all
// clients, plain or compressed, and within a second of the operator's decision.
func TestSunsetByClient(t *testing.T) {
	w, _ := newDeprecating(t, options{})
	w.putDecisions(t,
		&account.Deprecation{ID: ageRangeKey, Sunset: date(dropped), Postponed: []account.Postponement{{Client: teacher, Sunset: date(postponed)}}},
		&account.Deprecation{ID: "video-search.age_range_min", Sunset: date("2028-01-01")})
	const page = "/v1/videos?size=50&age_range=5-7"
	compressed := map[string]string{"Accept-Encoding": "gzip"}
	for _, one := range []struct {
		as, sunset string
		header     map[string]string
	}{
		{teacher, postponed, nil}, {customer, dropped, nil}, {teacher, postponed, nil},
		{teacher, postponed, compressed}, {customer, dropped, compressed}, {teacher, postponed, compressed},
		{pupil, dropped, nil}, // a user's token of the customer's client
	} {
		missed := w.pages.missed.Load()
		got := w.send(t, apiRequest{as: one.as, path: page, header: one.header})
		checkReported(t, one.as, got.Header, []string{ageRangeKey}, one.sunset)
		if tag := got.Header.Get("Etag"); one.as != pupil {
			again := w.send(t, apiRequest{as: one.as, path: page, header: map[string]string{"If-None-Match": tag}})
			checkReported(t, one.as+" again", again.Header, []string{ageRangeKey}, one.sunset)
			if again.StatusCode != http.StatusNotModified {
				t.Errorf("%s again: status %d", one.as, again.StatusCode)
			}
		}
		if one.as == customer && one.header == nil && w.pages.missed.Load() != missed {
			t.Error("the page is not the one that is remembered, so this proves nothing")
		}
	}
	both := []string{ageRangeKey, "video-search.age_range_min"}
	checkReported(t, "the earlier of two days", w.get(t, customer, page+"&age_range_min=1").Header, both, dropped)
	checkReported(t, "a day of one of two", w.get(t, customer, page+"&channel=x").Header, []string{ageRangeKey, "video-search.channel_name"}, dropped)
	checkReported(t, "nothing deprecated, the same page", w.get(t, customer, "/v1/videos?size=50").Header, nil, "")
}

// TestDeprecatedUseIsCountedByClient proves that use is counted for the client that called, also under concurrent requests.
func TestDeprecatedUseIsCountedByClient(t *testing.T) {
	w, written := newDeprecating(t, options{})
	for _, as := range []string{customer, teacher, pupil} {
		w.token(t, as)
	}
	var calling sync.WaitGroup
	for range 10 {
		for _, as := range []string{customer, teacher, pupil} {
			calling.Go(func() { w.get(t, as, "/v1/videos?age_range=5-7&size=1") })
		}
	}
	calling.Wait()
	w.get(t, stranger, "/v1/videos?age_range=5-7") // lacks the permission
	written()
	want := map[string]int64{customer + "/" + customer: 20, teacher + "/" + teacher: 10, stranger + "/" + stranger: 1}
	if diff := cmp.Diff(want, w.useCounts(t, ageRangeKey)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	written()
	if diff := cmp.Diff(want, w.useCounts(t, ageRangeKey)); diff != "" {
		t.Errorf("what was written is written again (-want +got):\n%s", diff)
	}
}

// TestDeprecationsByGraphQL proves that selecting a deprecated field counts as use and is announced in the answer.
func TestDeprecationsByGraphQL(t *testing.T) {
	w, written := newDeprecating(t, options{})
	w.putDecisions(t, &account.Deprecation{ID: "video.age_range", Sunset: date(dropped)})
	query := func(as, text string) *answer {
		return w.send(t, apiRequest{as: as, method: "POST", path: "/graphql", body: `{"query":` + quote(text) + `}`, header: map[string]string{"Content-Type": "application/json"}})
	}
	video := `{ video(id: "` + string(idOf("floating")) + `") { `
	checkReported(t, "a field", query(customer, video+"ageRange { label } } }").Header, []string{"video.age_range"}, dropped)
	checkReported(t, "another", query(customer, video+"additionalDescription } }").Header, []string{"video.additional_description"}, "")
	checkReported(t, "none", query(customer, video+"title } }").Header, nil, "")
	checkReported(t, "a query that is none", query(customer, "{ ageRange }").Header, nil, "")
	written()
	if diff := cmp.Diff(map[string]int64{customer + "/" + customer: 1}, w.useCounts(t, "video.age_range")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// TestDeprecationHeadersAreExposed proves that pages of allowed origins may read the deprecation headers.
func TestDeprecationHeadersAreExposed(t *testing.T) {
	w, _ := newDeprecating(t, options{})
	got := w.send(t, apiRequest{as: customer, path: "/v1/videos?age_range=5-7", header: map[string]string{"Origin": schoolOrigin}})
	for _, name := range []string{"Deprecation", "Sunset", "Link"} {
		if !strings.Contains(strings.Join(got.Header.Values("Access-Control-Expose-Headers"), ","), name) {
			t.Errorf("%s cannot be read", name)
		}
	}
}

// TestAnonymousDeprecatedUse proves that use without a token is announced with the general sunset date and does not
// fail.
func TestAnonymousDeprecatedUse(t *testing.T) {
	call := &deprecation.Call{Register: deprecation.New(deprecation.Config{Roster: func() *account.Roster {
		return account.NewRoster([]account.Entity{&account.Deprecation{
			ID: ageRangeKey, Sunset: date(dropped), Postponed: []account.Postponement{{Client: teacher, Sunset: date(postponed)}},
		}})
	}})}
	deprecation.Note(context.WithValue(t.Context(), deprecation.CallKey{}, call), deprecation.ItemOf(ageRangeKey))
	header := http.Header{}
	call.Announce(header, func() string { return base })
	checkReported(t, "nobody", header, []string{ageRangeKey}, dropped)
}

func TestGoldenDeprecations(t *testing.T) {
	w, _ := newDeprecating(t, options{})
	w.putDecisions(t, &account.Deprecation{
		ID: ageRangeKey, Sunset: date(dropped), Postponed: []account.Postponement{{Client: teacher, Sunset: date(postponed)}},
	})
	checkGolden(t, w, []golden{
		{"deprecated-parameter", apiRequest{as: customer, path: "/v1/videos?size=1&age_range=0-150"}},
		{"deprecated-parameter-postponed", apiRequest{as: teacher, path: "/v1/videos?size=1&age_range=0-150"}},
		{"deprecated-parameter-refused", apiRequest{as: customer, path: "/v1/videos?age_range=old"}},
		{"deprecated-channel-name", apiRequest{as: customer, path: "/v1/videos?size=1&channel=" + url.QueryEscape("Harbour Films")}},
	})
}

// TestDeprecatedMarks proves that the OpenAPI document marks exactly the items of the deprecation table.
func TestDeprecatedMarks(t *testing.T) {
	d := newDescribed(false)
	var marked, want []string
	for path, item := range d.at("paths") {
		for method, operation := range item.(map[string]any) {
			parameters, _ := operation.(map[string]any)["parameters"].([]any)
			for _, one := range parameters {
				parameter := one.(map[string]any)
				name, _ := parameter["name"].(string)
				place := strings.ToUpper(method) + " " + path + " " + name
				if parameter["deprecated"] == true {
					marked = append(marked, place)
				}
				if item := deprecation.OfParameter(strings.ToUpper(method), path, name); item != nil && item.ByValue {
					marked = append(marked, place) // deprecated for some values only
				}
			}
		}
	}
	for name, schema := range d.at("components", "schemas") {
		marked = append(marked, markedIn(schema, name)...)
	}
	for _, item := range deprecation.Items() {
		want = append(append(want, item.Parameters...), item.Answers...)
	}
	slices.Sort(marked)
	slices.Sort(want)
	if diff := cmp.Diff(want, marked); diff != "" {
		t.Errorf("(-table +document):\n%s", diff)
	}
}

// markedIn lists the members that a schema marks as deprecated, such as Video.ageRange.min.
func markedIn(part any, place string) (marked []string) {
	switch part := part.(type) {
	case map[string]any:
		if part["deprecated"] == true {
			marked = append(marked, place)
		}
		for name, inner := range part {
			if name != "properties" {
				marked = append(marked, markedIn(inner, place)...)
				continue
			}
			for member, schema := range inner.(map[string]any) {
				marked = append(marked, markedIn(schema, place+"."+member)...)
			}
		}
	case []any:
		for _, inner := range part {
			marked = append(marked, markedIn(inner, place)...)
		}
	}
	return marked
}

// TestDocumentationOfDeprecations proves that each item links to an operation of the API page.
func TestDocumentationOfDeprecations(t *testing.T) {
	operations := map[string]bool{}
	for _, item := range newDescribed(false).at("paths") {
		for _, one := range item.(map[string]any) {
			operation := one.(map[string]any)
			tag := operation["tags"].([]any)[0].(string)
			operations["/docs/reference#tag/"+strings.ReplaceAll(strings.ToLower(tag), " ", "-")+"/"+operation["operationId"].(string)] = true
		}
	}
	for _, item := range deprecation.Items() {
		if !operations[item.Documentation] {
			t.Errorf("%s: there is no %s", item.Key, item.Documentation)
		}
	}
}
