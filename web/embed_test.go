package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/web"
)

// opener answers every call with the result that the test sets.
type opener struct {
	opened embed.Opened
	err    error
}

func (o opener) Open(context.Context, string, url.Values) (embed.Opened, error) {
	return o.opened, o.err
}

func (o opener) Renew(context.Context, string, url.Values) (embed.Opened, error) {
	return o.opened, o.err
}

func opened() embed.Opened {
	return embed.Opened{
		Grant:   embed.Grant{Video: "0123456789abcdef01234567", Client: "lms", Start: 1.5, End: 9},
		Found:   embed.Found{ID: "0123456789abcdef01234567", Title: `Ships & "boats" <script>`},
		Origins: []string{"https://lessons.example", "https://library.example"}, Token: "a-token", Life: time.Minute,
		Viewing: "a.viewing&",
	}
}

func serve(handler http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	w.Header().Set("Access-Control-Allow-Origin", "https://lessons.example")
	w.Header().Set("Access-Control-Allow-Credentials", "true")
	handler.ServeHTTP(w, r)
	return w
}

const embedPath = "/embed/0123456789abcdef01234567?client=lms&signature=s"

// wantClosed checks the headers that every answer about an embed needs: caches do not store it, other origins do not
// read it, and no other site learns its URL.
func wantClosed(t *testing.T, what string, w *httptest.ResponseRecorder, ancestors string) {
	t.Helper()
	header := w.Header()
	policy := header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "form-action 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: the policy %q lacks %q", what, policy, part)
		}
	}
	if !strings.HasSuffix(policy, "; frame-ancestors "+ancestors) || header.Get("Referrer-Policy") != "no-referrer" || header.Get("Cache-Control") != "no-store" ||
		header.Get("X-Content-Type-Options") != "nosniff" || header.Get("X-Frame-Options") != "" || header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%s: %v", what, header)
	}
}

func TestEmbedPage(t *testing.T) {
	w := serve(web.Embed(opener{opened: opened()}, nil), embedPath)
	wantClosed(t, "the page", w, "https://lessons.example https://library.example")
	body := w.Body.String()
	for _, part := range []string{
		`<filmstrip-player start="1.5" end="9">`, `data-token="a-token"`, `data-video="0123456789abcdef01234567"`,
		`data-renew="0123456789abcdef01234567/token?client=lms&amp;signature=s&amp;viewing=a.viewing%26"`, "<title>Ships &amp; &#34;boats&#34; &lt;script&gt;</title>",
	} {
		if !strings.Contains(body, part) {
			t.Errorf("the page lacks %s: %s", part, body)
		}
	}
	if w.Code != http.StatusOK || inline.MatchString(body) {
		t.Errorf("got %d %s", w.Code, body)
	}
}

// inline matches scripts and styles that no content security policy of the service permits.
var inline = regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style| on\w+=| style=`)

func TestEmbedToken(t *testing.T) {
	w := serve(web.Embed(opener{opened: opened()}, nil), strings.Replace(embedPath, "?", "/token?", 1))
	wantClosed(t, "the token", w, "'none'")
	var body struct {
		Token     string
		ExpiresIn int
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Token != "a-token" || body.ExpiresIn != 60 ||
		w.Header().Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Errorf("got %s %v", w.Body, w.Header())
	}
}

// TestEmbedRefusals checks that browsers get a page and programs the error body. If the creator of the URL is known,
// the page may be framed like the video.
func TestEmbedRefusals(t *testing.T) {
	known := opened()
	for name, test := range map[string]struct {
		opener
		status int
		says   string
	}{
		"tampered": {opener{err: fault.Errorf(fault.Forbidden, "not signed")}, 403, "not valid"},
		"over":     {opener{known, &fault.Error{Code: fault.Forbidden, Message: "over", Cause: embed.ErrExpired}}, 410, "has expired"},
		"ended":    {opener{embed.Opened{Grant: known.Grant}, fault.Errorf(fault.Forbidden, "ended")}, 403, "no longer"},
		"gone":     {opener{known, fault.Errorf(fault.NotFound, "gone")}, 404, "no longer exists"},
		"away":     {opener{known, fault.Errorf(fault.Unavailable, "away")}, 503, "temporarily unavailable"},
	} {
		ancestors := "'none'"
		if test.opened.Origins != nil {
			ancestors = strings.Join(test.opened.Origins, " ")
		}
		page := serve(web.Embed(test.opener, nil), embedPath, "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		wantClosed(t, name, page, ancestors)
		if page.Code != test.status || !strings.Contains(page.Body.String(), test.says) || !strings.HasPrefix(page.Header().Get("Content-Type"), "text/html") ||
			inline.MatchString(page.Body.String()) || (page.Header().Get("Retry-After") != "") != (test.status == 503) {
			t.Errorf("%s: got %d %s", name, page.Code, page.Body)
		}
		for _, w := range []*httptest.ResponseRecorder{
			serve(web.Embed(test.opener, nil), embedPath, "Accept", "application/json"),
			serve(web.Embed(test.opener, nil), strings.Replace(embedPath, "?", "/token?", 1), "Accept", "text/html"),
		} {
			var body struct{ Status int }
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != test.status || body.Status != test.status {
				t.Errorf("%s: got %d %s", name, w.Code, w.Body)
			}
		}
	}
	if w := serve(web.Embed(opener{err: errors.New("a secret")}, nil), embedPath); w.Code != 500 || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestEmbedFiles(t *testing.T) {
	handler := web.Embed(opener{err: fault.Errorf(fault.Forbidden, "not signed")}, nil)
	for _, path := range []string{"/embed/embed.js", "/embed/embed.css"} {
		if w := serve(handler, path); w.Code != http.StatusOK || w.Header().Get("Etag") == "" {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
	for _, path := range []string{"/embed/", "/embed/a/b", "/embed/a/b/token", "/embed/a/token/"} {
		if w := serve(handler, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
	for _, path := range []string{"/embed/watch.js", "/embed/embed.html", "/embed/%2e%2e", "/embed/x?%zz"} { // no signed URLs
		if w := serve(handler, path); w.Code != http.StatusForbidden {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
}

func TestWatchPage(t *testing.T) {
	handler := web.Watch("a-client", "https://auth.example/base/")
	w := serve(handler, "/watch/0123456789abcdef01234567")
	body, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
	for _, part := range []string{`data-client="a-client"`, `data-auth="https://auth.example/base"`, `action="https://auth.example/base/v1/logout"`, `<html lang="en">`} {
		if !strings.Contains(body, part) {
			t.Errorf("the page lacks %s: %s", part, body)
		}
	}
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "form-action 'self' https://auth.example;"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q lacks %q", policy, part)
		}
	}
	if w.Code != http.StatusOK || inline.MatchString(body) || w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
	if here := serve(web.Watch("a-client", ""), "/watch/1001").Body.String(); !strings.Contains(here, `data-auth=".."`) {
		t.Errorf("got %s", here)
	}
	for path, want := range map[string]int{
		"/watch/callback?code=1": 200, "/watch/watch.js": 200, "/watch/pkce.js": 200, "/watch/watch.css": 200,
		"/watch/": 404, "/watch/video": 404, "/watch/watch.html": 404, "/watch/embed.js": 404, "/watch/0123456789abcdef01234567/": 404,
	} {
		if w := serve(handler, path); w.Code != want {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
	for _, path := range []string{"/watch/0123456789abcdef01234567", "/watch/watch.js"} {
		w := serve(web.Watch("", ""), path)
		var body struct{ Status int }
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusNotFound || body.Status != http.StatusNotFound {
			t.Errorf("%s without a client: got %d %s", path, w.Code, w.Body)
		}
	}
}
