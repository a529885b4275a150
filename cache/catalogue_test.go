package cache_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// spy counts the reads that reach the primary. If afterRead is set, it runs when a read has its answer and before the
// caller receives it.
type spy struct {
	store.Catalogue
	reads     atomic.Int64
	afterRead func()
}

func (s *spy) read() {
	s.reads.Add(1)
	if s.afterRead != nil {
		s.afterRead()
	}
}

func (s *spy) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	defer s.read()
	return s.Catalogue.States(ctx, ids)
}

func (s *spy) Aliases(ctx context.Context, legacy []string) (map[string]catalogue.ID, error) {
	defer s.read()
	return s.Catalogue.Aliases(ctx, legacy)
}

func (s *spy) Directory(ctx context.Context, atLeast store.Position) (*catalogue.Directory, error) {
	defer s.read()
	return s.Catalogue.Directory(ctx, atLeast)
}

func (s *spy) Feed(ctx context.Context, query store.FeedQuery) (store.FeedPage, error) {
	defer s.read()
	return s.Catalogue.Feed(ctx, query)
}

// world is a catalogue on disk. cached reaches it through the decorator; other reaches it without, as another process
// does.
type world struct {
	testing.TB
	primary *spy
	cached  *cache.Catalogue
	other   store.Catalogue
	passed  store.Position
	channel catalogue.ID
}

func open(tb testing.TB, options cache.CatalogueOptions) *world {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "catalogue.db")
	handle := func() store.Catalogue {
		c, err := sqlite.OpenCatalogue(context.Background(), file)
		if err != nil {
			tb.Fatal(err)
		}
		return c
	}
	w := &world{TB: tb, other: handle(), primary: &spy{Catalogue: handle()}}
	w.cached = cache.NewCatalogue(w.primary, options)
	tb.Cleanup(func() {
		if err := errors.Join(w.cached.Close(), w.other.Close()); err != nil {
			tb.Error(err)
		}
	})
	w.channel = id(catalogue.KindChannel, "channel")
	w.put(w.cached, newChannel("channel", "A channel", false))
	return w
}

func id(kind catalogue.Kind, name string) catalogue.ID { return catalogue.DeriveID(kind, "test", name) }

func meta(kind catalogue.Kind, name string) catalogue.Meta {
	return catalogue.Meta{ID: id(kind, name), Source: "test", Reference: name}
}

func newChannel(reference, name string, private bool) *catalogue.Channel {
	return &catalogue.Channel{Meta: meta(catalogue.KindChannel, reference), Name: name, Private: private}
}

func newVideo(w *world, name, title string) *catalogue.Video {
	return &catalogue.Video{
		Meta: meta(catalogue.KindVideo, name), Title: title, Type: catalogue.News, ChannelID: w.channel,
		Playback: catalogue.Playback{ID: name, Provider: catalogue.ProviderHLS, Stream: "https://example.org/a.m3u8"},
	}
}

// newCaptions returns English captions of a video.
func newCaptions(video, text string) *catalogue.Captions {
	of := id(catalogue.KindVideo, video)
	return &catalogue.Captions{
		Meta: catalogue.Meta{ID: catalogue.CaptionsID(of, "eng")}, VideoID: of, Language: "eng",
		Cues: []catalogue.Cue{{End: 1, Text: text}},
	}
}

func newHighlight(name, video string) *catalogue.Highlight {
	return &catalogue.Highlight{Meta: meta(catalogue.KindHighlight, name), VideoID: id(catalogue.KindVideo, video), End: 1, Title: "A piece"}
}

func newDistrict(name string) *catalogue.District {
	return &catalogue.District{Meta: meta(catalogue.KindDistrict, "d"), ExternalID: "d", Name: name, Country: "NOR"}
}

func (w *world) put(c store.Catalogue, items ...catalogue.Item) {
	w.Helper()
	err := c.Write(context.Background(), func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, items)
		for i, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				return fmt.Errorf("%s: %w", items[i].Head().Reference, outcome.Faults)
			}
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) remove(c store.Catalogue, kind catalogue.Kind, names ...string) {
	w.Helper()
	for _, name := range names {
		w.removeIDs(c, kind, id(kind, name))
	}
}

func (w *world) removeIDs(c store.Catalogue, kind catalogue.Kind, ids ...catalogue.ID) {
	w.Helper()
	err := c.Write(context.Background(), func(ctx context.Context, tx store.Tx) error {
		if kept, err := tx.Delete(ctx, kind, ids); err != nil || len(kept) > 0 {
			return fmt.Errorf("%v are kept: %w", kept, err)
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

// passChanges passes the changes of the log to the decorator, as a follower does.
func (w *world) passChanges() {
	w.Helper()
	changes, err := w.other.Changes(context.Background(), w.passed, 100_000)
	if err != nil {
		w.Fatal(err)
	}
	w.cached.Invalidate(changes)
	if len(changes) > 0 {
		w.passed = changes[len(changes)-1].Position
	}
}

func (w *world) states(c store.Catalogue, names ...string) []catalogue.State {
	w.Helper()
	ids := make([]catalogue.ID, len(names))
	for i, name := range names {
		ids[i] = id(catalogue.KindVideo, name)
	}
	states, err := c.States(context.Background(), ids)
	if err != nil {
		w.Fatal(err)
	}
	return states
}

func (w *world) aliases(c store.Catalogue, legacy ...string) map[string]catalogue.ID {
	w.Helper()
	found, err := c.Aliases(context.Background(), legacy)
	if err != nil {
		w.Fatal(err)
	}
	return found
}

func (w *world) directory(c store.Catalogue, atLeast store.Position) *catalogue.Directory {
	w.Helper()
	d, err := c.Directory(context.Background(), atLeast)
	if err != nil {
		w.Fatal(err)
	}
	return d
}

func (w *world) feed(c store.Catalogue, query store.FeedQuery) store.FeedPage {
	w.Helper()
	page, err := c.Feed(context.Background(), query)
	if err != nil {
		w.Fatal(err)
	}
	return page
}

// wantReads runs ask and checks the number of reads that it costs the primary.
func (w *world) wantReads(what string, want int64, ask func()) {
	w.Helper()
	before := w.primary.reads.Load()
	ask()
	if got := w.primary.reads.Load() - before; got != want {
		w.Errorf("%s: %d reads of the primary, want %d", what, got, want)
	}
}

// same checks that the decorator and the primary give the same answers.
func (w *world) same(what string) {
	w.Helper()
	names := []string{"a", "nobody", "b", "c", "a", "d"}
	if diff := cmp.Diff(w.states(w.other, names...), w.states(w.cached, names...)); diff != "" {
		w.Errorf("%s: states (-stored +remembered):\n%s", what, diff)
	}
	legacy := []string{"1", "2", "3", "4"}
	if diff := cmp.Diff(w.aliases(w.other, legacy...), w.aliases(w.cached, legacy...)); diff != "" {
		w.Errorf("%s: aliases (-stored +remembered):\n%s", what, diff)
	}
	stored, remembered := w.directory(w.other, 0), w.directory(w.cached, 0)
	if diff := cmp.Diff(channels(stored), channels(remembered)); diff != "" {
		w.Errorf("%s: channels (-stored +remembered):\n%s", what, diff)
	}
	for _, query := range []store.FeedQuery{
		{Size: 2}, {Size: 2, After: 1}, {Size: 10, Access: catalogue.Access{PrivateChannels: true}}, {Size: 2, Access: hiding(w, "b")},
	} {
		if diff := cmp.Diff(w.feed(w.other, query), w.feed(w.cached, query)); diff != "" {
			w.Errorf("%s: feed %+v (-stored +remembered):\n%s", what, query, diff)
		}
	}
}

func channels(d *catalogue.Directory) []string {
	var names []string
	for _, channel := range d.Channels {
		names = append(names, fmt.Sprint(channel.Name, channel.Private, channel.Version))
	}
	return names
}

func TestReadsShowWrites(t *testing.T) {
	w := open(t, cache.CatalogueOptions{})
	withAlias := func(name, title, legacy string) *catalogue.Video {
		v := newVideo(w, name, title)
		v.LegacyID = legacy
		return v
	}
	retired := newVideo(w, "b", "B")
	into := id(catalogue.KindVideo, "a")
	retired.Retired, retired.RetiredInto = true, &into
	ends := newVideo(w, "c", "C")
	ends.AvailableUntil = new(catalogue.Date)
	steps := []struct {
		name string
		do   func(c store.Catalogue)
	}{
		{"nothing yet", func(store.Catalogue) {}},
		{"new videos", func(c store.Catalogue) {
			w.put(c, withAlias("a", "A", "1"), withAlias("b", "B", "2"), newVideo(w, "c", "C"))
		}},
		{"a video changes", func(c store.Catalogue) { w.put(c, withAlias("a", "A again", "1")) }},
		{"an alias changes", func(c store.Catalogue) { w.put(c, withAlias("a", "A again", "3")) }},
		{"an alias goes to another video", func(c store.Catalogue) {
			w.put(c, newVideo(w, "a", "A again"))
			w.put(c, withAlias("c", "C", "3"))
		}},
		{"a video is retired", func(c store.Catalogue) { w.put(c, retired) }},
		{"a video gets an end", func(c store.Catalogue) { w.put(c, ends) }},
		{"the channel becomes private", func(c store.Catalogue) { w.put(c, newChannel("channel", "A channel", true)) }},
		{"the channel gets another name", func(c store.Catalogue) { w.put(c, newChannel("channel", "Another", false)) }},
		{"a video gets other traits", func(c store.Catalogue) {
			v := newVideo(w, "c", "C")
			v.Categories, v.Language = []string{"JN"}, new(catalogue.Language("eng"))
			w.put(c, v)
		}},
		{"captions come", func(c store.Catalogue) { w.put(c, newCaptions("c", "text")) }},
		{"captions change", func(c store.Catalogue) { w.put(c, newCaptions("c", "another")) }},
		{"captions go", func(c store.Catalogue) { w.removeIDs(c, catalogue.KindCaptions, newCaptions("c", "").ID) }},
		{"a highlight comes", func(c store.Catalogue) { w.put(c, newHighlight("h", "c")) }},
		{"a highlight goes over to another video", func(c store.Catalogue) { w.put(c, newHighlight("h", "a")) }},
		{"a highlight goes", func(c store.Catalogue) { w.remove(c, catalogue.KindHighlight, "h") }},
		{"a record that moves no video", func(c store.Catalogue) { w.put(c, newDistrict("D")) }},
		{"a video is deleted", func(c store.Catalogue) { w.remove(c, catalogue.KindVideo, "b") }},
		{"a channel comes and goes", func(c store.Catalogue) {
			w.put(c, newChannel("second", "Second", false))
			w.remove(c, catalogue.KindChannel, "second")
		}},
	}
	for _, step := range steps {
		step.do(w.cached)
		w.same(step.name)
		w.same(step.name + ", asked again")
	}
}

func TestReadsShowOthersWritesOnceAnnounced(t *testing.T) {
	w := open(t, cache.CatalogueOptions{})
	w.put(w.other, newVideo(w, "a", "A"), newVideo(w, "b", "B"))
	w.passChanges()
	w.same("before")
	old := w.states(w.cached, "a")

	w.put(w.other, newVideo(w, "a", "A again"))
	if got := w.states(w.cached, "a"); !cmp.Equal(got, old) {
		t.Error("nothing was remembered, so that this test shows nothing")
	}
	w.passChanges()
	w.same("after a video")

	w.put(w.other, newChannel("channel", "Another", true))
	w.passChanges()
	w.same("after a channel")

	w.put(w.other, newVideo(w, "a", "A for the third time"), newChannel("channel", "A third", false))
	w.cached.InvalidateAll()
	w.same("after all was forgotten")
}

// TestPagesOfALostPlaceAreForgotten checks that the cache forgets its pages when the follower has lost its position:
// the store may have another history that reaches the same positions.
func TestPagesOfALostPlaceAreForgotten(t *testing.T) {
	w := open(t, cache.CatalogueOptions{})
	w.put(w.cached, newVideo(w, "a", "A"))
	ask := func() { w.feed(w.cached, store.FeedQuery{Size: 10}) }
	ask()
	w.wantReads("a page again", 0, ask)
	w.cached.InvalidateAll()
	w.wantReads("a page after all was forgotten", 1, ask)
}

func TestWhatIsKnownIsNotReadAgain(t *testing.T) {
	w := open(t, cache.CatalogueOptions{})
	legacy := newVideo(w, "a", "A")
	legacy.LegacyID = "1"
	w.put(w.cached, legacy, newVideo(w, "b", "B"), newVideo(w, "c", "C"))

	w.wantReads("states", 1, func() { w.states(w.cached, "a", "b") })
	w.wantReads("states again", 0, func() { w.states(w.cached, "b", "a", "a") })
	w.wantReads("one more", 1, func() { w.states(w.cached, "a", "c", "b") })
	w.wantReads("no states", 0, func() { w.states(w.cached) })
	w.wantReads("aliases", 1, func() { w.aliases(w.cached, "1") })
	w.wantReads("aliases again", 0, func() { w.aliases(w.cached, "1") })
	w.wantReads("the directory", 1, func() { w.directory(w.cached, 0) })
	w.wantReads("the directory again", 0, func() { w.directory(w.cached, 0) })
	w.wantReads("a page", 1, func() { w.feed(w.cached, store.FeedQuery{Size: 10}) })
	w.wantReads("the page again", 0, func() { w.feed(w.cached, store.FeedQuery{Size: 10}) })
	w.wantReads("another page", 1, func() { w.feed(w.cached, store.FeedQuery{Size: 11}) })
	w.wantReads("what there is not, twice", 4, func() {
		for range 2 {
			w.states(w.cached, "nobody")
			w.aliases(w.cached, "99")
		}
	})
	w.put(w.cached, newVideo(w, "b", "B")) // This write changes nothing.
	w.wantReads("after a write that changed nothing", 0, func() { w.states(w.cached, "a", "b") })
	w.put(w.cached, newVideo(w, "b", "B again"))
	w.wantReads("another video than the one that changed", 0, func() { w.states(w.cached, "a", "c") })
	w.wantReads("the directory, which the video is not in", 0, func() { w.directory(w.cached, 0) })
	w.passChanges()
	w.states(w.cached, "a", "b", "c")
	w.put(w.cached, newDistrict("D"), newCaptions("b", "text"))
	w.wantReads("the directory, which records are not in", 0, func() { w.directory(w.cached, 0) })
	w.wantReads("another video than that of the captions", 0, func() { w.states(w.cached, "a", "c") })
	w.wantReads("the video of the captions", 1, func() { w.states(w.cached, "b") })
	w.put(w.other, newDistrict("Another"))
	w.passChanges()
	w.wantReads("the directory after others wrote records", 0, func() { w.directory(w.cached, 0) })
}

func TestAReadThatBeganBeforeAWriteLeavesNothing(t *testing.T) {
	reads := map[string]func(w *world){
		"states":    func(w *world) { w.states(w.cached, "a") },
		"aliases":   func(w *world) { w.aliases(w.cached, "1") },
		"directory": func(w *world) { w.directory(w.cached, 0) },
		"feed":      func(w *world) { w.feed(w.cached, store.FeedQuery{Size: 10}) },
	}
	for name, read := range reads {
		for _, teller := range []string{"this process", "another process"} {
			t.Run(name+", "+teller, func(t *testing.T) {
				w := open(t, cache.CatalogueOptions{})
				legacy := newVideo(w, "a", "A")
				legacy.LegacyID = "1"
				w.put(w.cached, legacy)
				w.passChanges()
				write := func() {
					w.primary.afterRead = nil
					writer := store.Catalogue(w.cached)
					if teller == "another process" {
						writer = w.other
					}
					w.put(writer, newVideo(w, "a", "A again"), newVideo(w, "b", "B"), newChannel("channel", "Another", true))
					w.passChanges()
				}
				w.primary.afterRead = write
				read(w)
				if w.primary.afterRead != nil {
					t.Fatal("the read did not reach the primary")
				}
				w.same("after the write")
			})
		}
	}
}

func TestDirectoryAtLeast(t *testing.T) {
	w := open(t, cache.CatalogueOptions{})
	w.passChanges()
	first := w.directory(w.cached, 0)

	w.put(w.other, newVideo(w, "a", "A"))
	w.put(w.other, newDistrict("D"), newCaptions("a", "text"))
	version := w.states(w.other, "a")[0].Version
	w.wantReads("only videos and records came", 0, func() {
		if w.directory(w.cached, version) != first {
			t.Error("another directory, though nothing in it has changed")
		}
	})
	w.put(w.other, newChannel("channel", "Another", false), newVideo(w, "a", "A again"))
	version = w.states(w.other, "a")[0].Version
	w.wantReads("a channel changed, its change was not passed on", 1, func() {
		if got := w.directory(w.cached, version).Channel(w.channel).Name; got != "Another" {
			t.Errorf("channel %q, want the name that the video's version stands for", got)
		}
	})
	w.wantReads("a passed change that it reflects", 0, func() {
		w.passChanges()
		w.directory(w.cached, version)
	})
}

func TestFailedWrites(t *testing.T) {
	var ended int
	w := open(t, cache.CatalogueOptions{AfterWrite: func() { ended++ }})
	w.put(w.cached, newVideo(w, "a", "A"))
	w.same("before")
	ended = 0
	fault := errors.New("on second thoughts")
	err := w.cached.Write(context.Background(), func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Put(ctx, []catalogue.Item{newVideo(w, "a", "A again"), newVideo(w, "b", "B")}); err != nil {
			return err
		}
		return fault
	})
	if !errors.Is(err, fault) {
		t.Errorf("error %v, want %v", err, fault)
	}
	w.same("after")
	if ended != 1 {
		t.Errorf("AfterWrite was called %d times; whether a failed commit took effect is not known", ended)
	}
}

func TestAfterWriteComesWhenReadsShowIt(t *testing.T) {
	var w *world
	var shown []string
	w = open(t, cache.CatalogueOptions{AfterWrite: func() {
		if w == nil {
			return
		}
		for _, channel := range w.directory(w.cached, 0).Channels {
			shown = append(shown, channel.Name)
		}
	}})
	w.put(w.cached, newChannel("channel", "Another", false))
	w.put(w.cached, newDistrict("D"))
	if !slices.Equal(shown, []string{"Another", "Another"}) {
		t.Errorf("AfterWrite saw %q", shown)
	}
}

// TestAnyHistory writes through the decorator and past it in any order. Reads through the decorator equal those of the
// primary whenever the follower has caught up. After each write through the decorator, they include that write.
func TestAnyHistory(t *testing.T) {
	w := open(t, cache.CatalogueOptions{MaxStateBytes: 1300, MaxAliases: 2, MaxFeedBytes: 2000})
	rapid.Check(t, func(rt *rapid.T) {
		w.remove(w.cached, catalogue.KindVideo, "a", "b", "c", "d")
		w.put(w.cached, newVideo(w, "a", "one"), newVideo(w, "b", "one"))
		w.put(w.cached, newChannel("channel", "A channel", false))
		w.passChanges()
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			name := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "video")
			writer := store.Catalogue(w.cached)
			if rapid.Bool().Draw(rt, "elsewhere") {
				writer = w.other
			}
			switch rapid.SampledFrom([]string{"video", "alias", "delete", "channel", "captions", "highlight", "no highlight"}).Draw(rt, "what") {
			case "video":
				w.put(writer, newVideo(w, name, rapid.SampledFrom([]string{"one", "two"}).Draw(rt, "title")))
			case "alias":
				v := newVideo(w, name, "aliased")
				v.LegacyID = map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}[name]
				w.put(writer, v)
			case "delete":
				w.remove(writer, catalogue.KindVideo, name)
			case "captions":
				w.putOwned(writer, newCaptions(name, rapid.SampledFrom([]string{"one", "two"}).Draw(rt, "text")))
			case "highlight":
				w.putOwned(writer, newHighlight(rapid.SampledFrom([]string{"g", "h"}).Draw(rt, "highlight"), name))
			case "no highlight":
				w.remove(writer, catalogue.KindHighlight, "g", "h")
			case "channel":
				w.put(writer, newChannel("channel", "A channel", rapid.Bool().Draw(rt, "private")))
			}
			if writer == w.other || rapid.Bool().Draw(rt, "told") {
				w.passChanges()
			}
			w.same("after a step")
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

// putOwned puts a record of a video, if the video exists.
func (w *world) putOwned(c store.Catalogue, record catalogue.OwnedItem) {
	w.Helper()
	err := c.Write(context.Background(), func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, []catalogue.Item{record})
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

// TestVersionsNeverFall reads states while they are written. A caller that reads after a write has ended sees nothing
// older than that write.
func TestVersionsNeverFall(t *testing.T) {
	w := open(t, cache.CatalogueOptions{})
	w.put(w.cached, newVideo(w, "a", "A"))
	var written atomic.Int64
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				least := written.Load()
				states, err := w.cached.States(context.Background(), []catalogue.ID{id(catalogue.KindVideo, "a")})
				if err != nil || len(states) != 1 || states[0].Version < least {
					t.Errorf("states %v, %v, want version %d at least", states, err, least)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range 50 {
		video := newVideo(w, "a", fmt.Sprint("title ", i))
		w.put(w.cached, video)
		written.Store(video.Version)
	}
	close(done)
	readers.Wait()
}

func TestClosedCatalogue(t *testing.T) {
	w := open(t, cache.CatalogueOptions{})
	w.put(w.cached, newVideo(w, "a", "A"))
	w.states(w.cached, "a")
	if err := w.cached.Close(); err != nil {
		t.Fatal(err)
	}
	if states, err := w.cached.States(context.Background(), []catalogue.ID{id(catalogue.KindVideo, "a")}); err == nil {
		t.Errorf("states %v from a closed catalogue", states)
	}
}

func benchmarkWorld(b *testing.B, videos int) (*world, []catalogue.ID) {
	b.Helper()
	w := open(b, cache.CatalogueOptions{})
	items, ids := make([]catalogue.Item, videos), make([]catalogue.ID, videos)
	for i := range items {
		v := newVideo(w, fmt.Sprint(i), fmt.Sprint("Video ", i))
		items[i], ids[i] = v, v.ID
	}
	w.put(w.cached, items...)
	return w, ids
}

func BenchmarkStates(b *testing.B) {
	w, ids := benchmarkWorld(b, 1000)
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint("ids=", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if states, err := w.cached.States(context.Background(), ids[:n]); err != nil || len(states) != n {
					b.Fatal(len(states), err)
				}
			}
		})
	}
}

func BenchmarkFeedPage(b *testing.B) {
	w, _ := benchmarkWorld(b, 1000)
	for name, c := range map[string]store.Catalogue{"remembered": w.cached, "read": w.other} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if page, err := c.Feed(context.Background(), store.FeedQuery{Size: 1000}); err != nil || len(page.Refs) != 1000 {
					b.Fatal(len(page.Refs), err)
				}
			}
		})
	}
}
