package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
)

const (
	testChannels = 50
	testSubjects = 60
)

func idOf(kind catalogue.Kind, n int) catalogue.ID {
	return catalogue.DeriveID(kind, "test", fmt.Sprint(n))
}

// directory is what the videos refer to.
func directory() (items []catalogue.Item) {
	for n := range testChannels {
		items = append(items, &catalogue.Channel{Meta: catalogue.Meta{ID: idOf(catalogue.KindChannel, n), Source: "test"}, Name: fmt.Sprint("Channel ", n)})
	}
	for n := range testSubjects {
		items = append(items, &catalogue.Subject{Meta: catalogue.Meta{ID: idOf(catalogue.KindSubject, n)}, Name: fmt.Sprint("Subject ", n)})
	}
	return items
}

// video is a video whose body has about 1.5 KB.
func video(n int) *catalogue.Video {
	v := &catalogue.Video{
		Meta:  catalogue.Meta{ID: idOf(catalogue.KindVideo, n), Source: "test", Reference: fmt.Sprint(n)},
		Title: fmt.Sprint("A plain introduction to matter ", n), Description: strings.Repeat("What it is made of and how it changes. ", 12),
		Type: catalogue.Instructional,
		Playback: catalogue.Playback{
			ID: fmt.Sprint("play-", n), Provider: catalogue.ProviderHLS, Duration: 5 * catalogue.Minute,
			Stream:    fmt.Sprintf("https://media.example/streams/%d/index.m3u8", n),
			Thumbnail: fmt.Sprintf("https://media.example/posters/%d/{thumbnailWidth}.jpg", n),
		},
		ChannelID: idOf(catalogue.KindChannel, n%testChannels),
		Keywords:  []string{"matter", "solids", "liquids", "gases"}, EducationLevels: []string{},
	}
	for i := range 4 {
		v.SubjectIDs = append(v.SubjectIDs, idOf(catalogue.KindSubject, (n+i*7)%testSubjects))
	}
	return v
}

func videos(from, to int) (items []catalogue.Item) {
	for n := from; n < to; n++ {
		items = append(items, video(n))
	}
	return items
}

func videoIDs(from, to int) (ids []catalogue.ID) {
	for n := from; n < to; n++ {
		ids = append(ids, idOf(catalogue.KindVideo, n))
	}
	return ids
}

// put writes items in one transaction, none of which may be rejected.
func put(ctx context.Context, c *postgres.Catalogue, items []catalogue.Item) error {
	return c.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, items)
		for i, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				return fmt.Errorf("item %d: %w", i, outcome.Faults)
			}
		}
		return err
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// filled is a catalogue with n videos.
func filled(t testing.TB, url string, n int, options ...postgres.Option) *postgres.Catalogue {
	t.Helper()
	c := open(t, url, options...).Catalogue()
	must(t, put(t.Context(), c, directory()))
	for from := 0; from < n; from += 1000 {
		must(t, put(t.Context(), c, videos(from, min(n, from+1000))))
	}
	return c
}
