package projection_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// memoryIndex is an index that only keeps documents. before runs ahead of each batch and at the end of each rebuild,
// and onDocument runs for each document of a rebuild. If forward is set, a batch never moves the position back.
type memoryIndex struct {
	search.Index
	mu         sync.Mutex
	documents  map[catalogue.ID]search.Document
	position   int64
	batches    int
	rebuilds   int
	forward    bool
	before     func(search.Batch) error
	onDocument func(int) error
}

func newMemoryIndex() *memoryIndex {
	return &memoryIndex{documents: map[catalogue.ID]search.Document{}}
}

func (s *memoryIndex) Apply(_ context.Context, batch search.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches++
	if s.before != nil {
		if err := s.before(batch); err != nil {
			return err
		}
	}
	for _, id := range batch.Delete {
		delete(s.documents, id)
	}
	for _, document := range batch.Put {
		if s.documents[document.ID].Version <= document.Version {
			s.documents[document.ID] = document
		}
	}
	if !s.forward || batch.Position > s.position {
		s.position = batch.Position
	}
	return nil
}

func (s *memoryIndex) Rebuild(_ context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	anew := map[catalogue.ID]search.Document{}
	for document, err := range documents {
		if err != nil {
			return err
		}
		if s.onDocument != nil {
			if err := s.onDocument(len(anew)); err != nil {
				return err
			}
		}
		anew[document.ID] = document
	}
	if s.before != nil {
		if err := s.before(search.Batch{Put: slices.Collect(maps.Values(anew))}); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rebuilds++
	s.documents, s.position = anew, position
	return nil
}

func (s *memoryIndex) Position(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position, nil
}

// content summarizes the documents of the memoryIndex.
func (s *memoryIndex) content() map[catalogue.ID]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	content := map[catalogue.ID]string{}
	for id, d := range s.documents {
		content[id] = describe(d)
	}
	return content
}

func describe(d search.Document) string {
	return fmt.Sprintf("%d %q %q %q %q private %t", d.Version, d.Title, d.ChannelName, d.SubjectNames, d.Transcript, d.Private)
}

// ear is a subscriber that records its last position, its counts of changes by kind, and whether a change came out of
// order.
type ear struct {
	mu       sync.Mutex
	last     store.Position
	all      int
	kinds    map[catalogue.Kind]int
	disorder bool
}

func (e *ear) Invalidate(changes []store.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, change := range changes {
		e.disorder = e.disorder || change.Position <= e.last
		e.last = change.Position
		if e.kinds == nil {
			e.kinds = map[catalogue.Kind]int{}
		}
		e.kinds[change.Kind]++
	}
}

func (e *ear) InvalidateAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all++
}

func (e *ear) upTo() store.Position {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

// world is a catalogue on disk. The follower's process uses store; other is the same catalogue, as another process
// opens it.
type world struct {
	testing.TB
	file         string
	store, other store.Catalogue
	index        *memoryIndex
	ear          *ear
	options      projection.Options
	pause        time.Duration // pause is the time between two checks of await.
}

func open(tb testing.TB) *world {
	tb.Helper()
	w := &world{TB: tb, file: filepath.Join(tb.TempDir(), "catalogue.db"), index: newMemoryIndex(), ear: &ear{}, pause: 2 * time.Millisecond}
	w.store, w.other = w.handle(), w.handle()
	w.options = projection.Options{
		Store: w.store, Index: w.index, Subscribers: []projection.Subscriber{w.ear},
		Poll: 5 * time.Millisecond, Batch: 40, Gather: 40, FanOut: 7, FanOutPause: time.Microsecond,
		BackOff: time.Millisecond, MaxBackOff: 4 * time.Millisecond,
	}
	w.put(newChannel("channel", "A channel"), newSubject("subject", "A subject"))
	return w
}

func (w *world) handle() store.Catalogue {
	w.Helper()
	c, err := sqlite.OpenCatalogue(context.Background(), w.file)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := c.Close(); err != nil {
			w.Error(err)
		}
	})
	return c
}

func id(kind catalogue.Kind, name string) catalogue.ID { return catalogue.DeriveID(kind, "test", name) }

func meta(kind catalogue.Kind, name string) catalogue.Meta {
	return catalogue.Meta{ID: id(kind, name), Source: "test", Reference: name}
}

func newChannel(reference, name string) *catalogue.Channel {
	return &catalogue.Channel{Meta: meta(catalogue.KindChannel, reference), Name: name}
}

func newSubject(reference, name string) *catalogue.Subject {
	return &catalogue.Subject{Meta: meta(catalogue.KindSubject, reference), Name: name}
}

func newVideo(name, title string) *catalogue.Video {
	return &catalogue.Video{
		Meta: meta(catalogue.KindVideo, name), Title: title, Type: catalogue.News,
		ChannelID: id(catalogue.KindChannel, "channel"), SubjectIDs: []catalogue.ID{id(catalogue.KindSubject, "subject")},
		Playback: catalogue.Playback{ID: name, Provider: catalogue.ProviderHLS, Stream: "https://example.org/a.m3u8"},
	}
}

// videos returns new videos with the numbers from up to but excluding to. Every third has a transcript.
func videos(from, to int, title string) []catalogue.Item {
	var items []catalogue.Item
	for i := from; i < to; i++ {
		v := newVideo(fmt.Sprint(i), fmt.Sprint(title, i))
		if i%3 == 0 {
			transcript := fmt.Sprint("words of ", title, i)
			v.Transcript = &transcript
		}
		items = append(items, v)
	}
	return items
}

// put writes as another process does.
func (w *world) put(items ...catalogue.Item) {
	w.Helper()
	w.putInto(w.other, items...)
}

func (w *world) putInto(c store.Catalogue, items ...catalogue.Item) {
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
		w.Error(err)
	}
}

func (w *world) remove(from, to int) {
	w.Helper()
	err := w.other.Write(context.Background(), func(ctx context.Context, tx store.Tx) error {
		var ids []catalogue.ID
		for i := from; i < to; i++ {
			ids = append(ids, id(catalogue.KindVideo, fmt.Sprint(i)))
		}
		_, err := tx.Delete(ctx, catalogue.KindVideo, ids)
		return err
	})
	if err != nil {
		w.Error(err)
	}
}

// run starts a follower. stop ends it and waits until it has ended.
func (w *world) run() (f *projection.Follower, stop func()) {
	f = projection.New(w.options)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	w.Cleanup(stop)
	return f, stop
}

// stored returns the expected content of the memoryIndex.
func (w *world) stored() map[catalogue.ID]string {
	w.Helper()
	ctx := context.Background()
	directory, err := w.other.Directory(ctx, 0)
	if err != nil {
		w.Fatal(err)
	}
	all, err := w.other.Scan(ctx, 0, 1_000_000)
	if err != nil {
		w.Fatal(err)
	}
	content := map[catalogue.ID]string{}
	for _, v := range all {
		transcript := ""
		if v.Transcript != nil {
			transcript = *v.Transcript
		}
		content[v.ID] = describe(projection.Document(v, transcript, nil, directory))
	}
	return content
}

// await waits until the index has the position of the log's end and the content of the store. A follower that still has
// changes to propagate keeps the two apart.
func (w *world) await() {
	w.Helper()
	diff := "the index is behind"
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(w.pause) {
		head, err := w.other.Head(context.Background())
		if err != nil {
			w.Fatal(err)
		}
		if position, _ := w.index.Position(context.Background()); position != head {
			continue
		}
		if diff = cmp.Diff(w.stored(), w.index.content()); diff == "" {
			return
		}
	}
	w.Fatalf("not in step after %s (-stored +indexed):\n%.2000s", patience, diff)
}

// patience is how long a test waits for an event that must happen, on a machine that is busy with other tests.
const patience = 30 * time.Second

// eventually waits until a condition is true.
func (w *world) eventually(what string, condition func() bool) {
	w.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if condition() {
			return
		}
	}
	w.Fatalf("timeout waiting for: %s (%s)", what, patience)
}

var errFault = errors.New("out of order")
