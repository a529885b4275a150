package rest_test

import (
	"net/http"
	"testing"

	"github.com/filmstrip/filmstrip/auth/authtest"
)

// TestServiceUserIDLabelsEvents proves that the Service-User-Id of a request labels the events of that request
// (spec.md, "Full user context") unless the account ignores the header. The userId of a body always labels its event.
func TestServiceUserIDLabelsEvents(t *testing.T) {
	w := newWorld(t, options{})
	asks := map[string]apiRequest{
		"/v1/events/playback":             {body: of(playbackBody, "floating")},
		"/v1/events/playback/batch":       {body: batchBody},
		"/v1/events/player-interaction":   {body: of(playerBody, "floating")},
		"/v1/events/page-render":          {body: pageBody},
		"/v1/events/platform-interaction": {path: "/v1/events/platform-interaction?subtype=A", body: "{}"},
		pathOf("floating") + "/events":    {path: pathOf("floating") + "/events?logVideoInteraction=true&type=A"},
	}
	labels := func(path, user string) (of []string) {
		t.Helper()
		a := asks[path]
		a.as, a.method, a.header = customer, http.MethodPost, map[string]string{"Content-Type": "application/json", "Service-User-Id": user}
		if a.path == "" {
			a.path = path
		}
		w.reported.submissions = nil
		if got := w.send(t, a); got.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %d %s", path, got.StatusCode, got.body)
		}
		for _, submission := range w.reported.submissions {
			for _, e := range submission.Events {
				of = append(of, e.ExternalUser)
			}
		}
		if len(of) == 0 {
			t.Fatalf("%s stored no event", path)
		}
		return of
	}
	expect := func(path, user string, want func(label string) bool) {
		t.Helper()
		for _, label := range labels(path, user) {
			if !want(label) {
				t.Errorf("%s for %q is labeled %q", path, user, label)
			}
		}
	}
	for path := range asks {
		expect(path, "guest 7", func(label string) bool { return label == "guest 7" })
	}
	ignoring := authtest.Account(customer, customer)
	ignoring.IgnoresServiceUserID = true
	if err := authtest.Put(t.Context(), w.accounts, ignoring); err != nil {
		t.Fatal(err)
	}
	if err := w.auth.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path := range asks {
		expect(path, "guest 7", func(label string) bool { return label != "guest 7" })
	}
}
