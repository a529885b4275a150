package main

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// openStores opens the stores that commands ran on. It closes them at the end of the test.
func openStores(t testing.TB, where []string) *app.Stores {
	t.Helper()
	settings := app.StoreSettings{StoreConnections: 4, StoreTimeout: 5 * time.Second}
	data := where[slices.Index(where, "--data")+1]
	if i := slices.Index(where, "--store"); i >= 0 {
		settings.Store = where[i+1]
	}
	opened := apptest.Must(settings.Open(t.Context(), data, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// TestOneUsersCollections verifies that an export of a user contains the user's collections, saved collections and
// comments, that they are deleted when the user is forgotten or deleted, and that those of other users stay.
func TestOneUsersCollections(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			run, where := apptest.SchoolStore(t, engine, 0)
			user := func(name string) (id string) {
				t.Helper()
				var made struct{ ID string }
				if err := json.Unmarshal([]byte(run("users", "create", "--account", "school", "--username", name, "--json")), &made); err != nil {
					t.Fatal(err)
				}
				return made.ID
			}
			ada, bob := user("ada"), user("bob")
			collections := openStores(t, where).Collections
			id := func(name string) catalogue.ID { return catalogue.DeriveID("collection", "test", name) }
			comment := func(by string) collection.Comment {
				return collection.Comment{ID: id(by), UserID: by, Name: "Name of " + by, Email: by + "@school.example", Text: "Text of " + by}
			}
			fill := func() {
				t.Helper()
				for name, owner := range map[string]string{"Hers": ada, "His": bob, "His second": bob} {
					c := &collection.Collection{ID: id(name), Account: "school", Owner: owner, Title: name, Anyone: collection.ViewOnly}
					c.Add(collection.Asset{VideoID: "5c542abf5438cdbcb56df0bf", Comments: []collection.Comment{comment(ada), comment(bob)}})
					if _, err := collections.Create(t.Context(), c); err != nil && fault.CodeOf(err) != fault.Conflict {
						t.Fatal(err)
					}
				}
				for name, who := range map[string]string{"His": ada, "Hers": bob} {
					if err := collections.Save(t.Context(), who, id(name), true); err != nil {
						t.Fatal(err)
					}
				}
			}
			// left compares the stored data of both users with the expected data.
			left := func(adas, bobs string) {
				t.Helper()
				for who, want := range map[string]string{ada: adas, bob: bobs} {
					owned := apptest.Must(collections.UserCollections(t.Context(), who))(t)
					var got []string
					for _, c := range slices.Concat(owned.Own, owned.Saved) {
						got = append(got, c.Title)
						for _, one := range c.Assets[0].Comments {
							if (one.Name == "") != (adas == "" && one.UserID == ada) {
								t.Errorf("%s reports %+v", c.Title, one)
							}
						}
					}
					slices.Sort(got)
					if list := strings.Join(got, ", "); list != want {
						t.Errorf("%s has %s, not %s", who, list, want)
					}
				}
			}

			fill()
			left("Hers, His", "Hers, His, His second")
			hers := run("users", "export", "--account", "school", "--id", ada)
			for text, times := range map[string]int{
				`"kind":"COLLECTION"`: 1, `"kind":"SAVED_COLLECTION"`: 1, `"kind":"COMMENT"`: 2, "Text of " + ada: 3, "Text of " + bob: 0, "@school.example": 3,
			} {
				if n := strings.Count(hers, text); n != times {
					t.Errorf("the export has %s %d times, not %d:\n%s", text, n, times, hers)
				}
			}
			run("accounts", "create", "other", "--name", "Other", "--tier", "basic")
			for _, verb := range []string{"export", "forget"} {
				for _, who := range [][]string{{"--account", "other", "--id", ada}} {
					if got := command(t, nil, "", slices.Concat([]string{"users", verb}, who, where)...); got.Status == 0 {
						t.Errorf("users %s %v reports %s", verb, who, got.Out)
					}
				}
			}
			left("Hers, His", "Hers, His, His second")

			if output := run("users", "forget", "--account", "school", "--id", ada, "--keep-record"); output != "0 events no longer name a user\n1 collections are deleted\n" {
				t.Errorf("the output is %s", output)
			}
			left("", "His, His second")
			for _, c := range apptest.Must(collections.Collections(t.Context(), []catalogue.ID{id("His"), id("His second")}))(t) {
				if _, err := collections.Change(t.Context(), c.ID, func(c *collection.Collection) error {
					c.Assets[0].Comments = []collection.Comment{comment(ada), comment(bob)}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			fill()
			left("Hers, His", "Hers, His, His second")
			run("users", "delete", ada)
			left("", "His, His second")
		})
	}
}
