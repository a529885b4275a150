package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/usage"
)

func openTestEvents(t *testing.T) (e *Events, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "events.db")
	e, err := OpenEvents(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e, path
}

// confine lets a file grow by at most the given number of pages, or without limit if pages is negative.
func confine(t *testing.T, d *database, pages int64) {
	t.Helper()
	s := <-d.writer
	defer func() { d.writer <- s }()
	limit, err := s.number(t.Context(), &sqlstore.Statement{SQLite: `PRAGMA page_count`})
	if limit += pages; pages < 0 {
		limit = 1 << 30
	}
	if err == nil {
		_, err = s.number(t.Context(), &sqlstore.Statement{SQLite: fmt.Sprintf(`PRAGMA max_page_count = %d`, limit)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// bulky returns submissions with keys, whose events occupy a page each.
func bulky(from, n int) (list []event.Submission) {
	for i := range n {
		list = append(list, event.Submission{
			Client: "client", Key: fmt.Sprint("key-", from+i), Received: 1,
			Events: []event.Event{{Kind: event.PageRender, Received: 1, Metadata: bytes.Repeat([]byte{' '}, 4000), Address: "192.0.2.1"}},
		})
	}
	return list
}

// TestEventsDiskFull checks that an append on a full disk fails with Unavailable and leaves neither events nor keys,
// and that the append succeeds once there is space.
func TestEventsDiskFull(t *testing.T) {
	e, _ := openTestEvents(t)
	if _, err := e.Append(t.Context(), bulky(0, 3)); err != nil {
		t.Fatal(err)
	}
	confine(t, e.database, 5)
	for range 3 {
		if _, err := e.Append(t.Context(), bulky(3, 100)); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("got %v", err)
		}
	}
	events, err := e.Read(t.Context(), store.EventQuery{}, 0, 10_000)
	head, errHead := e.Head(t.Context())
	if err != nil || errHead != nil || len(events) != 3 || head != 3 {
		t.Errorf("%d events up to %d (%v, %v)", len(events), head, err, errHead)
	}
	if verdicts, err := e.Append(t.Context(), bulky(2, 2)); err != nil || !slices.Equal(verdicts, []event.Verdict{event.Repeated, event.Stored}) {
		t.Errorf("a small append: %v (%v)", verdicts, err)
	}
	confine(t, e.database, -1)
	verdicts, err := e.Append(t.Context(), bulky(3, 100))
	if err != nil || verdicts[0] != event.Repeated || slices.Contains(verdicts[1:], event.Repeated) {
		t.Errorf("with room again: %v (%v)", verdicts, err)
	}
	if head, err := e.Head(t.Context()); err != nil || head != 103 {
		t.Errorf("the head is %d (%v)", head, err)
	}
}

// TestUsageDiskFull checks that plays are not counted in part if the disk is full.
func TestUsageDiskFull(t *testing.T) {
	d, err := openUsage(t.Context(), filepath.Join(t.TempDir(), "usage.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	u := sqlstore.NewUsage(d, d.gather)
	defer u.Close()
	var plays []usage.Play
	for n := range 2000 {
		plays = append(plays, usage.Play{Position: int64(n + 1), At: event.Instant(n) * event.Hour, Account: "a", Client: "c", Person: fmt.Sprint("x", n), Video: "v", End: 1})
	}
	confine(t, d.database, 10)
	to := usage.Progress{Position: 2000, AsOf: 1}
	if err := u.Apply(t.Context(), usage.Progress{}, to, plays); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if sums, progress, err := u.Ledger(t.Context(), ""); err != nil || len(sums) > 0 || progress != (usage.Progress{}) {
		t.Errorf("%d sums up to %v (%v)", len(sums), progress, err)
	}
	confine(t, d.database, -1)
	if err := u.Apply(t.Context(), usage.Progress{}, to, plays); err != nil {
		t.Error(err)
	}
	table, err := u.Table(t.Context(), usage.Query{To: 2000 * event.Hour, Limit: 1})
	if err != nil || table.Total.Plays != 2000 || table.Total.Users != 2000 || table.Progress != to {
		t.Errorf("got %+v (%v)", table, err)
	}
}

// TestErasedForGood checks that no file contains erased data after a checkpoint of the write-ahead log.
func TestErasedForGood(t *testing.T) {
	e, path := openTestEvents(t)
	const secret = "pupil-of-whom-nothing-may-be-left"
	var list []event.Event
	for range 50 {
		list = append(list, event.Event{
			Kind: event.PageRender, Received: 1, Account: "a", ExternalUser: secret, Referer: secret, Trace: secret, Address: secret,
			Details: []byte(secret), Metadata: bytes.Repeat([]byte(secret), 300),
		})
	}
	if _, err := e.Append(t.Context(), []event.Submission{{Events: list}}); err != nil {
		t.Fatal(err)
	}
	left := func() int { return timesLeft(t, e.database, path, secret) }
	if left() < 50 {
		t.Fatal("the files do not contain the text in plain form")
	}
	if n, err := e.Erase(t.Context(), "a", "x"+secret, "alias", math.MaxInt64); err != nil || n != 50 {
		t.Fatal(n, err)
	}
	if n := left(); n > 0 {
		t.Errorf("the files still contain it %d times", n)
	}
}

// timesLeft returns the number of occurrences of a text in a file and its write-ahead log, after a checkpoint.
func timesLeft(t *testing.T, d *database, path, text string) (count int) {
	t.Helper()
	var busy, frames, written int
	s := <-d.writer
	err := s.Query(t.Context(), &sqlstore.Statement{SQLite: `PRAGMA wal_checkpoint(TRUNCATE)`}, func(row sqlstore.Row) error {
		return row.Scan(&busy, &frames, &written)
	})
	d.writer <- s
	for _, name := range []string{path, path + "-wal"} {
		data, errRead := os.ReadFile(name)
		if err != nil || errRead != nil || busy != 0 {
			t.Fatal(err, errRead, busy)
		}
		count += bytes.Count(data, []byte(text))
	}
	return count
}

// TestRenamedForGood is like TestErasedForGood, for counted usage.
func TestRenamedForGood(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.db")
	d, err := openUsage(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	u := sqlstore.NewUsage(d, d.gather)
	defer u.Close()
	const secret = "xpupil-of-whom-nothing-may-be-left"
	var plays []usage.Play
	for n, person := range []string{"xa", secret, "xz"} {
		plays = append(plays, usage.Play{Position: int64(n + 1), Account: "a", Client: "c", Person: person, Video: "v", End: 1})
	}
	if err := u.Apply(t.Context(), usage.Progress{}, usage.Progress{Position: 3}, plays); err != nil {
		t.Fatal(err)
	}
	if timesLeft(t, d.database, path, secret) == 0 {
		t.Fatal("the files do not contain the text in plain form")
	}
	if _, _, err := u.Rename(t.Context(), "a", secret, "xalias"); err != nil {
		t.Fatal(err)
	}
	if err := u.EndRename(t.Context(), "a", secret); err != nil {
		t.Fatal(err)
	}
	if n := timesLeft(t, d.database, path, secret); n > 0 {
		t.Errorf("the files still contain it %d times", n)
	}
}

// TestReadBeyondWindow checks that a query with few matches reads beyond one window.
func TestReadBeyondWindow(t *testing.T) {
	e, _ := openTestEvents(t)
	const last = eventWindow + 5
	list := make([]event.Event, last)
	for i := range list {
		list[i] = event.Event{Kind: event.PageRender, Received: 1}
	}
	list[last-1].Account, list[eventWindow-1].Account, list[eventWindow].Account = "a", "a", "a"
	if _, err := e.Append(t.Context(), []event.Submission{{Events: list}}); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int][]event.Position{
		1: {eventWindow}, 2: {eventWindow, eventWindow + 1}, 3: {eventWindow, eventWindow + 1, last}, 10: {eventWindow, eventWindow + 1, last},
	} {
		var got []event.Position
		events, err := e.Read(t.Context(), store.EventQuery{Account: "a"}, 0, limit)
		for _, one := range events {
			got = append(got, one.Position)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d: got %v (%v), want %v", limit, got, err, want)
		}
	}
}

// cutShort is a context that ends after left calls of Err.
type cutShort struct {
	context.Context
	left int
}

func (c *cutShort) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestDropIsCutShort checks that the store knows which events are gone, wherever a drop is interrupted. Otherwise a
// recount would start from the remaining events, and the dropped events would be on no bill.
func TestDropIsCutShort(t *testing.T) {
	e, _ := openTestEvents(t)
	october := usage.Month{Year: 2026, Month: 10}
	for _, received := range []event.Instant{october.Start() - 1, october.Start()} {
		list := []event.Submission{{Received: received, Events: make([]event.Event, forgetChunk+100)}}
		for i := range list[0].Events {
			list[0].Events[i] = event.Event{Kind: event.PageRender, Received: received}
		}
		if _, err := e.Append(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	steps := map[event.Position]bool{}
	for checks := 1; ; checks++ {
		_, failed := e.Drop(&cutShort{t.Context(), checks}, october)
		dropped, err := e.Dropped(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		left, err := e.Read(t.Context(), store.EventQuery{Dropped: dropped}, 0, 1)
		if err != nil || len(left) != 1 || left[0].Position != dropped+1 {
			t.Fatalf("after %d checks of the context: dropped up to %d, the first remaining event is %v (%v)", checks, dropped, left, err)
		}
		steps[dropped] = true
		if failed == nil {
			break
		}
	}
	if len(steps) != 3 || !steps[0] || !steps[forgetChunk] || !steps[forgetChunk+100] {
		t.Errorf("the drop stopped at the positions %v", steps)
	}
}
