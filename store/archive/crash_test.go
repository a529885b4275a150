package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// crash ends a process at one of its calls: all later ones fail. The call itself is made if after is set.
type crash struct {
	left  int
	after bool
}

var errCrash = errors.New("the process has stopped")

// at makes a call that changes something.
func (c *crash) at(call func() error) error {
	c.left--
	if c.left == 0 && c.after {
		_ = call()
	}
	if c.left <= 0 {
		return errCrash
	}
	return call()
}

type crashingFiles struct {
	Files
	*crash
}

func (f crashingFiles) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) error {
	return f.at(func() error { return f.Files.Put(ctx, name, content, size) })
}

func (f crashingFiles) Replace(ctx context.Context, name string, content []byte, tag string) (now string, err error) {
	err = f.at(func() error {
		now, err = f.Files.Replace(ctx, name, content, tag)
		return err
	})
	return now, err
}

func (f crashingFiles) Remove(ctx context.Context, name string) error {
	return f.at(func() error { return f.Files.Remove(ctx, name) })
}

func (f crashingFiles) List(ctx context.Context) (names []string, err error) {
	err = f.at(func() error {
		names, err = f.Files.List(ctx)
		return err
	})
	return names, err
}

type crashingLog struct {
	Log
	*crash
}

func (l crashingLog) DropMoved(ctx context.Context, before usage.Month, upTo event.Position) error {
	return l.at(func() error { return l.Log.DropMoved(ctx, before, upTo) })
}

func (l crashingLog) Drop(ctx context.Context, before usage.Month) (dropped event.Position, err error) {
	err = l.at(func() error {
		dropped, err = l.Log.Drop(ctx, before)
		return err
	})
	return dropped, err
}

func (l crashingLog) Erase(ctx context.Context, account, person, alias string, upTo event.Position) (n int64, err error) {
	err = l.at(func() error {
		n, err = l.Log.Erase(ctx, account, person, alias, upTo)
		return err
	})
	return n, err
}

// place is an event log with an archive, on disk.
type place struct {
	log, temporary string
	files          Files
}

func newPlace(t testing.TB, files Files) *place {
	return &place{filepath.Join(t.TempDir(), "events.db"), t.TempDir(), files}
}

// open opens the place as a new process, which stops at a call if crash is not nil.
func (p *place) open(t testing.TB, stop *crash) *Events {
	t.Helper()
	var log Log = must(sqlite.OpenEvents(t.Context(), p.log))(t)
	files := p.files
	if stop != nil {
		log, files = crashingLog{log, stop}, crashingFiles{files, stop}
	}
	e := New(log, Options{Files: files, Temporary: p.temporary, FileBytes: 16_000})
	e.groupRows = 7
	return e
}

var january = usage.Month{Year: 2026, Month: 1}

// played returns the event with a number of a month: of three accounts, or of none, and of a few people.
func played(number int, month usage.Month) event.Event {
	received := month.Start() + event.Instant(number)*event.Hour
	e := event.Event{
		ID: event.ID{byte(number >> 8), byte(number), 7}, Kind: event.Kinds()[number%7], At: received - 5000, Received: received,
		Account: []string{"one", "one", "one", "two", "Ünïque/../", ""}[number%6], Client: "client",
		Video: fmt.Sprint("video-", number%5), Start: int64(number), End: int64(number) + 1000, Counted: 1000,
		Trace: fmt.Sprint("trace ", number), Address: "192.0.2.1", Details: []byte(`{"a":1}`), Metadata: []byte(fmt.Sprintf(`{"n":%d}`, number)),
	}
	if number%4 > 0 {
		e.ExternalUser = fmt.Sprint("pupil ", number%9)
	}
	if number%3 == 0 {
		e.User = fmt.Sprint("user ", number%2)
	}
	return e
}

// all reads all events of a log, page by page.
func all(ctx context.Context, t testing.TB, log store.Events, query store.EventQuery) (events []event.Event) {
	t.Helper()
	query.Dropped = must(log.Dropped(ctx))(t)
	for after := event.Position(0); ; {
		page := must(log.Read(ctx, query, after, 13))(t)
		if len(page) == 0 {
			return events
		}
		events, after = append(events, page...), page[len(page)-1].Position
	}
}

func same(t testing.TB, what string, want, got []event.Event) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s: %d events, want %d (-want +got):\n%s", what, len(got), len(want), diff)
	}
}

// tidy checks that the files are exactly those that the manifest lists.
func tidy(ctx context.Context, t testing.TB, e *Events) {
	t.Helper()
	listed := must(e.load(ctx))(t).names()
	for _, name := range must(e.files.List(ctx))(t) {
		if !listed[name] && name != ManifestName {
			t.Errorf("%s is listed nowhere", name)
		}
	}
}

// TestCrashes stops each operation at each of its steps, before and after the step. It checks that the next process reads
// every event exactly once, that the operation can be repeated, and that no file remains that nothing lists.
func TestCrashes(t *testing.T) {
	move := func(ctx context.Context, e *Events) error {
		_, err := e.Move(ctx, sealed(ctx, e), january.Next().Next())
		return err
	}
	for name, operation := range map[string]struct {
		moved bool // beforehand
		run   func(ctx context.Context, e *Events) error
		want  func(e *event.Event) bool
	}{
		"move": {false, move, func(*event.Event) bool { return true }},
		"erase": {true, func(ctx context.Context, e *Events) error {
			_, err := e.Erase(ctx, "one", "xpupil 1", "nobody", 1000)
			return err
		}, func(e *event.Event) bool {
			if e.Account == "one" && e.ExternalUser == "pupil 1" {
				e.ExternalUser, e.User, e.Trace, e.Address, e.Details, e.Metadata = "nobody", "", "", "", nil, nil
			}
			return true
		}},
		"drop": {true, func(ctx context.Context, e *Events) error {
			_, err := e.Drop(ctx, january.Next())
			return err
		}, func(e *event.Event) bool { return e.Received >= january.Next().Start() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for step := 1; ; step++ {
				steps := 0
				for _, after := range []bool{false, true} {
					place := newPlace(t, NewDirectory(filepath.Join(t.TempDir(), "archive")))
					e := place.open(t, nil)
					var given []event.Event
					for n := range 120 {
						given = append(given, played(n, usage.MonthNumber(january.Number()+n/40)))
					}
					must(e.Append(t.Context(), []event.Submission{{Events: given}}))(t)
					if operation.moved {
						must(e.Move(t.Context(), sealed(t.Context(), e), january.Next().Next()))(t)
					}
					given = all(t.Context(), t, e, store.EventQuery{})
					must(0, e.Close())(t)
					stop := &crash{left: step, after: after}
					e = place.open(t, stop)
					err := operation.run(t.Context(), e)
					must(0, e.Close())(t)
					steps = step - stop.left
					e = place.open(t, nil)
					if name == "move" {
						same(t, fmt.Sprint("after a crash at step ", step), given, all(t.Context(), t, e, store.EventQuery{}))
					}
					must(0, operation.run(t.Context(), e))(t)
					want := slices.Clone(given)
					want = slices.DeleteFunc(want, func(one event.Event) bool { return !operation.want(&one) })
					for i := range want {
						operation.want(&want[i])
					}
					same(t, fmt.Sprint("repeated after a crash at step ", step), want, all(t.Context(), t, e, store.EventQuery{}))
					// Another move sweeps, and completes the last one.
					must(e.Move(t.Context(), sealed(t.Context(), e), far.Next()))(t)
					same(t, fmt.Sprint("moved after a crash at step ", step), want, all(t.Context(), t, e, store.EventQuery{}))
					tidy(t.Context(), t, e)
					must(0, e.Close())(t)
					if err == nil && after {
						if step < 4 {
							t.Errorf("the operation has %d steps", steps)
						}
						return
					}
				}
			}
		})
	}
}

// TestLateEvents moves a month, of which the log still has all events because the process stops, and to which a process with
// a wrong clock adds an event. The event is moved later, once a seal covers it, and no event is moved twice.
func TestLateEvents(t *testing.T) {
	ctx, place := t.Context(), newPlace(t, NewDirectory(filepath.Join(t.TempDir(), "archive")))
	stop := &crash{left: 1000}
	e := place.open(t, stop)
	var given []event.Event
	for n := range 30 {
		given = append(given, played(n, january))
	}
	must(e.Append(ctx, []event.Submission{{Events: given}}))(t)
	before := stop.left
	_, err := e.Move(ctx, sealed(ctx, e), january.Next())
	must(0, err)(t)
	dropping := before - stop.left - 1 // List follows
	place = newPlace(t, NewDirectory(filepath.Join(t.TempDir(), "archive")))
	e = place.open(t, &crash{left: dropping})
	must(e.Append(ctx, []event.Submission{{Events: given}}))(t)
	if _, err := e.Move(ctx, sealed(ctx, e), january.Next()); !errors.Is(err, errCrash) {
		t.Fatalf("got %v", err)
	}
	must(0, e.Close())(t)
	e = place.open(t, nil)
	defer e.Close()
	seals := sealed(ctx, e)
	must(e.Append(ctx, []event.Submission{{Events: []event.Event{played(31, january), played(1, far.Next())}}}))(t)
	want := append(slices.Clone(given), played(31, january), played(1, far.Next()))
	for i := range want {
		want[i].Position = int64(i + 1)
	}
	for _, step := range []struct {
		seals []usage.Seal
		moved int64
	}{{seals, 0}, {sealed(ctx, e), 1}, {sealed(ctx, e), 0}} {
		if moved := must(e.Move(ctx, step.seals, january.Next()))(t); moved != step.moved {
			t.Errorf("%d events were moved, want %d", moved, step.moved)
		}
		same(t, "with a late event", want, all(ctx, t, e, store.EventQuery{}))
	}
	if stats := e.Stats(); stats.Events != 31 {
		t.Errorf("the archive has %d events", stats.Events)
	}
}

// interrupted calls a function before the first Put.
type interrupted struct {
	Files
	once *sync.Once
	fn   func()
}

func (f interrupted) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) error {
	f.once.Do(f.fn)
	return f.Files.Put(ctx, name, content, size)
}

// TestEraseDuringMove erases a person whose events another process has just read to move them. The move must not bring the
// person back.
func TestEraseDuringMove(t *testing.T) {
	ctx, place := t.Context(), newPlace(t, NewDirectory(filepath.Join(t.TempDir(), "archive")))
	e := place.open(t, nil)
	defer e.Close()
	var given []event.Event
	for n := range 30 {
		given = append(given, played(n, january))
	}
	must(e.Append(ctx, []event.Submission{{Events: given}}))(t)
	place.files = interrupted{place.files, &sync.Once{}, func() {
		if n := must(e.Erase(ctx, "one", "xpupil 1", "nobody", 30))(t); n == 0 {
			t.Error("nothing was erased")
		}
	}}
	mover := place.open(t, nil)
	defer mover.Close()
	if n, err := mover.Move(ctx, sealed(ctx, e), january.Next()); n > 0 || err == nil {
		t.Errorf("%d events were moved (%v)", n, err)
	}
	if n := must(mover.Move(ctx, sealed(ctx, e), january.Next()))(t); n != 30 {
		t.Errorf("%d events were moved", n)
	}
	if left := all(ctx, t, e, store.EventQuery{Account: "one", Person: "xpupil 1"}); len(left) > 0 {
		t.Errorf("%d events have the person", len(left))
	}
	tidy(ctx, t, e)
}

// away is a place that does not answer while *gone is set.
type away struct {
	Files
	gone *bool
}

func (f away) Get(ctx context.Context, name, unless string) ([]byte, string, error) {
	if *f.gone {
		return nil, "", errors.New("no route to host")
	}
	return f.Files.Get(ctx, name, unless)
}

// TestArchiveAway checks what works while the place of the archive does not answer: readers of new events, and Dropped, which
// counting calls.
func TestArchiveAway(t *testing.T) {
	ctx, gone, now := t.Context(), false, time.Unix(0, 0)
	e := newPlace(t, away{NewDirectory(filepath.Join(t.TempDir(), "archive")), &gone}).open(t, nil)
	defer e.Close()
	e.now = func() time.Time { return now }
	must(e.Append(ctx, []event.Submission{{Events: []event.Event{played(1, january), played(2, far)}}}))(t)
	must(e.Move(ctx, sealed(ctx, e), january.Next()))(t)
	must(e.Dropped(ctx))(t)
	gone, now = true, now.Add(time.Hour)
	if dropped, err := e.Dropped(ctx); dropped != 0 || err != nil {
		t.Errorf("dropped up to %d (%v)", dropped, err)
	}
	if events, err := e.Read(ctx, store.EventQuery{}, 1, 10); len(events) != 1 || err != nil {
		t.Errorf("behind the archive: %d events (%v)", len(events), err)
	}
	if _, err := e.Read(ctx, store.EventQuery{}, 0, 10); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("in the archive: %v", err)
	}
	if _, err := e.Erase(ctx, "one", "xpupil 1", "nobody", 2); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("an erasure: %v", err)
	}
	if err := e.Check(ctx); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("the check: %v", err)
	}
}

// damaging changes one byte of each file.
type damaging struct {
	Files
	at int64
}

func (f damaging) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) error {
	all, err := io.ReadAll(content)
	if err == nil && strings.HasSuffix(name, ".parquet") {
		all[f.at%size] ^= 0x10
	}
	return errors.Join(err, f.Files.Put(ctx, name, strings.NewReader(string(all)), size))
}

// TestDamagedWrite moves a month to a place that stores wrong bytes. The log must keep its events, unless the bytes have no
// meaning for readers.
func TestDamagedWrite(t *testing.T) {
	ctx, place := t.Context(), newPlace(t, nil)
	e := place.open(t, nil)
	defer e.Close()
	var given []event.Event
	for n := range 30 {
		given = append(given, played(n, january))
		given[n].Position = int64(n + 1)
	}
	must(e.Append(ctx, []event.Submission{{Events: given}}))(t)
	refused := 0
	for at := int64(0); at < 1500; at += 13 {
		e.files = damaging{NewDirectory(filepath.Join(t.TempDir(), "archive")), at}
		if _, err := e.Move(ctx, sealed(ctx, e), january.Next()); err == nil {
			same(t, fmt.Sprint("with another byte ", at), given, all(ctx, t, e, store.EventQuery{}))
			return // the log has no events any more
		}
		refused++
		if log := must(e.log.Read(ctx, store.EventQuery{}, 0, 100))(t); len(log) != 30 {
			t.Fatalf("byte %d: the log has %d events", at, len(log))
		}
	}
	if refused < 20 {
		t.Errorf("%d moves were refused", refused)
	}
}

// TestMissingFile checks that the error of a reader names the file that is missing, and that the log does not look damaged.
func TestMissingFile(t *testing.T) {
	ctx, place := t.Context(), newPlace(t, NewDirectory(filepath.Join(t.TempDir(), "archive")))
	e := place.open(t, nil)
	defer e.Close()
	must(e.Append(ctx, []event.Submission{{Events: []event.Event{played(1, january), played(2, far)}}}))(t)
	must(e.Move(ctx, sealed(ctx, e), january.Next()))(t)
	name := must(e.load(ctx))(t).Months[0].Files[0].Name
	must(0, e.files.Remove(ctx, name))(t)
	for range 2 {
		if _, err := e.Read(ctx, store.EventQuery{}, 0, 10); err == nil || !strings.Contains(err.Error(), name+" is missing") {
			t.Errorf("got %v", err)
		}
	}
	if events, err := e.Read(ctx, store.EventQuery{}, 1, 10); len(events) != 1 || err != nil {
		t.Errorf("behind the archive: %d events (%v)", len(events), err)
	}
	must(0, e.files.Remove(ctx, ManifestName))(t)
	must(0, e.files.Put(ctx, name, strings.NewReader("x"), 1))(t)
	if _, err := e.Erase(ctx, "one", "xpupil 1", "nobody", 2); err == nil || !strings.Contains(err.Error(), ManifestName+" is missing") {
		t.Errorf("without a manifest: %v", err)
	}
}

// keeping is a log that drops nothing that was moved.
type keeping struct{ Log }

func (keeping) DropMoved(context.Context, usage.Month, event.Position) error { return errCrash }

// TestAddressesBeforeTheFirstDrop moves events to an archive, but the process stops before the log drops them. The archive
// must forget their addresses nevertheless.
func TestAddressesBeforeTheFirstDrop(t *testing.T) {
	ctx, place := t.Context(), newPlace(t, NewDirectory(filepath.Join(t.TempDir(), "archive")))
	e := place.open(t, nil)
	defer e.Close()
	must(e.Append(ctx, []event.Submission{{Events: []event.Event{played(1, january), played(2, far)}}}))(t)
	stopped := New(keeping{e.log}, Options{Files: place.files, Temporary: place.temporary})
	if _, err := stopped.Move(ctx, sealed(ctx, e), january.Next()); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	must(0, e.ForgetAddresses(ctx, january.Next().Start()))(t)
	for _, month := range must(e.load(ctx))(t).Months {
		for _, part := range month.Files {
			if part.Addresses {
				t.Errorf("%s has addresses", part.Name)
			}
		}
	}
}
