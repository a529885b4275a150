package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestOldAddressesAreNotExported verifies that no export contains an address that is older than the setting allows,
// even if no server has deleted the address yet.
func TestOldAddressesAreNotExported(t *testing.T) {
	t.Parallel()
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 0)
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(where[1], app.EventsFile)))(t)
	reported := func(ago time.Duration, address string) event.Submission {
		at := event.InstantOf(time.Now().Add(-ago))
		return event.Submission{Received: at, Events: []event.Event{{
			ID: event.NewID(at), Kind: event.PageRender, At: at, Received: at, Account: "school", ExternalUser: "S-1", Address: address,
		}}}
	}
	apptest.Must(log.Append(t.Context(), []event.Submission{reported(3*time.Hour, "192.0.2.3"), reported(time.Hour, "192.0.2.1")}))(t)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"events export --format jsonl --addresses", "users export --account school --external S-1"} {
		for kept, want := range map[string]string{"": "", "0s": "", "2h": "192.0.2.1", "4h": "192.0.2.3 192.0.2.1"} {
			environment := map[string]string{"FILMSTRIP_KEEP_ADDRESSES": kept}
			if kept == "" {
				environment = nil
			}
			got := command(t, environment, "", append(strings.Fields(verb), where...)...)
			if got.Status != 0 || strings.Count(got.Out, "\n") != 2 {
				t.Fatalf("%s: status %d: %s%s", verb, got.Status, got.Out, got.Err)
			}
			var addresses []string
			for _, address := range []string{"192.0.2.3", "192.0.2.1"} {
				if strings.Contains(got.Out, fmt.Sprintf(`"address":%q`, address)) {
					addresses = append(addresses, address)
				}
			}
			if strings.Join(addresses, " ") != want {
				t.Errorf("%s, with addresses kept %q: the output is %v, not %q", verb, kept, addresses, want)
			}
		}
	}
	if reported := run("events", "export", "--format", "jsonl", "--keep-addresses", "4h"); strings.Contains(reported, "192.0.2") {
		t.Errorf("addresses are exported without a request: %s", reported)
	}
}
