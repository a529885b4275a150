package signin_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// What lets pages of other origins read answers of the API does not count here: a browser comes with cookies.
func TestOtherOriginsReadNothing(t *testing.T) {
	w := startWorld(t, func(handler http.Handler) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "https://learn.example")
			w.Header().Set("Access-Control-Allow-Credentials", "true")
			handler.ServeHTTP(w, r)
		}))
	})
	b := w.browser()
	for _, address := range []string{authorize(), authorize("prompt", "none"), authorize("client_id", "x"), logout()} {
		answer := b.get(address, "Origin", "https://learn.example")
		if len(answer.Header["Access-Control-Allow-Origin"])+len(answer.Header["Access-Control-Allow-Credentials"]) > 0 {
			t.Errorf("%s: %v", address, answer.Header)
		}
	}
}
