package rest_test

import (
	"net/http"
	"testing"

	"github.com/filmstrip/filmstrip/event"
)

// TestSharedLinksAreReported proves that each endpoint stores an event of its own item, with or without a body, and sets
// the subtype itself.
func TestSharedLinksAreReported(t *testing.T) {
	w := newWorld(t, options{})
	video, collectionPath := pathOf("floating")+"/track-share-link", "/v1/collections/"+string(collectionOf("tides"))+"/track-share-link"
	share := func(path, body string) *answer {
		return w.send(t, apiRequest{as: pupil, method: "POST", path: path, body: body, header: map[string]string{"Content-Type": "application/json"}})
	}
	for _, path := range []string{video, collectionPath} {
		for _, body := range []string{"", "null", "{}", " { } ", `{"userId":"pupil-7","channel":"mail"}`} {
			got := share(path, body)
			if got.StatusCode != http.StatusCreated || len(got.body) > 0 {
				t.Errorf("%s with %q: got %d %s", path, body, got.StatusCode, got.body)
			}
		}
		for _, body := range []string{"[]", `"x"`, `{"userId":7}`, `{"a":1`, `{"a"}`, "{} {}"} {
			wantRejection(t, share(path, body), http.StatusBadRequest)
		}
	}
	wantRejection(t, share(collectionPath, `{"subtype":"OTHER"}`), http.StatusBadRequest)
	wantRejection(t, w.send(t, apiRequest{as: pupil, method: "POST", path: pathOf("expired") + "/track-share-link"}), http.StatusNotFound)
	wantRejection(t, w.send(t, apiRequest{as: pupil, method: "POST", path: "/v1/collections/" + string(idOf("nothing")) + "/track-share-link"}), http.StatusNotFound)
	if len(w.reported.submissions) != 10 {
		t.Fatalf("%d events are stored", len(w.reported.submissions))
	}
	for i, submission := range w.reported.submissions {
		e := submission.Events[0]
		kind, of := event.VideoInteraction, string(idOf("floating"))
		if i >= 5 {
			kind, of = event.CollectionInteraction, ""
		}
		if e.Kind != kind || e.Subtype != "SHARE_LINK" || e.Video != of {
			t.Errorf("event %d is %s %s of %q", i, e.Kind, e.Subtype, e.Video)
		}
	}
}
