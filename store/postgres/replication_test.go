package postgres_test

import (
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// TestCancelledWaitForAStandby checks that the engine treats a commit whose wait for a standby was canceled as a
// failure. PostgreSQL reports such a commit as a success.
func TestCancelledWaitForAStandby(t *testing.T) {
	server := testservers.PostgreSQL(t)
	if _, err := postgres.Migrate(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	database := open(t, server.URL)
	log := database.Events()
	one := func(key string) []event.Submission {
		at := event.Instant(1_790_000_000_000)
		return []event.Submission{{Client: "a", Key: key, Received: at, Events: []event.Event{{Kind: event.PageRender, At: at, Received: at}}}}
	}
	if _, err := log.Append(t.Context(), one("first")); err != nil { // also creates the month's partition
		t.Fatal(err)
	}
	if r, err := database.Replication(t.Context()); err != nil || r.Waits || !r.Visible || r.Synchronous+r.Asynchronous != 0 {
		t.Errorf("without a standby: %+v (%v)", r, err)
	}
	execute(t, server.URL, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
	execute(t, server.URL, "SELECT pg_reload_conf()")
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if r, err := database.Replication(t.Context()); err == nil && r.Waits && r.Synchronous == 0 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("got %+v (%v)", r, err)
		}
	}
	log = open(t, server.URL).Events()           // new connections start with the setting; others read it soon
	for _, key := range []string{"", "second"} { // a single statement, and a transaction
		outcome := make(chan error, 1)
		commit := func() {
			_, err := log.Append(t.Context(), one(key))
			outcome <- err
		}
		go commit()
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			execute(t, server.URL, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
			select {
			case err := <-outcome:
				if err == nil && key == "" && time.Now().Before(deadline) {
					go commit() // commits wait once the checkpointer has read the setting, too
					continue
				}
				if fault.CodeOf(err) != fault.Unavailable {
					t.Errorf("key %q: the commit without its standby ends with %v", key, err)
				}
			default:
				if time.Now().Before(deadline) {
					continue
				}
				t.Error("the commit does not end")
			}
			break
		}
	}
}
