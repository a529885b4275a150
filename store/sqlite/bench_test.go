package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// The shape of the benchmarks' catalogue: what videos refer to, and how large a video is.
const (
	benchChannels = 50
	benchSubjects = 60
	benchBatch    = 1000
	benchVideos   = 20_000
)

func benchID(kind catalogue.Kind, n int) catalogue.ID {
	return catalogue.DeriveID(kind, "bench", fmt.Sprint(n))
}

func benchDirectory() (items []catalogue.Item) {
	for n := range benchChannels {
		items = append(items, &catalogue.Channel{Meta: catalogue.Meta{ID: benchID(catalogue.KindChannel, n)}, Name: fmt.Sprint("Channel ", n)})
	}
	for n := range benchSubjects {
		items = append(items, &catalogue.Subject{Meta: catalogue.Meta{ID: benchID(catalogue.KindSubject, n)}, Name: fmt.Sprint("Subject ", n)})
	}
	return items
}

// benchVideo is a video whose body has about 1.5 KB.
func benchVideo(n int) *catalogue.Video {
	video := &catalogue.Video{
		Meta:  catalogue.Meta{ID: benchID(catalogue.KindVideo, n), Source: "bench", Reference: fmt.Sprint(n)},
		Title: fmt.Sprint("A plain introduction to matter ", n), Description: strings.Repeat("What it is made of and how it changes. ", 12),
		Type: catalogue.Instructional,
		Playback: catalogue.Playback{
			ID: fmt.Sprint("play-", n), Provider: catalogue.ProviderHLS, Duration: 5 * catalogue.Minute,
			Stream:    fmt.Sprintf("https://media.example/streams/%d/index.m3u8", n),
			Thumbnail: fmt.Sprintf("https://media.example/posters/%d/{thumbnailWidth}.jpg", n),
		},
		ChannelID: benchID(catalogue.KindChannel, n%benchChannels),
		Keywords:  []string{"matter", "solids", "liquids", "gases"}, EducationLevels: []string{},
	}
	for i := range 4 {
		video.SubjectIDs = append(video.SubjectIDs, benchID(catalogue.KindSubject, (n+i*7)%benchSubjects))
	}
	return video
}

func openBench(b *testing.B) *sqlite.Catalogue {
	b.Helper()
	c, err := sqlite.OpenCatalogue(context.Background(), filepath.Join(b.TempDir(), "catalogue.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	putBench(b, c, benchDirectory())
	return c
}

func putBench(b *testing.B, c *sqlite.Catalogue, items []catalogue.Item) {
	b.Helper()
	err := c.Write(context.Background(), func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, items)
		for i, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				return fmt.Errorf("item %d: %w", i, outcome.Faults)
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

func benchItems(from, to int) (items []catalogue.Item) {
	for n := from; n < to; n++ {
		items = append(items, benchVideo(n))
	}
	return items
}

func filled(b *testing.B) *sqlite.Catalogue {
	b.Helper()
	c := openBench(b)
	for n := 0; n < benchVideos; n += benchBatch {
		putBench(b, c, benchItems(n, n+benchBatch))
	}
	return c
}

func benchIDs(n int) (ids []catalogue.ID) {
	for i := range n {
		ids = append(ids, benchID(catalogue.KindVideo, i*7919%benchVideos))
	}
	return ids
}

// BenchmarkPut writes new videos, 1,000 to a transaction.
func BenchmarkPut(b *testing.B) {
	c := openBench(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		b.StopTimer()
		items := benchItems(n, n+benchBatch)
		n += benchBatch
		b.StartTimer()
		putBench(b, c, items)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "videos/s")
}

// BenchmarkPutUnchanged writes videos that are stored already.
func BenchmarkPutUnchanged(b *testing.B) {
	c := filled(b)
	items := benchItems(0, benchBatch)
	for b.Loop() {
		putBench(b, c, items)
	}
	b.ReportMetric(float64(b.N*benchBatch)/b.Elapsed().Seconds(), "videos/s")
}

// BenchmarkItems reads 1,000 videos within a transaction.
func BenchmarkItems(b *testing.B) {
	c, ids := filled(b), benchIDs(1000)
	err := c.Write(context.Background(), func(ctx context.Context, tx store.Tx) error {
		for b.Loop() {
			if items, err := tx.Items(ctx, catalogue.KindVideo, ids); err != nil || len(items) != len(ids) {
				b.Fatal(len(items), err)
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkVideos(b *testing.B) {
	c, ids := filled(b), benchIDs(100)
	for b.Loop() {
		if videos, err := c.Videos(context.Background(), ids); err != nil || len(videos) != len(ids) {
			b.Fatal(len(videos), err)
		}
	}
}

func BenchmarkStates(b *testing.B) {
	c, ids := filled(b), benchIDs(100)
	b.ReportAllocs()
	for b.Loop() {
		if states, err := c.States(context.Background(), ids); err != nil || len(states) != len(ids) {
			b.Fatal(len(states), err)
		}
	}
}

// BenchmarkFeed reads pages of 1,000 references.
func BenchmarkFeed(b *testing.B) {
	c := filled(b)
	b.ReportAllocs()
	for b.Loop() {
		page, err := c.Feed(context.Background(), store.FeedQuery{After: 5000, Size: 1000})
		if err != nil || len(page.Refs) != 1000 {
			b.Fatal(len(page.Refs), err)
		}
	}
}

func BenchmarkHead(b *testing.B) {
	c := filled(b)
	b.ReportAllocs()
	for b.Loop() {
		if head, err := c.Head(context.Background()); err != nil || head == 0 {
			b.Fatal(head, err)
		}
	}
}
