package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// TestAppendHangs: a process that hangs while it holds the lock on positions loses it before the others lose their
// patience.
func TestAppendHangs(t *testing.T) {
	url := emptyDatabase(t)
	link := testservers.Cut(t, hostOf(t, url))
	hanging := open(t, throughOf(t, url, link.Addr), postgres.WithStatementTimeout(2*time.Second)).Events()
	other := open(t, url, postgres.WithStatementTimeout(2*time.Second)).Events()
	appends(t, hanging, []event.Submission{submission("", 200)}, event.Stored)
	release := holdHead(t, url)
	ended := make(chan error, 1)
	go func() {
		_, err := hanging.Append(t.Context(), []event.Submission{submission("", 200)})
		ended <- err
	}()
	awaitLock(t, url)
	link.Hang()
	release()
	awaitIdle(t, url)
	appends(t, other, []event.Submission{submission("", 1)}, event.Stored)
	if err := <-ended; fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("the one that hung: %v", err)
	}
	link.Mend()
	if head, err := other.Head(t.Context()); err != nil || head != 201 {
		t.Errorf("the head is %d (%v)", head, err)
	}
}

// awaitIdle waits until a transaction stands still.
func awaitIdle(t *testing.T, url string) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer connection.Close(context.Background())
	for still := false; !still; time.Sleep(time.Millisecond) {
		must(t, connection.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'idle in transaction')`).Scan(&still))
	}
}

// TestNobodyStarvesAppends: neither a long write of the catalogue nor readers that wait for something keep events
// out; and events that cannot be stored are no reason to leave the rest of the database alone.
func TestNobodyStarvesAppends(t *testing.T) {
	url := emptyDatabase(t)
	d := open(t, url, postgres.WithMaxConnections(4), postgres.WithStatementTimeout(500*time.Millisecond))
	c, e := d.Catalogue(), d.Events()
	must(t, put(t.Context(), c, directory()))
	var busy sync.WaitGroup
	release := lockTable(t, url, "videos")
	for range 8 {
		busy.Go(func() { _, _ = c.States(t.Context(), videoIDs(0, 1)) })
	}
	awaitLock(t, url)
	appends(t, e, []event.Submission{submission("", 1)}, event.Stored)
	release()
	busy.Wait()
	err := c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, videos(0, 10))
		appends(t, e, []event.Submission{submission("a", 1)}, event.Stored)
		return err
	})
	must(t, err)

	release = holdHead(t, url)
	for range 8 {
		if _, err := e.Append(t.Context(), []event.Submission{submission("", 1)}); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("without the lock: %v", err)
		}
	}
	if _, err := c.States(t.Context(), videoIDs(0, 1)); err != nil || d.LeftAlone() {
		t.Errorf("a read: %v", err)
	}
	must(t, put(t.Context(), c, videos(10, 20)))
	release()
	awaitSuccess(t, "an append", func(ctx context.Context) error {
		_, err := e.Append(ctx, []event.Submission{submission("", 1)})
		return err
	})
}
