package projection_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
)

// engines returns a world whose follower connects the engines of a server: the SQLite store, its cache and the embedded
// index.
func engines(tb testing.TB, dir string) (*world, *cache.Catalogue, *embedded.Index) {
	tb.Helper()
	w := open(tb)
	index, err := embedded.Open(embedded.Options{Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = index.Close() })
	remembered := cache.NewCatalogue(w.store, cache.CatalogueOptions{})
	w.options = projection.Options{Store: remembered, Index: index, Subscribers: []projection.Subscriber{remembered}}
	return w, remembered, index
}

// importItems writes items in transactions of 1,000, as an import does.
func importItems(w *world, items []catalogue.Item) {
	w.Helper()
	for batch := range slices.Chunk(items, 1000) {
		w.put(batch...)
	}
}

func (w *world) awaitPosition(index search.Index) {
	w.Helper()
	w.eventually("in step", func() bool {
		head, err := w.other.Head(context.Background())
		if err != nil {
			w.Fatal(err)
		}
		position, err := index.Position(context.Background())
		return err == nil && position == head
	})
}

func TestEmbeddedIndex(t *testing.T) {
	w, remembered, index := engines(t, t.TempDir())
	w.options.Snapshots, w.options.SnapshotQuiet = index, 1
	f, stop := w.run()
	w.eventually("ready", f.Ready)
	items := slices.Collect(generate.Items(generate.Options{Videos: 200, Seed: 1}))
	importItems(w, items)
	w.awaitPosition(index)

	ctx := context.Background()
	all := catalogue.Access{PrivateChannels: true}
	found, err := index.Search(ctx, search.Query{Access: all, Size: 500})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]catalogue.ID, len(found.Refs))
	for i, ref := range found.Refs {
		ids[i] = ref.ID
	}
	states, err := remembered.States(ctx, ids)
	if err != nil {
		t.Fatal(err)
	}
	visible := 0
	for _, item := range items {
		if v, ok := item.(*catalogue.Video); ok && !v.Retired {
			visible++
		}
	}
	if len(states) != visible || found.Total != visible {
		t.Fatalf("%d found, %d of them stored, want %d", found.Total, len(states), visible)
	}
	for i, state := range states {
		if state.Ref != found.Refs[i] {
			t.Errorf("found %v, stored %v", found.Refs[i], state.Ref)
		}
	}
	stop()
}

// BenchmarkRebuild rebuilds the index of 20,000 videos from the store. It reports videos/s.
func BenchmarkRebuild(b *testing.B) { benchmark(b, true) }

// BenchmarkReplay fills an empty index by the log of the same videos. It reports videos/s.
func BenchmarkReplay(b *testing.B) { benchmark(b, false) }

func benchmark(b *testing.B, anew bool) {
	const videos = 20_000
	for _, words := range []int{0, 200} {
		b.Run(fmt.Sprint("transcript=", words), func(b *testing.B) {
			w, _, index := engines(b, "")
			f, _ := w.run()
			w.eventually("ready", f.Ready)
			items := slices.Collect(generate.Items(generate.Options{Videos: videos, Seed: 1, TranscriptWords: words}))
			importItems(w, items)
			w.awaitPosition(index)
			for b.Loop() {
				if anew {
					if err := f.Rebuild(context.Background()); err != nil {
						b.Fatal(err)
					}
					continue
				}
				empty, err := embedded.Open(embedded.Options{})
				if err != nil {
					b.Fatal(err)
				}
				// Position 1 makes the index behind the log instead of new.
				if err := empty.Apply(context.Background(), search.Batch{Position: 1}); err != nil {
					b.Fatal(err)
				}
				w.options.Index, w.options.RebuildShare = empty, 1000
				_, stop := w.run()
				w.awaitPosition(empty)
				stop()
			}
			b.ReportMetric(float64(videos*b.N)/b.Elapsed().Seconds(), "videos/s")
		})
	}
}
