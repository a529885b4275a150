//go:build system

package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store"
)

// TestReapplyOnBothStores verifies that the restore list alone corrects stores that another program restored, and that
// it can be applied more than once. The test reverts the listed changes without the list, as the restore of an old dump
// does.
func TestReapplyOnBothStores(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			run, where := apptest.SchoolStore(t, engine, 0)
			run("migrate") // adds the list's key, so that this store can be a dump from before the list
			plain := apptest.Must(parse(t, nil, where...))(t)
			before := apptest.Must(plain.StoreSettings.OpenUnrecorded(t.Context(), plain.Data, nil))(t)
			if keys := apptest.Must(before.Accounts.Keys(t.Context(), "restore-list"))(t); len(keys) != 1 {
				t.Errorf("the store has %d keys of the restore list", len(keys))
			}
			apptest.Must(0, before.Close())(t)
			where = append(where, "--restore-list", filepath.Join(t.TempDir(), "list.jsonl"))
			listed := func(args ...string) string { t.Helper(); return quiet(t, append(args, where...)...) }
			run("clients", "create", "lms", "--account", "school")
			listed("clients", "update", "lms", "--disabled")
			listed("users", "forget", "--account", "school", "--external", "Ann")

			settings := apptest.Must(parse(t, nil, where...))(t)
			stores := apptest.Must(settings.StoreSettings.OpenUnrecorded(t.Context(), settings.Data, nil))(t)
			defer func() {
				if err := stores.Close(); err != nil {
					t.Error(err)
				}
			}()
			at := event.InstantOf(time.Now().Add(-time.Hour)) // before Ann was forgotten
			ann := event.Event{ID: event.NewID(at), Kind: event.Playback, At: at, Received: at, Account: "school", ExternalUser: "Ann", End: 1000}
			eve := event.Event{ID: event.NewID(at), Kind: event.Playback, At: at, Received: at, Account: "school", ExternalUser: "Eve", End: 1000}
			apptest.Must(stores.Events.Append(t.Context(), []event.Submission{{Received: at, Events: []event.Event{ann, eve}}}))(t)
			err := stores.Accounts.Edit(t.Context(), account.Actor{Client: "test"}, func(ctx context.Context, tx store.RegistryTx) error {
				lms, err := tx.Entity(ctx, account.EntityKey{Kind: account.KindClient, ID: "lms"})
				if err != nil {
					return err
				}
				lms.(*account.Client).Disabled = false
				return tx.Put(ctx, lms)
			})
			if err != nil {
				t.Fatal(err)
			}
			hash := [32]byte{1}
			if err := stores.Accounts.PutSession(t.Context(), account.Session{ID: "s", Hash: hash, Expires: time.Now().Add(time.Hour)}); err != nil {
				t.Fatal(err)
			}
			if err := stores.Accounts.Revoke(t.Context(), []string{"kept"}, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			lineage := apptest.Must(stores.History.Lineage(t.Context()))(t)

			for range 2 {
				listed("restore", "--reapply")
			}
			var lms struct{ Disabled bool }
			if err := json.Unmarshal([]byte(listed("clients", "show", "lms", "--json")), &lms); err != nil || !lms.Disabled {
				t.Errorf("the client: %+v, %v", lms, err)
			}
			if session := apptest.Must(stores.Accounts.Session(t.Context(), hash, time.Now()))(t); session != nil {
				t.Errorf("a session goes on: %+v", session)
			}
			if marks := apptest.Must(stores.Accounts.Revoked(t.Context(), time.Now()))(t); marks["kept"].IsZero() {
				t.Errorf("a revocation of the backup is gone: %v", marks)
			}
			if renewed := apptest.Must(stores.History.Lineage(t.Context()))(t); renewed == lineage {
				t.Error("the history has its old name")
			}
			names := map[string]bool{}
			for _, e := range apptest.Must(stores.Events.Read(t.Context(), store.EventQuery{}, 0, 10))(t) {
				names[e.ExternalUser] = true
			}
			if names["Ann"] || !names["Eve"] || len(names) != 2 {
				t.Errorf("events are of %v", names)
			}
		})
	}
}
