package projection_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

func TestAnotherProcessImports(t *testing.T) {
	w := open(t)
	f, _ := w.run()
	w.eventually("ready", f.Ready)
	for from := 0; from < 600; from += 200 {
		w.put(videos(from, from+200, "title ")...)
		w.await()
	}
	w.put(videos(100, 150, "another title ")...)
	w.remove(10, 20)
	w.put(videos(15, 17, "back again ")...)
	w.await()
	if lag, err := f.Lag(), f.Err(); lag != 0 || err != nil {
		t.Errorf("lag %d, error %v", lag, err)
	}
	if w.ear.disorder || w.ear.all != 1 {
		t.Errorf("out of order: %t, %d calls of InvalidateAll", w.ear.disorder, w.ear.all)
	}
}

// TestWithinASecond checks that a change by another process is searchable within a second with the default settings.
// The best of three attempts counts, because the machine may be busy.
func TestWithinASecond(t *testing.T) {
	w := open(t)
	w.options = projection.Options{Store: w.store, Index: w.index}
	f, _ := w.run()
	w.eventually("ready", f.Ready)
	best := time.Hour
	for round := range 3 {
		w.put(videos(round, round+1, "title ")...)
		written := time.Now()
		w.await()
		best = min(best, time.Since(written))
	}
	if best > time.Second {
		t.Errorf("a change was found after %s", best)
	}
}

func TestWake(t *testing.T) {
	w := open(t)
	w.options.Poll = time.Hour
	var f *projection.Follower
	catalogue := cache.NewCatalogue(w.store, cache.CatalogueOptions{AfterWrite: func() { f.Wake() }})
	w.options.Store, w.options.Subscribers = catalogue, []projection.Subscriber{catalogue}
	f, _ = w.run()
	w.eventually("ready", f.Ready)
	w.putInto(catalogue, videos(0, 10, "title ")...)
	w.await()
}

func TestChangesOfWhatVideosShow(t *testing.T) {
	w := open(t)
	w.put(videos(0, 50, "title ")...)
	catalogue := cache.NewCatalogue(w.store, cache.CatalogueOptions{})
	w.options.Store, w.options.Subscribers = catalogue, []projection.Subscriber{catalogue}
	f, stop := w.run()
	w.eventually("ready", f.Ready)
	private := newChannel("channel", "Another channel")
	private.Private = true
	want := fmt.Sprintf("%q %q", "Another channel", []string{"Another subject"})
	w.put(newSubject("subject", "Another subject"), private)
	w.eventually("the names reach every document", func() bool {
		n := 0
		for _, content := range w.index.content() {
			if strings.Contains(content, want) && strings.HasSuffix(content, "private true") {
				n++
			}
		}
		return n == 50
	})
	w.await()

	stop() // The next process does the work that this one leaves.
	w.put(newSubject("subject", "A third subject"))
	w.run()
	w.eventually("the name reaches every document", func() bool {
		n := 0
		for _, content := range w.index.content() {
			if strings.Contains(content, "A third subject") {
				n++
			}
		}
		return n == 50
	})
}

func TestStart(t *testing.T) {
	const before = 100
	tests := []struct {
		name     string
		prepare  func(w *world)
		rebuilds int
	}{
		{"nothing has happened", func(*world) {}, 0},
		{"a few changes", func(w *world) { w.put(videos(0, 20, "new title ")...) }, 0},
		{"changes of half the catalogue", func(w *world) { w.put(videos(0, before/2, "new title ")...) }, 0},
		{"changes of more than half of it", func(w *world) { w.put(videos(0, before/2+1, "new title ")...) }, 1},
		{"the index is new", func(w *world) { w.index.documents, w.index.position = nil, 0 }, 1},
		{"the index is of a newer store", func(w *world) { w.index.position += 1000 }, 1},
		{"the log does not reach back", func(w *world) {
			w.put(videos(0, 20, "new title ")...)
			if err := w.other.Trim(context.Background(), 5); err != nil {
				t.Fatal(err)
			}
		}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := open(t)
			w.put(videos(0, before, "title ")...)
			f, stop := w.run()
			w.eventually("ready", f.Ready)
			stop()
			w.index.rebuilds = 0
			test.prepare(w)
			f, _ = w.run()
			w.eventually("ready", f.Ready)
			w.await()
			if w.index.rebuilds != test.rebuilds {
				t.Errorf("built anew %d times, want %d", w.index.rebuilds, test.rebuilds)
			}
		})
	}
}

func TestLogTrimmedBehindTheFollower(t *testing.T) {
	w := open(t)
	w.put(videos(0, 50, "title ")...)
	var stuck atomic.Bool
	hold := &faulty{Catalogue: w.store, fault: func(method string) error {
		if stuck.Load() && method == "Head" {
			return errFault
		}
		return nil
	}}
	w.options.Store = hold
	f, _ := w.run()
	w.eventually("ready", f.Ready)
	stuck.Store(true)
	w.put(videos(0, 30, "new title ")...)
	if err := w.other.Trim(context.Background(), 3); err != nil {
		t.Fatal(err)
	}
	stuck.Store(false)
	w.await()
	if w.ear.all != 2 {
		t.Errorf("%d calls of InvalidateAll, want 2: at the start, and when the log was lost", w.ear.all)
	}
}

func TestTrimsTheLog(t *testing.T) {
	w := open(t)
	w.put(videos(0, 50, "title ")...)
	w.options.TrimEvery, w.options.KeepLog = 5*time.Millisecond, 10
	w.run()
	w.eventually("the log is trimmed", func() bool {
		_, err := w.other.Changes(context.Background(), 1, 1)
		return errors.Is(err, store.ErrTrimmed)
	})
	w.await()
}

func TestRebuildWhileOthersWrite(t *testing.T) {
	w := open(t)
	w.put(videos(0, 200, "title ")...)
	w.index.onDocument = func(n int) error {
		switch {
		case n == 50:
			w.put(videos(0, 10, "changed behind the scan ")...)
			w.remove(10, 20)
		case n == 60:
			w.put(videos(150, 160, "changed ahead of the scan ")...)
			w.remove(160, 170)
		case n == 70:
			w.put(newSubject("subject", "Another subject"))
		case n%10 == 0 && n < 200:
			w.put(videos(1000+n, 1010+n, "new ")...)
		}
		return nil
	}
	f, _ := w.run()
	w.eventually("ready", f.Ready)
	w.await()

	w.index.onDocument = nil
	before := w.index.rebuilds
	if err := f.Rebuild(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.await()
	if w.index.rebuilds != before+1 {
		t.Error("Rebuild did not build anew")
	}
}

// TestRebuildAlone checks Rebuild without a running follower, as a command calls it.
func TestRebuildAlone(t *testing.T) {
	w := open(t)
	w.put(videos(0, 100, "title ")...)
	w.index.onDocument = func(n int) error {
		if n == 50 {
			w.put(videos(0, 10, "changed behind the scan ")...)
			w.remove(10, 20)
		}
		return nil
	}
	if err := projection.New(w.options).Rebuild(context.Background()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.stored(), w.index.content()); diff != "" {
		t.Errorf("when Rebuild returned (-stored +indexed):\n%s", diff)
	}
}

func TestStoppedInTheMiddle(t *testing.T) {
	w := open(t)
	w.put(videos(0, 200, "title ")...)
	cut := func(n int) func(int) error {
		return func(at int) error {
			if at == n {
				return errFault
			}
			return nil
		}
	}
	for at := 5; at < 200; at += 10 {
		ctx, cancel := context.WithCancel(context.Background())
		w.index.onDocument = func(n int) error {
			if n == at {
				cancel()
			}
			return nil
		}
		if err := projection.New(w.options).Rebuild(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at document %d: %v, want %v", at, err, context.Canceled)
		}
	}
	w.index.onDocument = cut(150)
	if err := projection.New(w.options).Rebuild(context.Background()); !errors.Is(err, errFault) {
		t.Errorf("failed while building: %v, want %v", err, errFault)
	}
	if len(w.index.content()) != 0 {
		t.Error("half an index was taken for a whole one")
	}
	w.index.onDocument = nil

	f, stop := w.run()
	w.eventually("ready", f.Ready)
	stop()
	w.put(videos(0, 95, "new title ")...)
	applied := make(chan struct{})
	var once sync.Once
	w.index.before = func(search.Batch) error {
		if w.index.batches%3 == 2 {
			once.Do(func() { close(applied) })
			return errFault
		}
		return nil
	}
	_, stop = w.run()
	<-applied
	stop()
	w.index.before = nil
	w.run()
	w.await()
	if w.index.rebuilds != 1 {
		t.Errorf("built anew %d times, want once: the rest was replayed", w.index.rebuilds)
	}
}

// faulty is a catalogue that calls fault before each call.
type faulty struct {
	store.Catalogue
	fault func(method string) error
}

func (s *faulty) Videos(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error) {
	if err := s.fault("Videos"); err != nil {
		return nil, err
	}
	return s.Catalogue.Videos(ctx, ids)
}

func (s *faulty) Transcripts(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]string, error) {
	if err := s.fault("Transcripts"); err != nil {
		return nil, err
	}
	return s.Catalogue.Transcripts(ctx, ids)
}

func (s *faulty) Directory(ctx context.Context, atLeast store.Position) (*catalogue.Directory, error) {
	if err := s.fault("Directory"); err != nil {
		return nil, err
	}
	return s.Catalogue.Directory(ctx, atLeast)
}

func (s *faulty) Scan(ctx context.Context, after int64, limit int) ([]*catalogue.Video, error) {
	if err := s.fault("Scan"); err != nil {
		return nil, err
	}
	return s.Catalogue.Scan(ctx, after, limit)
}

func (s *faulty) Head(ctx context.Context) (store.Position, error) {
	if err := s.fault("Head"); err != nil {
		return 0, err
	}
	return s.Catalogue.Head(ctx)
}

func (s *faulty) Changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	if err := s.fault("Changes"); err != nil {
		return nil, err
	}
	return s.Catalogue.Changes(ctx, after, limit)
}

func (s *faulty) FanOut(ctx context.Context, limit int) (bool, error) {
	if err := s.fault("FanOut"); err != nil {
		return false, err
	}
	return s.Catalogue.FanOut(ctx, limit)
}

func (s *faulty) Attest(ctx context.Context, token string, position store.Position) error {
	if err := s.fault("Attest"); err != nil {
		return err
	}
	return s.Catalogue.Attest(ctx, token, position)
}

func (s *faulty) Attested(ctx context.Context, token string, position store.Position) (bool, error) {
	if err := s.fault("Attested"); err != nil {
		return false, err
	}
	return s.Catalogue.Attested(ctx, token, position)
}

// TestFaults makes every call fail at times, some with a panic.
func TestFaults(t *testing.T) {
	w := open(t)
	w.put(videos(0, 100, "title ")...)
	var mu sync.Mutex
	random, failed := rand.New(rand.NewPCG(1, 2)), map[string]int{}
	fault := func(method string) error {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case failed[method] > 0 && random.IntN(4) > 0:
			return nil
		case failed[method]%5 == 1:
			failed[method]++
			panic("a bug in " + method)
		}
		failed[method]++
		return errFault
	}
	w.options.Store = &faulty{Catalogue: w.store, fault: fault}
	w.index.before = func(search.Batch) error { return fault("index") }
	f, _ := w.run()
	w.eventually("ready", f.Ready)
	for round := range 5 {
		w.put(videos(20*round, 20*round+30, fmt.Sprint("round ", round, " "))...)
		w.put(newSubject("subject", fmt.Sprint("Subject ", round)))
		w.remove(50, 55)
		w.await()
	}
	w.eventually("no error is left", func() bool { return f.Err() == nil })
	mu.Lock()
	defer mu.Unlock()
	for _, method := range []string{"Videos", "Transcripts", "Directory", "Scan", "Head", "Changes", "FanOut", "index"} {
		if failed[method] == 0 {
			t.Errorf("%s never failed, so this test does not cover it", method)
		}
	}
	if w.ear.disorder {
		t.Error("changes were announced out of order")
	}
}

func TestAnIndexThatIsAwayHoldsNobodyUp(t *testing.T) {
	w := open(t)
	var away atomic.Bool
	w.index.before = func(search.Batch) error {
		if away.Load() {
			return errFault
		}
		return nil
	}
	w.put(videos(0, 10, "title ")...)
	f, _ := w.run()
	w.eventually("ready", f.Ready)
	away.Store(true)
	w.put(videos(0, 5, "new title ")...)
	w.put(newSubject("subject", "Another subject"))
	w.eventually("changes are announced and propagated", func() bool {
		w.ear.mu.Lock()
		defer w.ear.mu.Unlock()
		return w.ear.kinds[catalogue.KindVideo] == 5+10
	})
	w.eventually("an error is shown", func() bool { return errors.Is(f.Err(), errFault) })
	if f.Lag() == 0 {
		t.Error("no lag, though the index is away")
	}
	if !f.Ready() {
		t.Error("not ready any more")
	}
	away.Store(false)
	w.await()
}

// TestNoVersionIsFoundBeforeItIsAnnounced checks that subscribers learn of a version before it enters the index. The test
// writes without pause and checks each batch.
func TestNoVersionIsFoundBeforeItIsAnnounced(t *testing.T) {
	w := open(t)
	w.put(videos(0, 100, "title ")...)
	var checked atomic.Int64
	var begin store.Position
	w.index.before = func(batch search.Batch) error {
		announced := max(begin, w.ear.upTo())
		for _, document := range batch.Put {
			checked.Add(1)
			if document.Version > announced {
				t.Errorf("version %d is indexed, but only %d is announced", document.Version, announced)
			}
		}
		return nil
	}
	begin, _ = w.other.Head(context.Background())
	// Rows change between the read of the log and the read of the rows.
	w.options.Store = &faulty{Catalogue: w.store, fault: func(method string) error {
		if n := int(checked.Load()); (method == "Videos" || method == "Scan") && n < 2000 {
			w.put(videos(n%100, n%100+3, fmt.Sprint("title at ", n, " "))...)
		}
		return nil
	}}
	f, _ := w.run()
	w.eventually("ready", f.Ready)
	for i := range 20 {
		w.put(videos(0, 30, fmt.Sprint("round ", i))...)
	}
	w.await()
	if checked.Load() < 200 {
		t.Errorf("only %d documents were checked", checked.Load())
	}
}

// saver saves an index that was empty when it was opened.
type saver func(ctx context.Context) (search.Snapshot, error)

func (s saver) Save(ctx context.Context) (search.Snapshot, error) { return s(ctx) }
func (s saver) Snapshot() search.Snapshot                         { return search.Snapshot{} }

func TestSnapshots(t *testing.T) {
	w := open(t)
	w.options.SnapshotQuiet, w.options.SnapshotWithin = 50*time.Millisecond, time.Hour
	var saved atomic.Int64
	var failures atomic.Int64
	failures.Store(2)
	w.options.Snapshots = saver(func(ctx context.Context) (search.Snapshot, error) {
		if failures.Add(-1) >= 0 {
			return search.Snapshot{}, errFault
		}
		position, err := w.index.Position(ctx)
		saved.Store(position)
		return search.Snapshot{}, err
	})
	w.put(videos(0, 10, "title ")...)
	w.run()
	for round := range 2 {
		w.put(videos(0, 10, fmt.Sprint("round ", round))...)
		head, err := w.other.Head(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		w.eventually("all is saved", func() bool { return saved.Load() == head })
	}
}

func TestSnapshotOfAnIndexThatNeverRests(t *testing.T) {
	w := open(t)
	w.options.SnapshotQuiet, w.options.SnapshotWithin = time.Hour, 20*time.Millisecond
	var saved atomic.Int64
	w.options.Snapshots = saver(func(context.Context) (search.Snapshot, error) {
		saved.Add(1)
		return search.Snapshot{}, nil
	})
	w.run()
	for round := range 3 {
		w.put(videos(0, 10, fmt.Sprint("round ", round))...)
		before := saved.Load()
		w.eventually("saved", func() bool { return saved.Load() > before })
	}
}

// TestDocument fills every field, so that a field missing in the document fails the test.
func TestDocument(t *testing.T) {
	least, most := 5, 9
	language, level := catalogue.Language("fra"), catalogue.CEFRLevel("B1")
	until, into := catalogue.Date(30_000), id(catalogue.KindVideo, "replacement")
	channel, subject := newChannel("channel", "A channel"), newSubject("subject", "A subject")
	channel.Private, channel.Categories = true, []string{"Y", "JN"}
	directory := catalogue.NewDirectory(1, []catalogue.Item{channel, subject})
	v := newVideo("v", "A title")
	v.Version, v.Sequence, v.UpdatedAt = 7, 3, time.Unix(1_700_000_000, 0)
	v.AvailableUntil, v.Retired, v.RetiredInto = &until, true, &into
	v.Keywords, v.Description, v.Language = []string{"a keyword"}, " ", &language // which describes nothing
	v.SubjectIDs = append(v.SubjectIDs, id(catalogue.KindSubject, "unknown"))
	v.SubjectsSetManually, v.Promoted, v.ReleasedOn = true, true, 20_000
	v.Playback = catalogue.Playback{Provider: catalogue.ProviderYouTube, Duration: catalogue.Minute}
	v.AgeRange = catalogue.AgeRange{Min: &least, Max: &most}
	v.ContentWarningIDs = []catalogue.ID{"warning"}
	v.BestForIDs, v.TopicIDs = []catalogue.ID{"tag"}, []catalogue.ID{"topic"}
	v.EducationLevels, v.CEFRLevel = []string{"PRIMARY"}, &level
	v.ContentCategories, v.Categories = []catalogue.Subtype{"INTERVIEW"}, []string{"PN", "Y"}
	v.Attachments = []catalogue.Attachment{{Type: "ACTIVITY"}, {Type: "LESSON_PLAN"}, {Type: "ACTIVITY"}}

	embedding := &catalogue.Embedding{Texts: "fingerprint", Dimensions: 2, Vectors: []byte{1, 0xFF, 127, 0x81}}
	got := projection.Document(v, "a transcript", embedding, directory)
	want := search.Document{
		State: catalogue.State{
			Ref: catalogue.Ref{ID: v.ID, Version: 7}, Sequence: 3, UpdatedAt: v.UpdatedAt,
			AvailableUntil: &until, Private: true, Retired: true, RetiredInto: &into, Duration: catalogue.Minute,
			Traits: catalogue.Traits{
				Type: catalogue.News, Channel: channel.ID, Subjects: v.SubjectIDs, EducationLevels: []string{"PRIMARY"},
				Categories: []string{"JN", "PN", "Y"}, Warnings: v.ContentWarningIDs, Language: "fra", YouTube: true,
			},
		},
		Title: "A title", Keywords: []string{"a keyword"}, SubjectNames: []string{"A subject"}, ChannelName: "A channel",
		Description: " ", Incomplete: true, Transcript: "a transcript", SubjectsSetManually: true,
		Duration: catalogue.Minute, ReleasedOn: 20_000, Ages: v.AgeRange, Promoted: true,
		Tags: []catalogue.ID{"tag"}, CEFR: "B1",
		Subtypes:      []catalogue.Subtype{"INTERVIEW"},
		ResourceTypes: []catalogue.AttachmentType{"ACTIVITY", "LESSON_PLAN"},
		Topics:        []catalogue.ID{"topic"},
		Vectors:       []search.Vector{{1, -1}, {127, -127}},
		Embedded:      "fingerprint",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	for i, value := range reflect.ValueOf(got).Fields() {
		if value.IsZero() {
			t.Errorf("field %s is empty: the test does not fill it, or nothing does", i.Name)
		}
	}

	bare := projection.Document(&catalogue.Video{ChannelID: "gone"}, "", nil, catalogue.NewDirectory(1, nil))
	if diff := cmp.Diff(search.Document{State: catalogue.State{Traits: catalogue.Traits{Channel: "gone"}}, Incomplete: true}, bare); diff != "" {
		t.Errorf("bare document (-want +got):\n%s", diff)
	}
}
