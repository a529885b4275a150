package signin_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestOtherOriginsReadNothing checks that pages of other origins cannot read these answers, although CORS lets them
// read answers of the API, because browsers send cookies here.
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
