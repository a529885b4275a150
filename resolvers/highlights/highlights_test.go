package highlights

import (
	"context"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/projection"
	videos "github.com/filmstrip/filmstrip/resolvers/catalogue"
	searches "github.com/filmstrip/filmstrip/resolvers/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// library is a resolver over a generated catalogue, with a caller who sees everything.
type library struct {
	*Resolver
	ctx   context.Context
	items []catalogue.Item
}

func openLibrary(tb testing.TB, size int) *library {
	tb.Helper()
	fail := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	primary, err := sqlite.OpenCatalogue(tb.Context(), filepath.Join(tb.TempDir(), "catalogue.db"))
	fail(err)
	remembered := cache.NewCatalogue(primary, cache.CatalogueOptions{})
	tb.Cleanup(func() { _ = remembered.Close() })
	l := &library{items: slices.Collect(generate.Items(generate.Options{Videos: size, Seed: 7, Material: true}))}
	for some := range slices.Chunk(l.items, 2000) {
		fail(remembered.Write(tb.Context(), func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Put(ctx, some)
			return err
		}))
	}
	analyzer := analysis.New(analysis.Synonyms{})
	index, err := embedded.Open(embedded.Options{Analyzer: analyzer})
	fail(err)
	tb.Cleanup(func() { _ = index.Close() })
	fail(projection.New(projection.Options{Store: remembered, Index: index}).Rebuild(tb.Context()))
	visible := videos.New(videos.Config{Store: remembered, Index: index, Now: time.Now})
	searcher := searches.New(searches.Config{Videos: visible, Index: cache.NewSearches(index, cache.SearchOptions{}), Analyzer: analyzer, Now: time.Now})
	l.Resolver = New(remembered, visible, searcher, analyzer)
	l.ctx = account.WithCaller(tb.Context(), &account.Caller{
		ClientID: "test", Permissions: account.OperatorPermissions(), Access: catalogue.Access{PrivateChannels: true},
	})
	return l
}

// of returns the items of a type.
func of[T catalogue.Item](l *library) (list []T) {
	for _, item := range l.items {
		if one, ok := item.(T); ok {
			list = append(list, one)
		}
	}
	return list
}

func (l *library) ask(tb testing.TB, text string, threshold float64, size int) []*graph.Highlight {
	tb.Helper()
	found, err := l.Highlights(l.ctx, text, threshold, size, nil, nil, nil, nil, false)
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// someWords returns consecutive words of a text, or "" if it has too few.
func someWords(rng *rand.Rand, text string, n int) string {
	words := strings.Fields(text)
	if len(words) < n {
		return ""
	}
	start := rng.IntN(len(words) - n + 1)
	return strings.ReplaceAll(strings.Join(words[start:start+n], " "), `"`, "")
}

// TestKnownHighlightsAreFound proves that six words spoken in a highlight or passage find it among the first ten
// results, at least nine times in ten.
func TestKnownHighlightsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("a catalogue of some size is generated")
	}
	l := openLibrary(t, 1500)
	texts := map[catalogue.ID]string{}
	for _, h := range of[*catalogue.Highlight](l) {
		texts[h.ID] = h.Caption
	}
	has := map[catalogue.ID]bool{}
	for _, h := range of[*catalogue.Highlight](l) {
		has[h.VideoID] = true
	}
	passages := map[catalogue.ID]string{}
	videos := map[catalogue.ID]*catalogue.Video{}
	for _, v := range of[*catalogue.Video](l) {
		videos[v.ID] = v
	}
	for _, c := range of[*catalogue.Captions](l) {
		v := videos[c.VideoID]
		if has[c.VideoID] || v.Transcript != nil || v.Language != nil && *v.Language != c.Language || v.Retired {
			continue
		}
		for _, p := range c.Passages() {
			passages[catalogue.PassageID(c.VideoID, p.Start, p.End)] = p.Text()
		}
	}
	for name, pieces := range map[string]map[catalogue.ID]string{"highlights": texts, "passages": passages} {
		asked, found := 0, 0
		rng := rand.New(rand.NewPCG(1, 2)) // a separate generator, because the order of the two kinds is undefined
		ids := slices.Sorted(maps.Keys(pieces))
		rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		for _, id := range ids[:min(len(ids), 400)] {
			text := someWords(rng, pieces[id], 6)
			if text == "" {
				continue
			}
			asked++
			if slices.ContainsFunc(l.ask(t, text, 0.815, 10), func(h *graph.Highlight) bool { return h.ID == id }) {
				found++
			}
		}
		t.Logf("%s: %d of %d are found", name, found, asked)
		if asked < 50 || found*100 < asked*90 {
			t.Errorf("%s: %d of %d are found among the first ten", name, found, asked)
		}
	}
}

// TestHighlightsAreInOrder proves that scores decrease, that none is below the threshold, and that equal queries have
// equal answers.
func TestHighlightsAreInOrder(t *testing.T) {
	l := openLibrary(t, 300)
	for _, text := range []string{"energy", "the history of trade", "cells and light", `"water"`, "wter cycle"} {
		found := l.ask(t, text, 0.3, 500)
		for i, h := range found {
			if *h.Score < 0.3 || *h.Score > 1 || i > 0 && *h.Score > *found[i-1].Score || h.EndTime <= h.StartTime {
				t.Errorf("%q: place %d: %+v", text, i, h)
			}
		}
		again := l.ask(t, text, 0.3, 500)
		if !slices.EqualFunc(found, again, func(a, b *graph.Highlight) bool { return a.ID == b.ID && *a.Score == *b.Score }) {
			t.Errorf("%q: another answer to the same question", text)
		}
		for _, h := range found[:min(len(found), 5)] {
			one, err := l.Highlight(l.ctx, string(h.ID))
			if err != nil || one == nil || one.Caption != h.Caption || one.StartTime != h.StartTime {
				t.Errorf("%s is %+v %v by itself, %+v in the list", h.ID, one, err, h)
			}
		}
	}
}

// BenchmarkHighlights searches the highlights and passages of 10,000 videos for texts of all kinds.
func BenchmarkHighlights(b *testing.B) {
	l := openLibrary(b, 10_000)
	rng := rand.New(rand.NewPCG(3, 4))
	highlights := of[*catalogue.Highlight](l)
	var texts []string
	for range 200 {
		if text := someWords(rng, highlights[rng.IntN(len(highlights))].Caption, 1+rng.IntN(5)); text != "" {
			texts = append(texts, text)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.ask(b, texts[i%len(texts)], 0.815, 100)
	}
}
