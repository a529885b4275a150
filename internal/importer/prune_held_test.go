package importer_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// edited changes fields of a video as staff do, so that they are held.
func edited(t *testing.T, c *sqlite.Catalogue, ref, fields string) {
	t.Helper()
	line := importline.Decode([]byte(`{"format":1,"kind":"video","ref":"` + ref + `"` + fields + `}`))
	err := c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		stored, err := tx.Items(ctx, catalogue.KindVideo, []catalogue.ID{line.ID})
		if err != nil {
			return err
		}
		item, faults := line.Edit(stored[line.ID])
		if len(faults) > 0 {
			return faults
		}
		_, err = tx.Put(ctx, []catalogue.Item{item})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPrunedVideosReturn verifies that a video that pruning retired, because it has held fields, returns with the next
// line that mentions it, unless somebody decided otherwise.
func TestPrunedVideosReturn(t *testing.T) {
	for name, test := range map[string]struct {
		// before and after are edits before and after the run that prunes.
		before []string
		after  string
		// next is what the line of the next run has besides the usual fields.
		next string
		// pruned and retired report whether the video is retired after the run that prunes and after the next one.
		pruned, retired bool
	}{
		"nobody decided":              {pruned: true},
		"the line says retired":       {next: `,"retired":true`, pruned: true, retired: true},
		"staff retired it before":     {before: []string{`,"retired":true`}, pruned: true, retired: true},
		"staff retired it afterwards": {after: `,"retired":true`, pruned: true, retired: true},
		"staff edited it afterwards":  {after: `,"description":"D"`, pruned: true},
		"staff restored it":           {after: `,"retired":false`, pruned: true},
		"staff restored it before":    {before: []string{`,"retired":true`, `,"retired":false`}},
	} {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, strict %t", name, strict), func(t *testing.T) {
				c, prune := openStore(t), importer.Options{Prune: true, Strict: strict}
				imported(t, c, importer.Options{}, channelLine+videoLine("v", ``)+videoLine("w", ``))
				edited(t, c, "v", `,"title":"Edited"`)
				for _, fields := range test.before {
					edited(t, c, "v", fields)
				}
				problem := "not pruned: fields of it are held"
				if test.before == nil {
					problem = "retired instead of pruned: fields of it are held"
				}
				imported(t, c, prune, channelLine+videoLine("w", ``)).
					expect(t, importer.Counts{Unchanged: 2, Kept: 1}, fmt.Sprintf("video %s: %s", idOf(catalogue.KindVideo, "v"), problem))
				if got := video(t, c, "v").Retired; got != test.pruned {
					t.Fatalf("pruning leaves retired %t", got)
				}
				if test.after != "" {
					edited(t, c, "v", test.after)
				}
				imported(t, c, prune, channelLine+videoLine("w", ``)).
					expect(t, importer.Counts{Unchanged: 2, Kept: 1}, fmt.Sprintf("video %s: not pruned: fields of it are held", idOf(catalogue.KindVideo, "v")))
				imported(t, c, importer.Options{Strict: strict}, videoLine("v", test.next))
				if v := video(t, c, "v"); v.Retired != test.retired || v.Pruned || v.Title != "Edited" {
					t.Errorf("the next run leaves %q, retired %t, pruned %t", v.Title, v.Retired, v.Pruned)
				}
				// A later line without the field keeps what was decided.
				imported(t, c, importer.Options{Strict: strict}, videoLine("v", ``))
				if v := video(t, c, "v"); v.Retired != test.retired {
					t.Errorf("another run leaves retired %t", v.Retired)
				}
			})
		}
	}
}

// TestImportedRetirementsStay verifies that a video that a line retired stays retired if later lines omit the field.
func TestImportedRetirementsStay(t *testing.T) {
	c := openStore(t)
	imported(t, c, importer.Options{}, channelLine+videoLine("v", `,"retired":true`)+videoLine("w", ``))
	edited(t, c, "v", `,"title":"Edited"`)
	imported(t, c, importer.Options{Prune: true}, channelLine+videoLine("w", ``)).
		expect(t, importer.Counts{Unchanged: 2, Kept: 1}, fmt.Sprintf("video %s: not pruned: fields of it are held", idOf(catalogue.KindVideo, "v")))
	imported(t, c, importer.Options{}, videoLine("v", ``))
	if !video(t, c, "v").Retired {
		t.Error("the video returns")
	}
}
