package postgres_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// TestOpenTransaction keeps a transaction open whose entries already have positions, while another process's
// connections try to write and a follower reads. It checks that entries appear in order, that none is skipped, and that
// a writer whose patience ends gets Unavailable.
func TestOpenTransaction(t *testing.T) {
	url := emptyDatabase(t)
	holder := filled(t, url, 0)
	other := open(t, url).Catalogue()
	impatient := open(t, url, postgres.WithPatience(100*time.Millisecond)).Catalogue()
	start, err := other.Head(t.Context())
	must(t, err)
	written, release := make(chan struct{}), make(chan struct{})
	var writers sync.WaitGroup
	writers.Go(func() {
		err := holder.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Put(ctx, videos(0, 100))
			close(written)
			<-release
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-written
	waiting := make(chan error, 1)
	writers.Go(func() { waiting <- put(t.Context(), other, videos(100, 103)) })
	awaitLock(t, url)
	for range 20 {
		if changes, err := impatient.Changes(t.Context(), start, 1000); err != nil || len(changes) > 0 {
			t.Fatalf("a follower sees %d entries that are not committed or precede others (%v)", len(changes), err)
		}
	}
	if err := put(t.Context(), impatient, videos(103, 104)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a writer that cannot wait: %v", err)
	}
	select {
	case err := <-waiting:
		t.Fatalf("a writer ended before an earlier one whose transaction is open (%v)", err)
	default:
	}
	close(release)
	writers.Wait()
	must(t, <-waiting)
	changes, err := impatient.Changes(t.Context(), start, 1000)
	must(t, err)
	var ids []catalogue.ID
	for i, change := range changes {
		ids = append(ids, change.ID)
		if change.Position != start+int64(i)+1 {
			t.Errorf("entry %d is at %d", i, change.Position)
		}
	}
	if !slices.Equal(ids, videoIDs(0, 103)) {
		t.Errorf("the log holds %d entries, in another order than they were written", len(ids))
	}
}

// awaitLock waits until a backend waits for a lock.
func awaitLock(t *testing.T, url string) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer connection.Close(context.Background())
	end := time.Now().Add(time.Minute)
	for waiting := false; !waiting; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing waits for a lock")
		}
		must(t, connection.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waiting))
	}
}

// TestForeignTransaction checks that a transaction of another session in the same cluster never delays a follower,
// however long it is open.
func TestForeignTransaction(t *testing.T) {
	url := emptyDatabase(t)
	c := filled(t, url, 0)
	execute(t, url, "CREATE TABLE foreign_table (n int)")
	connection, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer connection.Close(context.Background())
	_, err = connection.Exec(t.Context(), "BEGIN; INSERT INTO foreign_table VALUES (1)")
	must(t, err)
	before, err := c.Head(t.Context())
	must(t, err)
	must(t, put(t.Context(), c, videos(0, 3)))
	if changes, err := c.Changes(t.Context(), before, 10); err != nil || len(changes) != 3 {
		t.Errorf("a follower sees %d of 3 entries (%v)", len(changes), err)
	}
}

// TestFailedWriteLeavesNoGap checks that the positions of a rolled-back transaction are assigned again.
func TestFailedWriteLeavesNoGap(t *testing.T) {
	c := filled(t, emptyDatabase(t), 0)
	before, err := c.Head(t.Context())
	must(t, err)
	failed := c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Put(ctx, videos(0, 60)); err != nil {
			return err
		}
		return context.Canceled
	})
	if failed != context.Canceled {
		t.Error(failed)
	}
	must(t, put(t.Context(), c, videos(0, 1)))
	if n, err := c.CountVideos(t.Context()); err != nil || n != 1 {
		t.Errorf("there are %d videos (%v)", n, err)
	}
	if head, err := c.Head(t.Context()); err != nil || head != before+1 {
		t.Errorf("the head went from %d to %d (%v)", before, head, err)
	}
}
