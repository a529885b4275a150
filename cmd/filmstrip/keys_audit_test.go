package main

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestAuditLogShowsKeys verifies that the audit log shows each rotation of keys, and whether the old keys were
// withdrawn, but no part of a key. A change of the policy keeps the times of rotations.
func TestAuditLogShowsKeys(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Filmstrip("keys", "rotate")
	h.Filmstrip("keys", "rotate", "--immediately")
	h.Filmstrip("policy", "not-before", "now")
	var trail struct {
		Nodes []struct {
			Client string
			After  map[string]any
		}
	}
	h.Read(&trail, "audit", "--kind", "policy")
	if len(trail.Nodes) != 3 {
		t.Fatalf("the audit log shows %+v", trail)
	}
	for i, want := range []string{"keysRotated keysWithdrawn notBefore", "keysRotated keysWithdrawn", "keysRotated"} { // newest first
		entry := trail.Nodes[i]
		for _, field := range strings.Fields(want) {
			if entry.After[field] == nil || entry.Client != "command line" {
				t.Errorf("entry %d says nothing of %s: %+v", i, field, entry)
			}
		}
		if i == 2 && entry.After["keysWithdrawn"] != nil {
			t.Errorf("a rotation is reported as a withdrawal: %+v", entry)
		}
	}
}
