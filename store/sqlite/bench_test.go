package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

// The benchmarks use the sample catalogue of storetest.
const (
	benchBatch  = 1000
	benchVideos = 20_000
)

func openBench(b *testing.B) *sqlite.Catalogue {
	b.Helper()
	c, err := sqlite.OpenCatalogue(context.Background(), filepath.Join(b.TempDir(), "catalogue.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	putBench(b, c, storetest.SampleDirectory())
	return c
}

func putBench(b *testing.B, c *sqlite.Catalogue, items []catalogue.Item) {
	b.Helper()
	if err := storetest.PutAll(context.Background(), c, items); err != nil {
		b.Fatal(err)
	}
}

func filled(b *testing.B) *sqlite.Catalogue {
	b.Helper()
	c := openBench(b)
	for n := 0; n < benchVideos; n += benchBatch {
		putBench(b, c, storetest.SampleVideos(n, n+benchBatch))
	}
	return c
}

func benchIDs(n int) (ids []catalogue.ID) {
	for i := range n {
		ids = append(ids, storetest.SampleID(catalogue.KindVideo, i*7919%benchVideos))
	}
	return ids
}

// processor returns the processor time that this process has used. On a machine that runs other programs too, processor
// time is a better measure than elapsed time.
func processor() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// measure runs fn for as long as the benchmark requires, and also reports its processor time.
func measure(b *testing.B, fn func()) {
	b.Helper()
	b.ReportAllocs()
	start := processor()
	for b.Loop() {
		fn()
	}
	b.ReportMetric(float64(processor()-start)/float64(b.N), "cpu-ns/op")
}

// BenchmarkPut writes new videos, 1,000 per transaction.
func BenchmarkPut(b *testing.B) {
	c, n := openBench(b), 0
	measure(b, func() {
		b.StopTimer()
		items := storetest.SampleVideos(n, n+benchBatch)
		n += benchBatch
		b.StartTimer()
		putBench(b, c, items)
	})
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "videos/s")
}

// BenchmarkPutUnchanged writes 1,000 videos that are already stored.
func BenchmarkPutUnchanged(b *testing.B) {
	c, items := filled(b), storetest.SampleVideos(0, benchBatch)
	measure(b, func() { putBench(b, c, items) })
}

// BenchmarkPutChanged writes 1,000 videos with a new title and new subjects.
func BenchmarkPutChanged(b *testing.B) {
	c, items, n := filled(b), storetest.SampleVideos(0, benchBatch), 0
	measure(b, func() {
		n++
		for i, item := range items {
			v := item.(*catalogue.Video)
			v.Title = fmt.Sprint("Title ", n)
			v.SubjectIDs = []catalogue.ID{storetest.SampleID(catalogue.KindSubject, (i+n)%storetest.SampleSubjects)}
		}
		putBench(b, c, items)
	})
}

// BenchmarkItems reads 1,000 videos within a transaction.
func BenchmarkItems(b *testing.B) {
	c, ids := filled(b), benchIDs(1000)
	err := c.Write(context.Background(), func(ctx context.Context, tx store.Tx) error {
		measure(b, func() {
			if items, err := tx.Items(ctx, catalogue.KindVideo, ids); err != nil || len(items) != len(ids) {
				b.Fatal(len(items), err)
			}
		})
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkVideos reads 100 videos. Most of the time is JSON decoding.
func BenchmarkVideos(b *testing.B) {
	c, ids := filled(b), benchIDs(100)
	measure(b, func() {
		if videos, err := c.Videos(context.Background(), ids); err != nil || len(videos) != len(ids) {
			b.Fatal(len(videos), err)
		}
	})
}

// BenchmarkStates reads 100 states.
func BenchmarkStates(b *testing.B) {
	c, ids := filled(b), benchIDs(100)
	measure(b, func() {
		if states, err := c.States(context.Background(), ids); err != nil || len(states) != len(ids) {
			b.Fatal(len(states), err)
		}
	})
}

// BenchmarkFeed reads pages of up to 1,000 references: without a package, and with packages that hide no videos, half
// of the videos, and 95 percent of them, so that a page examines 1,000, 2,000 and 5,000 videos.
func BenchmarkFeed(b *testing.B) {
	c := filled(b)
	for _, page := range []struct {
		name     string
		channels int // the number that the package allows; -1: no package
		refs     int
	}{{"no package", -1, 1000}, {"hides none", 50, 1000}, {"hides half", 25, 1000}, {"hides 95 %", 2, 200}} {
		b.Run(page.name, func(b *testing.B) {
			query := store.FeedQuery{After: 5000, Size: 1000, Access: allowing(b, page.channels)}
			measure(b, func() {
				got, err := c.Feed(context.Background(), query)
				if err != nil || len(got.Refs) != page.refs {
					b.Fatal(len(got.Refs), err)
				}
			})
		})
	}
}

// allowing returns the access of a package that allows the first channels of the sample, or of no package if channels
// is negative.
func allowing(b *testing.B, channels int) catalogue.Access {
	b.Helper()
	if channels < 0 {
		return catalogue.Access{}
	}
	rule := catalogue.AccessRule{Type: catalogue.IncludedChannels}
	for n := range channels {
		rule.Values = append(rule.Values, string(storetest.SampleID(catalogue.KindChannel, n)))
	}
	access, err := catalogue.CompileRules([]catalogue.AccessRule{rule})
	if err != nil {
		b.Fatal(err)
	}
	return access
}

// BenchmarkHead reads the position of the log.
func BenchmarkHead(b *testing.B) {
	c := filled(b)
	measure(b, func() {
		if head, err := c.Head(context.Background()); err != nil || head == 0 {
			b.Fatal(head, err)
		}
	})
}

// BenchmarkFanOut propagates a change to 20,000 videos, 1,000 at a time.
func BenchmarkFanOut(b *testing.B) {
	c, n := openBench(b), 0
	items := storetest.SampleVideos(0, benchVideos)
	for _, item := range items {
		item.(*catalogue.Video).ChannelID = storetest.SampleID(catalogue.KindChannel, 0)
	}
	putBench(b, c, items)
	renamed := storetest.SampleDirectory()[0].(*catalogue.Channel)
	measure(b, func() {
		n++
		renamed.Name = fmt.Sprint("Another ", n)
		putBench(b, c, []catalogue.Item{renamed})
		for more := true; more; {
			var err error
			if more, err = c.FanOut(context.Background(), 1000); err != nil {
				b.Fatal(err)
			}
		}
	})
}
