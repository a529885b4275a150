package sqlite

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// TestRemovalsOfBefore: of a catalogue of a release that kept no list of removals, retired videos are on it with the time
// of their last change, and what is removed now comes behind them.
func TestRemovalsOfBefore(t *testing.T) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "catalogue.db")
	migrateBefore(t, file, "00005")
	before := openBefore(t, file)
	add := func(seq int64, id catalogue.ID, updated, retired int64) {
		before.do(`INSERT INTO videos (seq, id, version, updated_at, channel, retired, source, reference) VALUES (?, ?, ?, ?, 1, ?, '', '')`,
			seq, string(id), seq, updated, retired)
		before.do("INSERT INTO video_bodies VALUES (?, ?)", seq, []byte("{}"))
	}
	ids := []catalogue.ID{"000000000000000000000001", "000000000000000000000002", "000000000000000000000003"}
	add(1, ids[0], 5000, 1)
	add(2, ids[1], 4000, 1)
	add(3, ids[2], 3000, 0)

	c, err := OpenCatalogue(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Delete(ctx, catalogue.KindVideo, ids[2:])
		return err
	}); err != nil {
		t.Fatal(err)
	}
	page, err := c.Removals(ctx, store.RemovalQuery{Size: 10, Today: 30_000})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range page.Removals {
		got = append(got, string(one.ID)+" "+string(one.Reason))
	}
	want := []string{string(ids[1]) + " RETIRED", string(ids[0]) + " RETIRED", string(ids[2]) + " DELETED"}
	if !slices.Equal(got, want) || page.Removals[0].RemovedAt.UnixMicro() != 4000 {
		t.Errorf("got %v, want %v", page.Removals, want)
	}
}

// migrateBefore makes a catalogue by the steps before one, as a release had it that did not know this one.
func migrateBefore(t *testing.T, file, step string) {
	t.Helper()
	steps := fstest.MapFS{}
	paths, err := fs.Glob(migrations, "migrations/catalogue/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if name := filepath.Base(path); name < step {
			text, err := migrations.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			steps[name] = &fstest.MapFile{Data: text}
		}
	}
	if _, err := migrate(t.Context(), file, steps, settingsOf(nil)); err != nil {
		t.Fatal(err)
	}
}
