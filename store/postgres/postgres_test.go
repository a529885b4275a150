package postgres_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func open(t testing.TB, url string, options ...postgres.Option) *postgres.Database {
	t.Helper()
	d, err := postgres.Open(t.Context(), url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// execute runs statements on a connection of its own.
func execute(t testing.TB, url string, statements ...string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // cleanups call execute too
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(ctx)
	for _, statement := range statements {
		if _, err := connection.Exec(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestCatalogue(t *testing.T) {
	var used sync.Map
	storetest.Catalogue(t, func(t *testing.T, now func() time.Time) func() store.Catalogue {
		url := propertySchema(t, &used)
		return func() store.Catalogue { return open(t, url, postgres.WithClock(now)).Catalogue() }
	})
}

func TestAccounts(t *testing.T) {
	storetest.Accounts(t, func(t *testing.T) func() store.Accounts {
		url := emptySchema(t)
		return func() store.Accounts { return open(t, url).Accounts() }
	})
}

func TestEvents(t *testing.T)      { storetest.Events(t, emptyEvents) }
func TestPersonIndex(t *testing.T) { storetest.PersonIndex(t, emptyEvents) }

func emptyEvents(t *testing.T) func() store.Events {
	url := emptySchema(t)
	return func() store.Events {
		return damaging{open(t, url, postgres.WithSegments(storetest.PersonSegment)).Events(), url}
	}
}

func TestUsage(t *testing.T) {
	var used sync.Map // the schema of a test that needs many in sequence
	storetest.Usage(t, func(t *testing.T) func() store.Usage {
		url := reusedSchema(t, &used)
		if strings.HasSuffix(t.Name(), "/late_plays_come_in_several_parts") {
			url += "&enable_indexscan=off&enable_indexonlyscan=off" // rows arrive as they were stored, not by their keys
		}
		return func() store.Usage {
			return open(t, url, postgres.WithGathering(storetest.GatheredPlays)).Usage()
		}
	})
}

func TestLeases(t *testing.T) {
	storetest.Leases(t, func(t *testing.T) func() store.Leases {
		url := emptySchema(t)
		return func() store.Leases { return open(t, url).Catalogue() }
	})
}

func TestHistorian(t *testing.T) {
	storetest.Historian(t, func(t *testing.T) func() store.Historian {
		url := emptySchema(t)
		return func() store.Historian { return open(t, url).Catalogue() }
	})
}

// ask returns the single value of a statement.
func ask(t testing.TB, url, statement string) (value string) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	if err := connection.QueryRow(t.Context(), statement).Scan(&value); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return value
}

// throughOf returns a connection string with another address.
func throughOf(t testing.TB, where, addr string) string {
	t.Helper()
	through, err := url.Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	through.Host = addr
	return through.String()
}

func hostOf(t testing.TB, where string) string {
	t.Helper()
	parsed, err := url.Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Host
}

// lockTable locks a table against all other access until release is called.
func lockTable(t testing.TB, url, table string) (release func()) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connection.Exec(t.Context(), "BEGIN; LOCK TABLE "+table); err != nil {
		t.Fatal(err)
	}
	return func() { _ = connection.Close(context.Background()) }
}

// damaging is an event log whose rows a test can damage.
type damaging struct {
	*postgres.Events
	url string
}

// Damage implements storetest.Damaging. It writes the byte 0xff, which no valid text contains.
func (d damaging) Damage(ctx context.Context, position event.Position) error {
	return d.execute(ctx, `UPDATE events SET video = '\xff' WHERE position = $1`, position)
}

// RenameBefore implements storetest.Indexed.
func (d damaging) RenameBefore(ctx context.Context, from, to string) error {
	return d.execute(ctx, `UPDATE events SET external_user = $1 WHERE external_user = $2`, []byte(to), []byte(from))
}

func (d damaging) execute(ctx context.Context, statement string, args ...any) error {
	connection, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	_, err = connection.Exec(ctx, statement, args...)
	return err
}

// PersonRows implements storetest.Indexed.
func (d damaging) PersonRows(ctx context.Context) (map[int64]string, error) {
	connection, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return nil, err
	}
	defer connection.Close(ctx)
	rows, err := connection.Query(ctx, `SELECT id, encode(body, 'hex') FROM event_persons`)
	if err != nil {
		return nil, err
	}
	found := map[int64]string{}
	var (
		id   int64
		body string
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &body}, func() error {
		found[id] = body
		return nil
	})
	return found, err
}
