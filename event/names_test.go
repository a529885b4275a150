package event_test

import (
	"regexp"
	"testing"

	"github.com/filmstrip/filmstrip/event"
)

func TestNewID(t *testing.T) {
	pattern := regexp.MustCompile(`^019aa800-1983-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[event.ID]bool{}
	for range 1000 {
		id := event.NewID(0x019aa8001983)
		if !pattern.MatchString(id.String()) || seen[id] {
			t.Fatalf("got %s, before: %v", id, seen[id])
		}
		seen[id] = true
	}
	if a, b := event.NewID(1), event.NewID(2); a.String() >= b.String() {
		t.Errorf("%s is not before %s", a, b)
	}
}

func TestPseudonym(t *testing.T) {
	key := []byte("01234567890123456789012345678901")
	got := event.Pseudonym(key, "school", "pupil 7")
	// Operators' logs contain this name, so it must never change.
	if want := "~jz_uaEUe2VC-hKerCvdg05EKZ7HPbXDIw0VN6II23Q4"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for name, other := range map[string]string{
		"another account": event.Pseudonym(key, "college", "pupil 7"),
		"another user":    event.Pseudonym(key, "school", "pupil 8"),
		"another key":     event.Pseudonym(key[1:], "school", "pupil 7"),
		"moved":           event.Pseudonym(key, "schoolpupil", " 7"),
	} {
		if other == got {
			t.Errorf("%s has the same pseudonym", name)
		}
	}
	if again := event.Pseudonym(key, "school", "pupil 7"); again != got {
		t.Errorf("got %s and %s", got, again)
	}
	if event.Pseudonym(nil, "school", "pupil 7") != "pupil 7" || event.Pseudonym(key, "school", "") != "" {
		t.Error("without a key, or without a user, there is a pseudonym")
	}
}
