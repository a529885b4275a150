package catalogue_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestInteractionsOutliveTheirCollection verifies that a repeated event about a collection counts as a repetition even
// after the collection was deleted. New events about it are refused.
func TestInteractionsOutliveTheirCollection(t *testing.T) {
	t.Parallel()
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Account("staff", "--operator")
	h.Filmstrip("accounts", "create", "school", "--name", "school", "--tier", "premium")
	secret := h.Client("lms", "school")
	s := h.Serve()
	user := s.Access("lms", secret, "Service-User-Id", "teacher-1")
	made, body := s.Send("POST", "/v1/collections", user, `{"title":"Waters"}`, "Content-Type", "application/json")
	if made.StatusCode != http.StatusCreated {
		t.Fatalf("no collection is created: %d %s", made.StatusCode, body)
	}
	collection := strings.TrimPrefix(made.Header.Get("Location"), s.Base)
	report := func(step, path, body, key string, want int) {
		t.Helper()
		if got, text := s.Send("POST", collection+path, user, body, "Content-Type", "application/json", "Idempotency-Key", key); got.StatusCode != want {
			t.Errorf("%s: got %d %s, want %d", step, got.StatusCode, text, want)
		}
	}
	const share, visits, visit = "/track-share-link", "/events", `{"subtype":"VISIT"}`
	report("shared", share, "", "a", http.StatusCreated)
	report("visited", visits, visit, "b", http.StatusOK)
	if gone, text := s.Send("DELETE", collection, user, ""); gone.StatusCode != http.StatusNoContent {
		t.Fatalf("the collection is not deleted: %d %s", gone.StatusCode, text)
	}
	report("shared, again", share, "", "a", http.StatusCreated)
	report("visited, again", visits, visit, "b", http.StatusOK)
	report("shared, with the key of the visit", share, "", "b", http.StatusUnprocessableEntity)
	report("shared, with a new key", share, "", "c", http.StatusNotFound)
	if reported := strings.Count(h.Filmstrip("events", "export", "--format", "jsonl"), "COLLECTION_INTERACTION"); reported != 2 {
		t.Errorf("%d events are stored", reported)
	}
}
