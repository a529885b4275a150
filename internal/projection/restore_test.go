package projection_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// place is a data directory. Tests repeatedly open, follow and close its store and index. fault runs before each call
// of the store by a follower.
type place struct {
	testing.TB
	dir   string
	fault func(method string) error
	log   strings.Builder
	scans atomic.Int64
}

// newPlace creates a directory whose catalogue contains a channel and a subject.
func newPlace(tb testing.TB) *place {
	p := &place{TB: tb, dir: tb.TempDir(), fault: func(string) error { return nil }}
	p.put(newChannel("channel", "A channel"), newSubject("subject", "A subject"))
	return p
}

func (p *place) file() string { return filepath.Join(p.dir, "catalogue.db") }

// put writes while no server runs.
func (p *place) put(items ...catalogue.Item) {
	p.Helper()
	c := p.store()
	(&world{TB: p}).putInto(c, items...)
	if err := c.Close(); err != nil {
		p.Fatal(err)
	}
}

func (p *place) store() *sqlite.Catalogue {
	p.Helper()
	c, err := sqlite.OpenCatalogue(context.Background(), p.file())
	if err != nil {
		p.Fatal(err)
	}
	return c
}

// run runs a follower until done reports true, and then stops it as a server does.
func (p *place) run(done func(f *projection.Follower, c store.Catalogue, index *embedded.Index) bool) {
	p.Helper()
	c := p.store()
	index, err := embedded.Open(embedded.Options{Dir: filepath.Join(p.dir, "search")})
	if err != nil {
		p.Fatal(err)
	}
	p.log.Reset()
	p.scans.Store(0)
	w := &world{TB: p, options: projection.Options{
		Index: index, Snapshots: index, Poll: 5 * time.Millisecond, BackOff: time.Millisecond, MaxBackOff: time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(&p.log, nil)),
		Store: &faulty{Catalogue: c, fault: func(method string) error {
			if method == "Scan" {
				p.scans.Add(1)
			}
			return p.fault(method)
		}},
	}}
	f, stop := w.run()
	w.eventually("the follower is where it should be", func() bool { return done(f, c, index) })
	stop()
	if err := errors.Join(index.Close(), c.Close()); err != nil {
		p.Fatal(err)
	}
}

// serve runs a follower until it is ready, and asserts that searches then find the content of the store. It reports
// whether the index was rebuilt.
func (p *place) serve() (anew bool) {
	p.Helper()
	p.run(func(f *projection.Follower, c store.Catalogue, index *embedded.Index) bool {
		if !f.Ready() {
			return false
		}
		if diff := cmp.Diff(stored(p, c), indexed(p, index)); diff != "" {
			p.Errorf("ready, but out of step (-stored +indexed):\n%s", diff)
		}
		return true
	})
	return p.scans.Load() > 0
}

// stored returns the titles in a store; indexed returns the titles that an index suggests. Each title contains "title".
func stored(tb testing.TB, c store.Catalogue) (titles []string) {
	tb.Helper()
	all, err := c.Scan(context.Background(), 0, 1_000_000)
	if err != nil {
		tb.Fatal(err)
	}
	for _, v := range all {
		titles = append(titles, v.Title)
	}
	slices.Sort(titles)
	return titles
}

func indexed(tb testing.TB, index *embedded.Index) (titles []string) {
	tb.Helper()
	phrases, err := index.Phrases(context.Background(), "title", catalogue.Access{PrivateChannels: true}, 0, 1000)
	if err != nil {
		tb.Fatal(err)
	}
	for _, phrase := range phrases {
		titles = append(titles, phrase.Text)
	}
	slices.Sort(titles)
	return titles
}

func (p *place) copyFile(from, to string) {
	p.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		p.Fatal(err)
	}
}

func TestOwnSnapshotIsBelieved(t *testing.T) {
	p := newPlace(t)
	p.put(videos(0, 50, "title ")...)
	if !p.serve() {
		t.Error("a new index was not built")
	}
	for round := range 3 {
		if p.serve() {
			t.Errorf("round %d: built anew, though nothing happened to the store", round)
		}
		p.put(videos(0, 3, "changed title ")...)
		if p.serve() {
			t.Errorf("round %d: built anew because of three changes", round)
		}
		p.put(videos(0, 3, "title ")...)
	}
	if strings.Contains(p.log.String(), "level=WARN") {
		t.Error("it warns:", p.log.String())
	}
}

// TestAnotherStore checks that the index is rebuilt when another catalogue with the same position replaces the old one.
func TestAnotherStore(t *testing.T) {
	p, other := newPlace(t), newPlace(t)
	p.put(videos(0, 50, "old title ")...)
	other.put(videos(0, 50, "new title ")...)
	p.serve()
	other.serve()
	p.copyFile(other.file(), p.file())
	if !p.serve() {
		t.Error("the index of another store was believed")
	}
	if n := strings.Count(p.log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings, want one that says why:\n%s", n, p.log.String())
	}
	if p.serve() {
		t.Error("built anew once more")
	}
}

// TestRestoredStore restores a backup and continues with other writes than the index has seen, to before, at and beyond
// the position of the snapshot. The backup contains tokens of its own.
func TestRestoredStore(t *testing.T) {
	for name, written := range map[string]int{"to before": 10, "to the same position": 40, "beyond": 45} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.put(videos(0, 50, "title ")...)
			p.serve()
			backup := filepath.Join(t.TempDir(), "catalogue.db")
			p.copyFile(p.file(), backup)
			p.put(videos(100, 140, "lost title ")...)
			p.serve()
			p.copyFile(backup, p.file())
			p.put(videos(200, 200+written, "other title ")...)
			if !p.serve() {
				t.Error("an index that is newer than the backup was believed")
			}
			if p.serve() {
				t.Error("built anew once more")
			}
		})
	}
}

// TestRestoredTogether checks that a backup of both store and index needs no rebuild.
func TestRestoredTogether(t *testing.T) {
	p := newPlace(t)
	p.put(videos(0, 50, "title ")...)
	p.serve()
	backup := t.TempDir()
	if err := os.CopyFS(backup, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	p.put(videos(100, 110, "lost title ")...)
	p.serve()
	p.dir = backup
	if p.serve() {
		t.Error("built anew")
	}
}

// TestNotReadyBeforeTheRebuild checks that an untrusted index is neither reported ready nor saved, however often its
// rebuild fails and whenever the server stops.
func TestNotReadyBeforeTheRebuild(t *testing.T) {
	p, other := newPlace(t), newPlace(t)
	p.put(videos(0, 50, "old title ")...)
	other.put(videos(0, 50, "new title ")...)
	p.serve()
	p.copyFile(other.file(), p.file())
	p.fault = func(method string) error {
		if method == "Scan" {
			return errFault
		}
		return nil
	}
	for range 2 {
		p.run(func(f *projection.Follower, _ store.Catalogue, _ *embedded.Index) bool {
			if f.Ready() {
				t.Fatal("ready with the index of another store")
			}
			if err := f.Save(t.Context()); err != nil {
				t.Error(err)
			}
			return p.scans.Load() > 3
		})
	}
	p.fault = func(string) error { return nil }
	if !p.serve() {
		t.Error("the store attests the index of another store")
	}
}

// TestAttestingFails checks that an index is rebuilt if it was saved but not attested in the store, as after a crash
// between the two. If the store cannot answer, the follower asks again.
func TestAttestingFails(t *testing.T) {
	p := newPlace(t)
	p.put(videos(0, 50, "title ")...)
	p.fault = func(method string) error {
		if method == "Attest" {
			return errFault
		}
		return nil
	}
	p.serve()
	if !strings.Contains(p.log.String(), "cannot be saved") {
		t.Error("the log does not contain the failure:", p.log.String())
	}
	p.fault = func(string) error { return nil }
	if !p.serve() {
		t.Error("the index was not rebuilt, though the store does not attest it")
	}
	asked := 0
	p.fault = func(method string) error {
		if method != "Attested" {
			return nil
		}
		if asked++; asked < 4 {
			return errFault
		}
		return nil
	}
	if p.serve() || asked != 4 {
		t.Errorf("built anew after the store was asked %d times", asked)
	}
}

// TestSavedByHand checks Save without a running follower, as a command calls it.
func TestSavedByHand(t *testing.T) {
	p := newPlace(t)
	p.put(videos(0, 50, "title ")...)
	c := p.store()
	index, err := embedded.Open(embedded.Options{Dir: filepath.Join(p.dir, "search")})
	if err != nil {
		t.Fatal(err)
	}
	f := projection.New(projection.Options{Store: c, Index: index, Snapshots: index})
	if err := f.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Save(t.Context()), index.Close(), c.Close()); err != nil {
		t.Fatal(err)
	}
	if p.serve() {
		t.Error("built anew")
	}
}
