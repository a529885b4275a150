package postgres_test

import (
	"context"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// TestThemesOfBefore: deleted videos leave the themes of a release that did not take them out, those that it wrote
// before the upgrade and those that it writes beside this one.
func TestThemesOfBefore(t *testing.T) {
	where := testservers.SharedPostgreSQL(t).URL
	migrateTo(t, where, 10)
	const body = `{"title":"T","topics":[{"targets":[{"videos":["000000000000000000000001","000000000000000000000002"]},{"videos":null}]},{"targets":null}]}`
	execute(t, where,
		"INSERT INTO catalogue_records VALUES (1, 'theme', 'a00000000000000000000001', 1, 1, '', '', NULL, NULL, '"+body+"')",
		"INSERT INTO videos VALUES (1, '000000000000000000000001', 4, 1, 1, NULL, false, NULL, NULL, '', '')",
		"INSERT INTO video_bodies VALUES (1, '{}')",
		"INSERT INTO outbox VALUES (4, 'video', '000000000000000000000001', false)",
		"UPDATE head SET position = 4, number = 2, sequence = 1, videos = 1")
	if _, err := postgres.Migrate(t.Context(), where); err != nil {
		t.Fatal(err)
	}
	execute(t, where, "INSERT INTO catalogue_records VALUES (2, 'theme', 'a00000000000000000000002', 2, 1, '', '', NULL, NULL, '"+body+"')")
	c := open(t, where).Catalogue()
	must(t, c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Delete(ctx, catalogue.KindVideo, []catalogue.ID{"000000000000000000000001"})
		return err
	}))
	themes, err := c.RecordsSince(t.Context(), catalogue.KindTheme, 4, 10)
	must(t, err)
	if len(themes) != 2 {
		t.Fatalf("%d themes were changed", len(themes))
	}
	for _, record := range themes {
		if named := record.(*catalogue.Theme).Topics[0].Targets[0].VideoIDs; len(named) != 1 || named[0] != "000000000000000000000002" {
			t.Errorf("a theme names %v", named)
		}
	}
}
