package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// TestNobodyStarvesAppends checks that neither a long catalogue write nor blocked readers delay appends, and that
// failing appends do not open the circuit breaker for the rest of the database.
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
