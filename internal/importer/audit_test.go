package importer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store"
)

// TestAuditLogOfARun checks that the audit log has an entry, with the caller, for each item that a run changed or deleted,
// with its states, and one with counts for each kind, and none for a run that changed nothing or was rolled back.
func TestAuditLogOfARun(t *testing.T) {
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprint("strict ", strict), func(t *testing.T) {
			c := openStore(t)
			reported := 0
			wants := func(want ...string) {
				t.Helper()
				entries, err := c.Audit(t.Context(), store.CatalogueAuditQuery{Limit: 100})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, entry := range entries[:len(entries)-reported] {
					got = append(got, fmt.Sprintf("%s %s %s %s%s %s", entry.Actor.Client, entry.Actor.User, entry.Kind, entry.ID, entry.Before, entry.After))
				}
				slices.Reverse(got)
				if reported = len(entries); !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			by := importer.Options{Strict: strict, Prune: true, Client: "command line", User: "ada"}
			tag := func(source, ref, label string) string {
				return `{"format":1,"kind":"tag","source":"` + source + `","ref":"` + ref + `","label":"` + label + `"}` + "\n"
			}
			imported(t, c, importer.Options{Strict: strict}, tag("x", "z", "Nobody mentions it"))
			wants()
			imported(t, c, by, channelLine+tag("a", "1", "One")+tag("a", "2", "Two")+tag("b", "3", "Three"))
			wants(`command line ada tag  {"sources":["a","b"],"added":3,"changed":0,"deleted":0}`,
				`command line ada channel  {"sources":["default"],"added":1,"changed":0,"deleted":0}`)
			imported(t, c, by, tag("a", "1", "One"), tag("b", "3", "Three"), tag("a", "2", "Two"))
			wants()
			imported(t, c, by, tag("a", "1", "Won"), tag("a", "4", "Four"))
			one, two := catalogue.DeriveID(catalogue.KindTag, "a", "1"), catalogue.DeriveID(catalogue.KindTag, "a", "2")
			wants(fmt.Sprintf(`command line ada tag %s{"label":"One"} {"label":"Won"}`, one), fmt.Sprintf(`command line ada tag %s{"label":"Two"} `, two),
				`command line ada tag  {"sources":["a"],"added":1,"changed":1,"deleted":1}`)
			if strict {
				imported(t, c, by, tag("a", "1", "Undone")+tag("a", "4", ""))
				wants()
			}
		})
	}
}
