package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// TestCatalogueOfBefore: a catalogue of a release that knew no records takes them, and that release goes on
// writing beside this one.
func TestCatalogueOfBefore(t *testing.T) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "catalogue.db")
	steps := fstest.MapFS{}
	for _, name := range []string{"00001_catalogue.sql", "00002_vouched.sql", "00003_leases.sql"} {
		step, err := migrations.ReadFile("migrations/catalogue/" + name)
		if err != nil {
			t.Fatal(err)
		}
		steps[name] = &fstest.MapFile{Data: step}
	}
	if _, err := migrate(ctx, file, steps, settingsOf(nil)); err != nil {
		t.Fatal(err)
	}
	before, items := openBefore(t, file), plainVideos(3, 1)
	put := func(number int64, item catalogue.Item, position int64) {
		body, err := storelogic.Encode(item)
		if err != nil {
			t.Fatal(err)
		}
		id := string(item.Head().ID)
		if item.Kind() == catalogue.KindVideo {
			before.do("INSERT INTO videos (seq, id, version, updated_at, channel, retired, source, reference) VALUES (?, ?, ?, 1, 1, 0, '', '')", number, id, position)
			before.do("INSERT INTO video_bodies VALUES (?, ?)", number, body)
			before.do("INSERT INTO video_links VALUES (1, ?)", number)
		} else {
			before.do("INSERT INTO entities VALUES (?, ?, ?, ?, 1, '', '', ?, 0, ?)", number, string(item.Kind()), id, position, catalogue.UniqueName(item), body)
		}
		before.do("INSERT INTO outbox VALUES (?, ?, ?, 0)", position, string(item.Kind()), id)
	}
	put(1, items[0], 1)
	put(1, items[1], 2)

	c, err := OpenCatalogue(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	video := items[1].Head().ID
	captions := &catalogue.Captions{
		Meta: catalogue.Meta{ID: catalogue.CaptionsID(video, "eng")}, VideoID: video, Language: "eng",
		Cues: []catalogue.Cue{{End: 1, Text: "text"}},
	}
	district := &catalogue.District{Meta: catalogue.Meta{ID: captions.ID}, ExternalID: "d", Name: "District", Country: "NOR"}
	if err := putAll(ctx, c, []catalogue.Item{captions, district}); err != nil {
		t.Fatal(err)
	}
	put(2, items[2], 6) // numbered as that release does, which knows of no records
	if err := putAll(ctx, c, []catalogue.Item{items[3], captions}); err != nil {
		t.Fatal(err)
	}
	list, err := c.Videos(ctx, []catalogue.ID{video, items[2].Head().ID, items[3].Head().ID})
	if err != nil || len(list) != 3 || !list[0].HasCaptions || list[0].Version != 5 || list[1].HasCaptions || list[2].Version != 7 {
		t.Errorf("videos %+v (%v)", list, err)
	}
	if owned, err := c.RecordsOf(ctx, catalogue.KindCaptions, []catalogue.ID{video}); err != nil || len(owned) != 1 {
		t.Errorf("%d captions (%v)", len(owned), err)
	}
	if changes, err := c.Changes(ctx, 0, 100); err != nil || len(changes) != 7 {
		t.Errorf("the log has %v (%v)", changes, err)
	}
	err = c.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		kept, err := tx.Delete(ctx, catalogue.KindVideo, []catalogue.ID{video})
		if len(kept) > 0 {
			t.Errorf("kept %v", kept)
		}
		return err
	})
	if count, _, counting := c.CountRecords(ctx, catalogue.KindCaptions); err != nil || count != 0 || counting != nil {
		t.Errorf("%d captions are left (%v, %v)", count, err, counting)
	}
}
