package rest_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/rest"
)

// FuzzSearch proves that no query string crashes the server. Each is answered with a page, with a 400 that names the
// error, or with 403 if it requests operator data.
func FuzzSearch(f *testing.F) {
	for name, list := range filters() {
		for _, one := range list {
			f.Add(one.query)
		}
		f.Add(name)
		f.Add(name + "=%00")
		f.Add(name + "=" + strings.Repeat("9", 30))
		f.Add(name + "[]=1&" + name + "=;")
	}
	for name, list := range badValues() {
		for _, bad := range list {
			f.Add(name + "=" + bad.value)
		}
	}
	for _, name := range notFilters {
		f.Add(name + "=1")
	}
	f.Add(`query="a+b"+"c&query=%22&size=3`)
	f.Add("query=%EF%BF%BD+%F0%9F%98%80&sort_by=RELEASE_DATE&page=2&size=1")
	known := rest.SearchParameters()
	f.Fuzz(func(t *testing.T, query string) {
		if strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' }) {
			t.Skip("no HTTP request line can hold it")
		}
		got := shared().send(t, apiRequest{as: customer, path: "/v1/videos?" + query})
		switch got.StatusCode {
		case http.StatusOK:
			referencesOf(t, got.json(t))
		case http.StatusBadRequest:
			message := got.json(t)["message"].(string)
			for name := range known {
				if strings.Contains(message, name) {
					return
				}
			}
			if !strings.Contains(message, "query string") && !strings.Contains(message, "page ") {
				t.Errorf("%s: %s", query, message)
			}
		case http.StatusForbidden:
			if values, err := url.ParseQuery(query); err != nil || values["content_package"] == nil {
				t.Errorf("%s: %s", query, got.body)
			}
		default:
			t.Errorf("%s: %d %s", query, got.StatusCode, got.body)
		}
	})
}

// FuzzCursor proves that the server accepts only cursors that it issued.
func FuzzCursor(f *testing.F) {
	first := shared().ok(f, customer, "/v1/feed/videos?size=1")
	next := first["_links"].(map[string]any)["next"].(map[string]any)["href"].(string)
	_, rest, _ := strings.Cut(next, "cursor_id=")
	good, _, _ := strings.Cut(rest, "&")
	f.Add(good)
	f.Add(good[1:])
	f.Add(strings.ToLower(good))
	f.Add(good + "%0A")
	f.Add("%00")
	f.Fuzz(func(t *testing.T, cursor string) {
		if cursor == good || strings.TrimSpace(cursor) == "" || strings.ContainsFunc(cursor, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("#&%+;", r) }) {
			t.Skip("it is good, empty, or not one value of a query string")
		}
		got := shared().send(t, apiRequest{as: customer, path: "/v1/feed/videos?size=1&cursor_id=" + cursor})
		wantRejection(t, got, http.StatusBadRequest, "cursor_id")
	})
}
