package archive

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
	"github.com/filmstrip/filmstrip/usage"
)

// everywhere are the kinds of Files on which tests run. Each function returns a function that opens the same place again.
var everywhere = map[string]func(t *testing.T) func() Files{
	"bucket": bucket,
	"directory": func(t *testing.T) func() Files {
		path := filepath.Join(t.TempDir(), "archive")
		return func() Files { return NewDirectory(path) }
	},
}

// must ends the test at an error.
func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// moving is an event log that moves all its months to the archive before each read and each erasure.
type moving struct {
	*Events
	path string
}

// sealed returns a seal of a month that is later than all events, at the head of a log.
func sealed(ctx context.Context, log store.Events) []usage.Seal {
	head, _ := log.Head(ctx)
	return []usage.Seal{{Month: far, Position: head}}
}

var far = usage.Month{Year: 2090, Month: 1}

// move ignores errors: events that cannot be moved stay in the log. It moves nothing once events are skipped, because tests
// expect that Erase counts the rows of skipped events.
func (m moving) move(ctx context.Context) {
	if skipped, _ := m.Skipped(ctx); len(skipped) == 0 {
		_, _ = m.Move(ctx, sealed(ctx, m), far.Next())
	}
}

func (m moving) Read(ctx context.Context, query store.EventQuery, after event.Position, limit int) ([]event.Event, error) {
	m.move(ctx)
	return m.Events.Read(ctx, query, after, limit)
}

func (m moving) Erase(ctx context.Context, account, person, alias string, upTo event.Position) (int64, error) {
	m.move(ctx)
	return m.Events.Erase(ctx, account, person, alias, upTo)
}

func (m moving) ForgetAddresses(ctx context.Context, before event.Instant) error {
	m.move(ctx)
	return m.Events.ForgetAddresses(ctx, before)
}

// Damage implements storetest.Damaging.
func (m moving) Damage(ctx context.Context, position event.Position) error {
	handle, err := sql.Open("sqlite", "file:"+m.path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer handle.Close()
	_, err = handle.ExecContext(ctx, `UPDATE events SET id = x'00' WHERE position = ?`, position)
	return err
}

// TestEvents runs the suite of the port on a log whose events are all in the archive, in small files and row groups.
func TestEvents(t *testing.T) {
	for name, place := range everywhere {
		t.Run(name, func(t *testing.T) {
			storetest.Events(t, func(t *testing.T) func() store.Events {
				path, files, temporary := filepath.Join(t.TempDir(), "events.db"), place(t), t.TempDir()
				return func() store.Events {
					log := must(sqlite.OpenEvents(t.Context(), path))(t)
					e := New(log, Options{Files: files(), Temporary: temporary, FileBytes: 4000})
					e.groupRows = 10
					return moving{e, path}
				}
			})
		})
	}
}
