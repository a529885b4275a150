//go:build system

package postgres_test

import (
	"context"
	"errors"
	"fmt"
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

// TestServerAway checks that while the server is down, every call fails soon with Unavailable, and that calls succeed
// on a new connection once the server is back, without a restart.
func TestServerAway(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t, testservers.Durable())
	if _, err := postgres.Migrate(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	d := open(t, server.URL, postgres.WithConnectTimeout(time.Second))
	all := calls(d)
	must(t, all["a write"](t.Context()))
	for name, away := range map[string]func() (back func()){
		"killed":  func() func() { server.Kill(); return server.Start },
		"stopped": func() func() { server.Stop(); return server.Start },
	} {
		t.Run(name, func(t *testing.T) {
			back := away()
			for range 8 { // the circuit breaker opens
				for name, call := range all {
					if err := call(t.Context()); fault.CodeOf(err) != fault.Unavailable {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
			back()
			for name, call := range all {
				awaitSuccess(t, name, call)
			}
		})
	}
	t.Run("started again between two calls", func(t *testing.T) {
		server.Stop()
		server.Start()
		for name, call := range all {
			if err := call(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestServerHangs checks that calls to a hanging server time out, and that callers may give up earlier.
func TestServerHangs(t *testing.T) {
	t.Parallel()
	url := emptyDatabase(t)
	link := testservers.NewLink(t, hostOf(t, url))
	d := open(t, throughOf(t, url, link.Addr), postgres.WithConnectTimeout(300*time.Millisecond),
		postgres.WithStatementTimeout(300*time.Millisecond), postgres.WithPatience(300*time.Millisecond))
	all := calls(d)
	for name, call := range all {
		if err := call(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	link.Hang()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := all["a read"](ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller that gives up: %v", err)
	}
	for name, call := range all {
		if err := call(t.Context()); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	link.Restore()
	for name, call := range all {
		awaitSuccess(t, name, call)
	}
	err := d.Catalogue().Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		link.Hang()
		_, err := tx.Put(ctx, videos(0, 100))
		return err
	})
	if fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("in the midst of a write: %v", err)
	}
}

// TestServerKilledWhileWriting checks that after the server is killed at any moment, acknowledged writes are stored and
// no write is stored in part.
func TestServerKilledWhileWriting(t *testing.T) {
	server := testservers.PostgreSQL(t, testservers.Durable())
	if _, err := postgres.Migrate(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	c := filled(t, server.URL, 0, postgres.WithConnectTimeout(time.Second))
	const batch, writers = 20, 3
	for round := range 3 {
		var (
			all          sync.WaitGroup
			mu           sync.Mutex
			acknowledged []int
		)
		for w := range writers {
			all.Go(func() {
				for n := 0; ; n++ {
					from := ((round*writers+w)*10_000 + n) * batch
					if err := put(t.Context(), c, videos(from, from+batch)); err != nil {
						return
					}
					mu.Lock()
					acknowledged = append(acknowledged, from)
					mu.Unlock()
				}
			})
		}
		time.Sleep(300 * time.Millisecond)
		server.Kill()
		all.Wait()
		server.Start()
		awaitSuccess(t, "a read", func(ctx context.Context) error { _, err := c.Head(ctx); return err })
		for _, from := range acknowledged {
			states, err := c.States(t.Context(), videoIDs(from, from+batch))
			if err != nil || len(states) != batch {
				t.Errorf("%d of %d videos of an acknowledged batch are stored (%v)", len(states), batch, err)
			}
		}
		t.Logf("round %d: %d batches were acknowledged", round, len(acknowledged))
		wholeBatches(t, c, batch)
		awaitSuccess(t, "a write", func(ctx context.Context) error { return put(ctx, c, directory()) })
	}
}

// TestServerKilledWhileAppending checks that after the server is killed, every acknowledged submission is stored once.
// An unacknowledged submission is stored in full or not at all, and exactly once after it is repeated.
func TestServerKilledWhileAppending(t *testing.T) {
	server := testservers.PostgreSQL(t, testservers.Durable())
	_, err := postgres.Migrate(t.Context(), server.URL)
	must(t, err)
	e := open(t, server.URL, postgres.WithConnectTimeout(time.Second)).Events()
	const writers, size = 4, 40
	for round := range 3 {
		var (
			all          sync.WaitGroup
			mu           sync.Mutex
			acknowledged []string
			unclear      []event.Submission
		)
		for w := range writers {
			all.Go(func() {
				for n := 0; ; n++ {
					s := submission(fmt.Sprint(round, "/", w, "/", n), size+w*30)
					_, err := e.Append(t.Context(), []event.Submission{s})
					mu.Lock()
					if err != nil {
						unclear = append(unclear, s)
					} else {
						acknowledged = append(acknowledged, s.Key)
					}
					mu.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
		time.Sleep(300 * time.Millisecond)
		server.Kill()
		all.Wait()
		server.Start()
		awaitSuccess(t, "an append", func(ctx context.Context) error { _, err := e.Append(ctx, unclear); return err })
		awaitSuccess(t, "a read", func(ctx context.Context) error { _, err := e.Read(ctx, store.EventQuery{}, 0, 1); return err })
		counts := countVideos(t, e)
		for _, s := range unclear {
			acknowledged = append(acknowledged, s.Key)
		}
		for _, key := range acknowledged {
			for n := range size {
				if got := counts[fmt.Sprint(key, "/", n)]; got != 1 {
					t.Fatalf("event %d of %s is stored %d times", n, key, got)
				}
			}
		}
		t.Logf("round %d: %d submissions", round, len(acknowledged))
	}
}

// TestAppendHangs checks that a process that hangs while it has the lock on positions loses the lock before other
// processes time out.
func TestAppendHangs(t *testing.T) {
	url := emptyDatabase(t)
	link := testservers.NewLink(t, hostOf(t, url))
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
		t.Errorf("the append that hung: %v", err)
	}
	link.Restore()
	if head, err := other.Head(t.Context()); err != nil || head != 201 {
		t.Errorf("the head is %d (%v)", head, err)
	}
}

// awaitIdle waits until a transaction is idle.
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
