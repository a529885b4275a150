package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestCatalogue(t *testing.T) {
	storetest.Catalogue(t, func(t *testing.T, now func() time.Time) func() store.Catalogue {
		path := filepath.Join(t.TempDir(), "catalogue.db")
		return func() store.Catalogue {
			c, err := sqlite.OpenCatalogue(t.Context(), path, sqlite.WithClock(now), sqlite.WithoutSync())
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
	})
}

func TestAccounts(t *testing.T) {
	storetest.Accounts(t, func(t *testing.T) func() store.Accounts {
		path := filepath.Join(t.TempDir(), "accounts.db")
		return func() store.Accounts {
			a, err := sqlite.OpenAccounts(t.Context(), path, sqlite.WithoutSync())
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
	})
}

func TestEvents(t *testing.T)      { storetest.Events(t, emptyEvents) }
func TestPersonIndex(t *testing.T) { storetest.PersonIndex(t, emptyEvents) }

func emptyEvents(t *testing.T) func() store.Events {
	path := filepath.Join(t.TempDir(), "events.db")
	return func() store.Events {
		e, err := sqlite.OpenEvents(t.Context(), path, sqlite.WithoutSync(), sqlite.WithSegments(storetest.PersonSegment))
		if err != nil {
			t.Fatal(err)
		}
		return damaging{e, path}
	}
}

func TestUsage(t *testing.T) {
	storetest.Usage(t, func(t *testing.T) func() store.Usage {
		path := filepath.Join(t.TempDir(), "usage.db")
		return func() store.Usage {
			u, err := sqlite.OpenUsage(t.Context(), path, sqlite.WithoutSync(), sqlite.WithGathering(storetest.GatheredPlays))
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
	})
}

func TestLeases(t *testing.T) {
	storetest.Leases(t, func(t *testing.T) func() store.Leases {
		path := filepath.Join(t.TempDir(), "catalogue.db")
		return func() store.Leases { return openFile(t, path) }
	})
}

func TestHistorian(t *testing.T) {
	storetest.Historian(t, func(t *testing.T) func() store.Historian {
		path := filepath.Join(t.TempDir(), "catalogue.db")
		return func() store.Historian { return openFile(t, path) }
	})
}

// damaging is an event log whose rows a test can damage.
type damaging struct {
	*sqlite.Events
	path string
}

// Damage implements storetest.Damaging. It writes an ID of one byte, which no valid event has.
func (d damaging) Damage(ctx context.Context, position event.Position) error {
	return d.execute(ctx, `UPDATE events SET id = x'00' WHERE position = ?`, position)
}

// RenameBefore implements storetest.Indexed.
func (d damaging) RenameBefore(ctx context.Context, from, to string) error {
	return d.execute(ctx, `UPDATE events SET external_user = ? WHERE external_user = ?`, to, from)
}

func (d damaging) open() (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+d.path+"?_pragma=busy_timeout(5000)")
}

func (d damaging) execute(ctx context.Context, statement string, args ...any) error {
	handle, err := d.open()
	if err != nil {
		return err
	}
	defer handle.Close()
	_, err = handle.ExecContext(ctx, statement, args...)
	return err
}

// PersonRows implements storetest.Indexed.
func (d damaging) PersonRows(ctx context.Context) (map[int64]string, error) {
	handle, err := d.open()
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	rows, err := handle.QueryContext(ctx, `SELECT id, hex(body) FROM event_persons`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[int64]string{}
	for rows.Next() {
		var (
			id   int64
			body string
		)
		if err := rows.Scan(&id, &body); err != nil {
			return nil, err
		}
		found[id] = body
	}
	return found, rows.Err()
}
