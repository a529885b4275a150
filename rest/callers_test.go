package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// TestInvalidUserIDs proves that every request with a user ID that is too long or repeated is refused before
// authentication.
func TestInvalidUserIDs(t *testing.T) {
	protected := newWorld(t, options{empty: true})
	open := newWorld(t, options{empty: true, config: func(c *wiring) { c.Anonymous = true }})
	for name, w := range map[string]*world{"protected": protected, "open": open} {
		for _, path := range append(getRoutes(t), "/v1/nothing", "/v1/token", "/graphql") {
			for _, as := range []string{customer, nobody} {
				for _, values := range [][]string{{strings.Repeat("é", 65)}, {"a", "b"}, {"a", "a"}, {"\xff"}} {
					r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
					if path == "/v1/token" || path == "/graphql" {
						r.Method = http.MethodPost
						r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
					}
					if as != nobody {
						r.Header.Set("Authorization", "Bearer "+w.token(t, as))
					}
					r.Header["Service-User-Id"] = values
					recorder := httptest.NewRecorder()
					w.handler.ServeHTTP(recorder, r)
					if recorder.Code != http.StatusBadRequest {
						t.Errorf("%s: %s as %q with %.20q: got %d %s", name, path, as, values, recorder.Code, recorder.Body)
					}
				}
			}
		}
		got := w.send(t, apiRequest{as: customer, path: "/v1/", header: map[string]string{"Service-User-Id": strings.Repeat("é", 64)}})
		if got.StatusCode != http.StatusOK {
			t.Errorf("%s: 64 characters: got %d %s", name, got.StatusCode, got.body)
		}
	}
}

// TestExpiryIsReportedOnce proves that reports leave one note a day, whatever their bodies, and that a failed report is
// not retried without the caller.
func TestExpiryIsReportedOnce(t *testing.T) {
	var notes atomic.Int64
	var away atomic.Bool
	w := newWorld(t, options{empty: true, registry: func(r store.Registry) store.Registry {
		return countingNotes{Registry: r, notes: &notes, away: &away}
	}})
	report := func(body, contentType string) *answer {
		return w.send(t, apiRequest{as: lapsed, method: http.MethodPost, path: "/v1/events/expired-user-access", body: body, header: map[string]string{"Content-Type": contentType}})
	}
	for _, body := range []string{"", "{}", "no JSON", strings.Repeat("x", 100_000)} {
		got := report(body, "application/x-www-form-urlencoded")
		if got.StatusCode != http.StatusCreated || len(got.body) != 0 || got.Header.Get("Content-Length") != "0" || got.Header.Get("Etag") != "" {
			t.Errorf("%.20q: got %d %v %s", body, got.StatusCode, got.Header, got.body)
		}
	}
	if trail := must(w.accounts.Audit(t.Context(), store.AuditQuery{Owner: lapsed}, 0, 100)); len(notesIn(trail)) != 1 {
		t.Errorf("the audit log shows %d times", len(notesIn(trail)))
	}
	away.Store(true)
	before := notes.Load()
	wantRejection(t, report("", ""), http.StatusServiceUnavailable)
	if calls := notes.Load() - before; calls != 1 {
		t.Errorf("one report is tried %d times", calls)
	}
}

// countingNotes counts notes, and fails while it is away.
type countingNotes struct {
	store.Registry
	notes *atomic.Int64
	away  *atomic.Bool
}

func (n countingNotes) Note(ctx context.Context, actor account.Actor, key account.EntityKey, note []byte) error {
	n.notes.Add(1)
	if n.away.Load() {
		return fault.Errorf(fault.Unavailable, "the store does not answer")
	}
	return n.Registry.Note(ctx, actor, key, note)
}

func notesIn(trail []account.AuditEntry) (notes []account.AuditEntry) {
	for _, entry := range trail {
		if strings.Contains(string(entry.After), "accessExpiredReported") {
			notes = append(notes, entry)
		}
	}
	return notes
}

// TestPagesOfAccounts proves that a page of any account may send preflights, because the account is not known yet, and
// may read refused tokens; only pages of the caller's own account may read other answers.
func TestPagesOfAccounts(t *testing.T) {
	w := shared()
	readable := func(a apiRequest) bool {
		a.header = map[string]string{"Origin": seasideOrigin}
		if a.method == http.MethodOptions {
			a.header["Access-Control-Request-Method"] = http.MethodGet
		}
		header := w.send(t, a).Header
		allowed := header.Get("Access-Control-Allow-Origin") == seasideOrigin
		if allowed != (header.Get("Access-Control-Allow-Credentials") == "true") || !strings.Contains(strings.Join(header.Values("Vary"), ","), "Origin") {
			t.Errorf("%s %s as %s: %v", a.method, a.path, a.as, header)
		}
		return allowed
	}
	for _, path := range []string{"/v1/", pathOf("boats"), "/v1/videos?size=0", "/v1/nothing", pathOf("secretVideo"), "/v1/videos/metadata"} {
		for as, want := range map[string]bool{seaside: true, customer: false, viewer: false, operator: false, nobody: true} {
			if got := readable(apiRequest{as: as, path: path}); got != want {
				t.Errorf("%s as %q: a page of the account seaside may read the answer: %v", path, as, got)
			}
		}
		if !readable(apiRequest{method: http.MethodOptions, path: path}) {
			t.Errorf("a preflight of %s is refused", path)
		}
	}
	if !readable(apiRequest{method: http.MethodPost, path: "/v1/token", body: "x"}) {
		t.Error("a page cannot exchange its code")
	}
	if readable(apiRequest{as: customer, method: http.MethodPost, path: "/graphql", body: "{}"}) {
		t.Error("another mount is read by pages of another account")
	}
	for _, as := range []string{seaside, customer} { // an origin of the service itself is allowed for every account
		got := w.send(t, apiRequest{as: as, path: "/v1/", header: map[string]string{"Origin": schoolOrigin}})
		if got.Header.Get("Access-Control-Allow-Origin") != schoolOrigin {
			t.Errorf("as %s: %v", as, got.Header)
		}
	}
}

// TestCachedPagesRevealNothing proves that neither a cached page nor a known entity tag gives a caller anything that another
// caller may see or do.
func TestCachedPagesRevealNothing(t *testing.T) {
	w := newWorld(t, options{})
	paths := []string{
		"/v1/", "/v1/videos", "/v1/videos?include_channel_facets=true", "/v1/feed/videos", "/v1/subjects", "/v1/disciplines",
		"/v1/channels", "/v1/suggestions?query=boat", pathOf("floating"), pathOf("boats"), pathOf("boats") + "/transcript",
		"/v1/channels/" + string(idOf("lab")), "/v1/videos?content_package=seaside",
	}
	callers := []string{customer, seaside, viewer, stranger, operator, lapsed}
	worlds := map[string]*world{} // one world for each caller
	for _, as := range callers {
		worlds[as] = newWorld(t, options{})
	}
	for _, path := range paths {
		alone := map[string]*answer{}
		for _, as := range callers {
			alone[as] = worlds[as].get(t, as, path)
		}
		for range 2 { // rendered first, then cached
			for _, as := range callers {
				if got := w.get(t, as, path); string(withoutVolatile(got)) != string(withoutVolatile(alone[as])) || got.StatusCode != alone[as].StatusCode {
					t.Errorf("%s as %s: got %d %.300s, alone %d %.300s", path, as, got.StatusCode, got.body, alone[as].StatusCode, alone[as].body)
				}
			}
		}
		for _, as := range callers {
			tag := w.get(t, as, path).Header.Get("Etag")
			for _, other := range callers {
				if tag == "" || string(withoutVolatile(alone[as])) == string(withoutVolatile(alone[other])) {
					continue
				}
				got := w.send(t, apiRequest{as: other, path: path, header: map[string]string{"If-None-Match": tag}})
				if got.StatusCode == http.StatusNotModified {
					t.Errorf("%s: %s gets 304 for what %s was shown", path, other, as)
				}
			}
		}
	}
}

// withoutVolatile returns the body of an answer without the parts that depend on the time or the signing key.
func withoutVolatile(a *answer) []byte {
	body := a.body
	for _, part := range volatile {
		body = part.form.ReplaceAll(body, []byte(part.by))
	}
	return errorTime.ReplaceAll(body, nil)
}

var errorTime = regexp.MustCompile(`"timestamp":"[^"]*"`)
