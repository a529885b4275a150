package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// TestThemesOfBefore: deleted videos leave the themes of a release that did not take them out, those that it wrote
// before the upgrade and those that it writes beside this one.
func TestThemesOfBefore(t *testing.T) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "catalogue.db")
	migrateBefore(t, file, "00007")
	before := openBefore(t, file)
	const body = `{"title":"T","topics":[{"targets":[{"videos":["000000000000000000000001","000000000000000000000002"]},{"videos":null}]},{"targets":null}]}`
	put := func(number int, id string) {
		before.do("INSERT INTO catalogue_records VALUES (?, 'theme', ?, ?, 1, '', '', NULL, NULL, ?)", number, id, number, []byte(body))
	}
	put(1, "a00000000000000000000001")
	before.do("INSERT INTO videos (seq, id, version, updated_at, channel, retired, source, reference) VALUES (1, '000000000000000000000001', 4, 1, 1, 0, '', '')")
	before.do("INSERT INTO video_bodies VALUES (1, ?)", []byte("{}"))
	before.do("INSERT INTO outbox VALUES (4, 'video', '000000000000000000000001', 0)")

	c, err := OpenCatalogue(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	put(2, "a00000000000000000000002")
	if err := c.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Delete(ctx, catalogue.KindVideo, []catalogue.ID{"000000000000000000000001"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	themes, err := c.RecordsSince(ctx, catalogue.KindTheme, 4, 10)
	if err != nil || len(themes) != 2 {
		t.Fatalf("%d themes were changed (%v)", len(themes), err)
	}
	for _, record := range themes {
		if named := record.(*catalogue.Theme).Topics[0].Targets[0].VideoIDs; len(named) != 1 || named[0] != "000000000000000000000002" {
			t.Errorf("a theme names %v", named)
		}
	}
}
