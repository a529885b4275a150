package web_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/web"
)

// clientID, secret and token are the credentials and the access token of the tests' service.
const clientID, secret, token = "a-client", "a secret & more", "a-token"

// described is a small API with the description that a service publishes of itself.
func described(base func() string) http.Handler {
	router := http.NewServeMux()
	docs, explorer := web.Docs(), web.Explorer()
	for _, path := range []string{"/docs", "/docs/"} {
		router.Handle("GET "+path, docs)
	}
	for _, path := range []string{"/explorer", "/explorer/"} {
		router.Handle("GET "+path, explorer)
	}
	router.Handle("GET /design/", web.SiteFiles())
	answer := func(w http.ResponseWriter, status int, document any) {
		w.Header().Set("Content-Type", "application/hal+json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(document)
	}
	type object = map[string]any
	link := func(path string) object {
		return object{"href": base() + path, "templated": strings.Contains(path, "{")}
	}
	video := func() object {
		return object{
			"id": "7", "title": "Boats", "_links": object{"self": link("/v1/videos/7")},
			"playback": object{"_links": object{"createPlaybackEvent": link("/v1/events/playback")}},
		}
	}
	router.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		operation := func(summary string) object {
			return object{"get": object{"summary": summary, "tags": []string{"All"}, "operationId": operationIDs[summary], "security": []object{{"oauth2": []string{}}, {"token": []string{}}}, "responses": object{"200": object{
				"description": "Good.", "content": object{"application/hal+json": object{"schema": object{"type": "object", "properties": object{"id": object{"type": "string", "deprecated": true}}}}, "text/vtt": object{"schema": object{"type": "string"}}},
			}}}}
		}
		parameter := func(name, description string, schema object) object {
			return object{"name": name, "in": "query", "description": description, "schema": schema}
		}
		search := object{"get": object{"summary": "Search", "operationId": "search", "tags": []string{"All"}, "security": []object{{"token": []string{}}}, "responses": object{"200": object{"description": "Good."}}, "parameters": []object{
			parameter("query", "The `words`.", object{"type": "string"}),
			parameter("size", "The number of items.", object{"type": "integer", "minimum": 1, "maximum": 500, "default": 100}),
			parameter("type", "The types.", object{"type": "array", "items": object{"type": "string", "enum": []string{"INSTRUCTIONAL", "STOCK", ""}}}),
		}}}
		answer(w, http.StatusOK, object{
			"openapi": "3.1.1", "info": object{"title": "Small", "version": "1", "description": "A **small** API.", "license": object{"name": "None", "identifier": "0BSD"}},
			"servers": []object{{"url": base()}}, "tags": []object{{"name": "All", "description": "All of it."}},
			"paths": object{"/v1/": operation("Read the index"), "/v1/videos/7": operation("Read a video"), "/v1/videos": search},
			"components": object{"securitySchemes": object{
				"token":  object{"type": "http", "scheme": "bearer"},
				"oauth2": object{"type": "oauth2", "flows": object{"clientCredentials": object{"tokenUrl": base() + "/v1/token", "scopes": object{"profile": "Names."}}}},
			}},
		})
	})
	router.HandleFunc("POST /v1/token", func(w http.ResponseWriter, r *http.Request) {
		id, password, basic := r.BasicAuth()
		if !basic {
			id, password = r.FormValue("client_id"), r.FormValue("client_secret")
		}
		if id != clientID || password != secret {
			answer(w, http.StatusUnauthorized, object{"message": "wrong credentials"})
			return
		}
		answer(w, http.StatusOK, object{"access_token": token})
	})
	guarded := func(document func(r *http.Request) (int, any)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+token {
				answer(w, http.StatusUnauthorized, object{"message": "no token"})
				return
			}
			status, body := document(r)
			answer(w, status, body)
		}
	}
	router.HandleFunc("GET /v1/", guarded(func(*http.Request) (int, any) {
		return http.StatusOK, object{"_links": object{"searchVideos": link("/v1/videos{?query,size,type*}"), "tags": link("/v1/tags")}}
	}))
	router.HandleFunc("GET /v1/videos", guarded(func(r *http.Request) (int, any) {
		return http.StatusOK, object{"asked": r.URL.RawQuery, "_links": object{"self": link(r.URL.String())}, "_embedded": object{"videos": []object{video()}}}
	}))
	router.HandleFunc("GET /v1/videos/7", guarded(func(*http.Request) (int, any) { return http.StatusOK, video() }))
	router.HandleFunc("POST /v1/events/playback", guarded(func(*http.Request) (int, any) {
		return http.StatusBadRequest, object{"message": "videoId: is required"}
	}))
	return router
}

// operationIDs contains the operation IDs of the small API by summary.
var operationIDs = map[string]string{"Read the index": "getIndex", "Read a video": "getVideo"}

// staysHere checks that every request goes to the page's own origin.
func staysHere(t *testing.T, base string, requests []string) {
	t.Helper()
	for _, request := range requests {
		if _, address, _ := strings.Cut(request, " "); !strings.HasPrefix(address, base+"/") && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page left its origin: %s", request)
		}
	}
}

// TestDocsPages checks the pages of the documentation: the guides, a search of them, and the API reference.
func TestDocsPages(t *testing.T) {
	get := func(address string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, address, nil)
		r.Header.Set("Accept", "text/html")
		web.Docs().ServeHTTP(w, r)
		return w
	}
	for address, want := range map[string][]string{
		"/docs":                      {"<title>Documentation - Filmstrip</title>", `<a href="docs/quickstart">Quickstart</a>`, `href="design/guides.css"`},
		"/docs/quickstart":           {"<title>Quickstart - Filmstrip</title>", `<a href="search">all filters</a>`, `<a href="../docs/errors"`, ">JavaScript</label>"},
		"/docs?q=idempotent+retries": {`<a href="docs/events#idempotent-retries">Idempotent retries</a>`},
		"/docs?q=%3Cscript%3E+xyzzy": {"No section contains these words.", "&lt;script&gt; xyzzy"},
		"/docs/reference":            {"<title>API reference - Filmstrip</title>", `aria-current="page">Documentation</a>`},
	} {
		w := get(address)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: got %d %v", address, w.Code, w.Header())
		}
		for _, part := range append(want, `<html lang="en">`) {
			if !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s lacks %q", address, part)
			}
		}
		policy := w.Header().Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q lacks %q", address, policy, part)
			}
		}
		for _, reference := range references.FindAllStringSubmatch(w.Body.String(), -1) {
			if file := path.Join(path.Dir("/docs/reference"), reference[1]); address == "/docs/reference" && strings.HasPrefix(file, "/docs/") && get(file).Code != http.StatusOK {
				t.Errorf("%s is not there", file)
			}
		}
	}
	for _, address := range []string{"/docs/nothing", "/docs/index.html", "/docs/README"} {
		if w := get(address); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d", address, w.Code)
		}
	}
	if w := get("/docs/"); w.Code != http.StatusPermanentRedirect || w.Header().Get("Location") != "../docs" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
	if !strings.Contains(get("/docs/LICENSES").Body.String(), "@scalar/api-reference 1.46.4: MIT") {
		t.Error("the licences lack the viewer's")
	}
}

// TestLinksOfGuides follows the links of all guides as a browser does. In the text of a guide, every internal link leads
// to the documentation.
func TestLinksOfGuides(t *testing.T) {
	handler := web.Docs()
	get := func(address *url.URL) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address.RequestURI(), nil))
		if location := w.Header().Get("Location"); location != "" {
			target, err := address.Parse(location)
			if err != nil {
				t.Fatal(err)
			}
			w = httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target.RequestURI(), nil))
		}
		return w
	}
	for queue, met := []string{"/docs"}, map[string]bool{"/docs": true}; len(queue) > 0; queue = queue[1:] {
		page := &url.URL{Path: queue[0]}
		w := get(page)
		if w.Code != http.StatusOK {
			t.Errorf("%s: got %d", page, w.Code)
			continue
		}
		before, text, _ := strings.Cut(w.Body.String(), "<article>")
		text, after, _ := strings.Cut(text, "</article>")
		for _, part := range []string{text, before + after} {
			for _, reference := range references.FindAllStringSubmatch(part, -1) {
				target, err := page.Parse(html.UnescapeString(reference[1]))
				if err != nil {
					t.Fatal(err)
				}
				switch below := target.Path == "/docs" || strings.HasPrefix(target.Path, "/docs/"); {
				case target.IsAbs():
				case !below && part == text:
					t.Errorf("%s: the link %s leads to %s", page, reference[1], target)
				case below && !met[target.Path]:
					met[target.Path] = true
					queue = append(queue, target.Path)
				}
			}
		}
	}
}

// checkPage checks a page for what all pages have in common.
func checkPage(t *testing.T, page http.Handler, path string, parts ...string) {
	t.Helper()
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	w := get(path)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
	policy := w.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q lacks %q", policy, part)
		}
	}
	for _, part := range append(parts, `<html lang="en">`) {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	for _, reference := range references.FindAllStringSubmatch(w.Body.String(), -1) {
		if named := "/" + reference[1]; strings.HasPrefix(named, path+"/") && get(named).Code != http.StatusOK {
			t.Errorf("%s is not there", named)
		}
	}
	if w := get(path + "/"); w.Code != http.StatusPermanentRedirect || w.Header().Get("Location") != ".."+path {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
	if w := get(path + "/index.html"); w.Code != http.StatusNotFound {
		t.Errorf("a file that is none: got %d", w.Code)
	}
}
