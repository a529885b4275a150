package editing_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// cataloguePort is a name for the port, which has no method of this name.
type cataloguePort = store.Catalogue

// hookedCatalogue is a catalogue that calls a function before each write, which fails with its error.
type hookedCatalogue struct {
	cataloguePort
	before func() error
}

func (h *hookedCatalogue) Write(ctx context.Context, fn func(ctx context.Context, tx store.Tx) error) error {
	if err := h.before(); err != nil {
		return err
	}
	return h.cataloguePort.Write(ctx, fn)
}

const merge = `mutation($kind: CatalogueKind!, $from: ID!, $into: ID!) { it: mergeItems(kind: $kind, from: $from, into: $into) { changed done } }`

// TestMergeItems merges a subject of 250 videos into another, with an interruption, and verifies the videos, the other
// records that referred to it, the held fields and the audit log.
func TestMergeItems(t *testing.T) {
	left := 1000
	store := &hookedCatalogue{before: func() error {
		if left--; left == -1 {
			return fault.Errorf(fault.Unavailable, "away")
		}
		return nil
	}}
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t, func(c *endpoint.Config) {
		c.Schema = resolverstest.NewSchema(t, func(c *resolvers.Config) { store.cataloguePort, c.Catalogue = c.Catalogue, store })
	})}
	create := func(kind string, input map[string]any) string {
		made := a.Do(t, `mutation($input: `+kind+`Input!) { it: create`+kind+`(input: $input) { id } }`, resolverstest.Object("input", input))
		return resolverstest.At(t, made, "it", "id").(string)
	}
	old, kept := string(resolverstest.Physics), create("Subject", resolverstest.Object("name", "Mechanics"))
	discipline := create("Discipline", resolverstest.Object("code", "science", "name", "Science", "subjects", []any{kept, old}))
	create("Channel", resolverstest.Object("name", "Taught", "ingestType", "MANUAL", "pedagogyInformation", resolverstest.Object("subjects", []any{old})))
	var items []catalogue.Item
	for i := range 250 {
		video := resolverstest.VideoOf(fmt.Sprint("merged", i), "Lesson", resolverstest.Open)
		if video.SubjectIDs = []catalogue.ID{resolverstest.Physics}; i%2 == 0 {
			video.SubjectIDs = append(video.SubjectIDs, catalogue.ID(kept))
		}
		items = append(items, video)
	}
	put(t, store, items...)

	tag := create("Tag", resolverstest.Object("label", "Explainer"))
	a.WantError(t, fault.Invalid, "is the id of a tag", merge, resolverstest.Object("kind", "SUBJECT", "from", old, "into", tag))
	a.WantError(t, fault.Invalid, "is the merged subject itself", merge, resolverstest.Object("kind", "SUBJECT", "from", old, "into", old))
	a.WantError(t, fault.Invalid, "cannot be merged", merge, resolverstest.Object("kind", "VIDEO", "from", old, "into", kept))
	a.WantError(t, fault.NotFound, "there is no subject", merge, resolverstest.Object("kind", "SUBJECT", "from", old, "into", "unknown"))

	both := resolverstest.Object("kind", "SUBJECT", "from", old, "into", kept)
	left = 1
	a.WantError(t, fault.Unavailable, "away", merge, both)
	resolverstest.WantAt(t, a.Do(t, merge, both), `{"changed":153,"done":true}`, "it") // the other 151 videos, a discipline and a channel
	a.WantError(t, fault.NotFound, "there is no subject", merge, both)

	for _, id := range []catalogue.ID{items[0].Head().ID, items[1].Head().ID, items[249].Head().ID, resolverstest.Floating} {
		videos, err := store.Videos(t.Context(), []catalogue.ID{id})
		resolverstest.Must(t, err)
		if got := videos[0]; !slices.Equal(got.SubjectIDs, []catalogue.ID{catalogue.ID(kept)}) || len(got.Held) != 1 || got.Held[0].Field != "subjects" {
			t.Errorf("the video has the subjects %v and holds %v", got.SubjectIDs, got.Held)
		}
	}
	resolverstest.WantAt(t, a.Do(t, `query($id: ID!) { it: catalogueItem(kind: DISCIPLINE, id: $id) { body } }`, resolverstest.Object("id", discipline)),
		`["`+kept+`"]`, "it", "body", "subjects")
	entries, err := store.Audit(t.Context(), storeQuery)
	resolverstest.Must(t, err)
	if last := entries[0]; len(entries) != 251+2+1+4 || last.Kind != catalogue.KindSubject || last.After != nil || last.Actor.User != "ada" {
		t.Errorf("there are %d entries; the last is %+v", len(entries), last)
	}
}

var storeQuery = store.CatalogueAuditQuery{Limit: 1000}

func put(t *testing.T, to store.Catalogue, items ...catalogue.Item) {
	t.Helper()
	resolverstest.Must(t, to.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, items)
		for _, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				t.Fatal(outcome.Faults)
			}
		}
		return err
	}))
}

// TestMergeKinds merges tags, topics and channels, and refuses to merge what a content package names, or comes to name
// while videos change.
func TestMergeKinds(t *testing.T) {
	accounts, err := sqlite.OpenAccounts(t.Context(), filepath.Join(t.TempDir(), "accounts.db"))
	resolverstest.Must(t, err)
	t.Cleanup(func() { resolverstest.Must(t, accounts.Close()) })
	before := func() error { return nil }
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t, func(c *endpoint.Config) {
		c.Schema = resolverstest.NewSchema(t, func(c *resolvers.Config) {
			c.Registry, c.Catalogue = accounts, &hookedCatalogue{c.Catalogue, func() error { return before() }}
		})
	})}
	for kind, input := range map[string]func(name string) map[string]any{
		"Tag":     func(name string) map[string]any { return resolverstest.Object("label", name) },
		"Topic":   func(name string) map[string]any { return resolverstest.Object("name", name) },
		"Channel": func(name string) map[string]any { return resolverstest.Object("name", name, "ingestType", "MANUAL") },
	} {
		id := func(name string) string {
			made := a.Do(t, `mutation($input: `+kind+`Input!) { it: create`+kind+`(input: $input) { id } }`, resolverstest.Object("input", input(name)))
			return resolverstest.At(t, made, "it", "id").(string)
		}
		from, into := id("From"), id("Into")
		changed, field := map[string]any{}, map[string]string{"Tag": "bestFor", "Topic": "topics", "Channel": "channel"}[kind]
		if changed[field] = []any{from}; kind == "Channel" {
			changed[field] = from
		}
		a.Do(t, `mutation($id: ID!, $input: VideoInput!) { updateVideo(id: $id, input: $input) { id } }`, resolverstest.Object("id", resolverstest.Floating, "input", changed))
		name := map[string]string{"Tag": "TAG", "Topic": "TOPIC", "Channel": "CHANNEL"}[kind]
		if kind == "Channel" {
			rule := resolverstest.Object("type", "ExcludedChannels", "values", []any{from})
			naming := func() {
				a.Do(t, `mutation($input: CreateContentPackageInput!) { createContentPackage(input: $input) { id } }`, resolverstest.Object("input", resolverstest.Object("id", "lessons", "name", "Lessons", "rules", []any{rule})))
			}
			refused := func() {
				a.WantError(t, fault.Conflict, "the content packages lessons name the channel", merge, resolverstest.Object("kind", name, "from", from, "into", into))
				a.Do(t, `mutation { deleteContentPackage(id: "lessons") }`, nil)
			}
			naming()
			refused()
			before = func() error { before = func() error { return nil }; naming(); return nil } // while videos change
			refused()
			a.Do(t, `mutation($id: ID!, $input: VideoInput!) { updateVideo(id: $id, input: $input) { id } }`, resolverstest.Object("id", resolverstest.Floating, "input", changed))
		}
		resolverstest.WantAt(t, a.Do(t, merge, resolverstest.Object("kind", name, "from", from, "into", into)), `{"changed":1,"done":true}`, "it")
		want := `["` + into + `"]`
		if kind == "Channel" {
			want = `"` + into + `"`
		}
		resolverstest.WantAt(t, a.Do(t, `query($id: ID!) { it: catalogueItem(kind: VIDEO, id: $id) { body } }`, resolverstest.Object("id", resolverstest.Floating)), want, "it", "body", field)
	}
	viewer := &account.Caller{ClientID: "viewer", Permissions: account.Viewer.Permissions(), StaffRole: account.Viewer}
	answer := resolverstest.Read(t, resolverstest.Post(t, a.Handler, viewer, resolverstest.RequestBody(`mutation { mergeItems(kind: TAG, from: "a", into: "b") { done } }`, nil)))
	if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != string(fault.Forbidden) {
		t.Errorf("viewers merge: %+v", answer)
	}
}
