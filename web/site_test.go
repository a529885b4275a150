package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/web"
)

// ask sends a request to a handler. accept is its Accept header.
func ask(handler http.Handler, path, accept string) *httptest.ResponseRecorder {
	r, w := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
	r.Header.Set("Accept", accept)
	handler.ServeHTTP(w, r)
	return w
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// TestLandingPageOfADemo verifies that the page shows the accounts and videos of a demo, escaped.
func TestLandingPageOfADemo(t *testing.T) {
	site := web.Site(web.SiteConfig{
		Base: func() string { return "http://127.0.0.1:8080" }, Version: "1.2.3",
		Demo: func(context.Context) *web.DemoView {
			return &web.DemoView{
				User: "teacher", Secret: "demo-secret",
				Clients: []web.DemoClient{{ID: "demo", Name: "A district", Sees: "Everything"}, {ID: "demo-plus", Name: "Others & more", Sees: "<less>"}},
				Catalogue: &web.DemoCatalogue{
					VideoCount: 300, SubjectCount: 25, Play: "watch/1",
					Videos: []web.DemoVideo{{Title: `"Ice" & <water>`, Page: "watch/2", Poster: "v1/media/card/width/640/vid_slices/1/vid_slice/0"}},
				},
			}
		},
	})
	w := ask(site, "/", browser)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("got %d %v", w.Code, w.Header())
	}
	for _, part := range []string{
		"1.2.3", "300 videos", "25 subjects", "<code>teacher</code>", "<code>demo-secret</code>", "<code>demo-plus</code>", "Others &amp; more", "&lt;less&gt;",
		`href="watch/1"`, `href="watch/2"`, `src="v1/media/card/width/640/vid_slices/1/vid_slice/0"`, "&#34;Ice&#34; &amp; &lt;water&gt;",
		"http://127.0.0.1:8080/v1/token", "client_id=demo ", `href="docs"`, `href="explorer"`, `href="graphiql"`, `href="design/filmstrip.css"`,
	} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the page lacks %q:\n%s", part, w.Body)
		}
	}
}

// TestLandingPageRevealsNothing verifies that the page of an operator's server shows neither its version nor how to get in.
func TestLandingPageRevealsNothing(t *testing.T) {
	w := ask(web.Site(web.SiteConfig{Base: func() string { return "https://here.example" }, Version: "1.2.3"}), "/", browser)
	for _, part := range []string{"1.2.3", "secret", "here.example", "password"} {
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), part) {
			t.Errorf("got %d, with %q:\n%s", w.Code, part, w.Body)
		}
	}
}

// TestUnknownAddresses verifies that browsers get a page with status 404 whose links work at every depth, and that other
// clients get the error body.
func TestUnknownAddresses(t *testing.T) {
	site := web.Site(web.SiteConfig{})
	for path, root := range map[string]string{"/nothing": "", "/a/b": "../", "/a/b%2Fc/": "../../", "/<script>": ""} {
		w := ask(site, strings.ReplaceAll(path, "<", "%3C"), browser)
		page := w.Body.String()
		if w.Code != http.StatusNotFound || !strings.Contains(page, `href="`+root+`design/filmstrip.css"`) || !strings.Contains(page, `href="`+root+`docs"`) {
			t.Errorf("%s: got %d\n%s", path, w.Code, page)
		}
		if strings.Contains(page, "<script") {
			t.Errorf("%s: the address is not escaped:\n%s", path, page)
		}
	}
	for _, accept := range []string{"application/json", "*/*", "", "application/hal+json, text/html;q=0.1, application/json"} {
		if w := ask(site, "/nothing", accept); w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%q: got %d %v", accept, w.Code, w.Header())
		}
	}
}

func TestSiteFiles(t *testing.T) {
	for path, contentType := range map[string]string{
		"/favicon.ico": "image/vnd.microsoft.icon", "/robots.txt": "text/plain; charset=utf-8", "/design/filmstrip.css": "text/css; charset=utf-8",
		"/design/site.css": "text/css; charset=utf-8", "/design/logo.svg": "image/svg+xml",
	} {
		if w := ask(web.SiteFiles(), path, "*/*"); w.Code != http.StatusOK || w.Header().Get("Content-Type") != contentType || w.Body.Len() == 0 {
			t.Errorf("%s: got %d %v", path, w.Code, w.Header())
		}
	}
	if w := ask(web.SiteFiles(), "/design/nothing.css", "*/*"); w.Code != http.StatusNotFound {
		t.Errorf("got %d for a file that does not exist", w.Code)
	}
}
