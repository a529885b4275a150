package postgres_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// terminateAppends ends the connections that append events, whatever they are doing, as kill -9 would.
const terminateAppends = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE datname = current_database() AND query ~ 'event_(head|keys)' AND pid <> pg_backend_pid()`

// TestAppendIsTerminated checks that a connection that ends during an append leaves no events, keys or positions.
func TestAppendIsTerminated(t *testing.T) {
	url := emptyDatabase(t)
	e := open(t, url).Events()
	appends(t, e, []event.Submission{submission("", 1)}, event.Stored)
	for _, size := range []int{1, 400} {
		release := holdHead(t, url)
		ended := make(chan error, 1)
		key := fmt.Sprint("key of ", size)
		go func() {
			_, err := e.Append(t.Context(), []event.Submission{submission(key, size)})
			ended <- err
		}()
		awaitLock(t, url)
		execute(t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
		if size == 1 { // the append may have been committed
			if err := <-ended; fault.CodeOf(err) != fault.Unavailable {
				t.Errorf("got %v", err)
			}
		}
		if keys := ask(t, url, "SELECT count(*)::text FROM event_keys WHERE sum NOT IN (SELECT sum FROM event_keys ORDER BY sum LIMIT "+fmt.Sprint(size/400)+")"); keys != "0" {
			t.Errorf("%s keys are left", keys)
		}
		release()
		if size > 1 { // no commit had been sent, so the engine retried
			must(t, <-ended)
			appends(t, e, []event.Submission{submission(key, size)}, event.Repeated)
		} else {
			appends(t, e, []event.Submission{submission(key, size)}, event.Stored)
		}
	}
	if counts := countVideos(t, e); len(counts) != 402 {
		t.Errorf("there are %d events", len(counts))
	}
}

// TestAppendsAreTerminated ends the connections of two processes again and again. It checks that a submission that is
// repeated with its key after an unclear answer is stored once, and that an acknowledged submission without a key is
// stored.
func TestAppendsAreTerminated(t *testing.T) {
	url := emptyDatabase(t)
	handles := []*postgres.Events{open(t, url).Events(), open(t, url).Events()}
	var (
		all          sync.WaitGroup
		over         atomic.Bool
		mu           sync.Mutex
		acknowledged = map[string]bool{}
		unclear      int
	)
	for w := range 6 {
		all.Go(func() {
			for n := 0; !over.Load(); n++ {
				key, size := fmt.Sprint("key/", w, "/", n), 1
				if n%3 == 0 {
					size = 150
				}
				s := submission(key, size)
				keyed := n%4 > 0
				if !keyed {
					s.Key = ""
				}
				for {
					_, err := handles[w%2].Append(t.Context(), []event.Submission{s})
					mu.Lock()
					if err == nil {
						acknowledged[s.Events[0].Video] = keyed
					} else {
						unclear++
					}
					mu.Unlock()
					if err == nil || !keyed {
						break
					}
					if fault.CodeOf(err) != fault.Unavailable {
						t.Error(err)
					}
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
	tested := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return unclear >= 40 && len(acknowledged) >= 100
	}
	for end := time.Now().Add(20 * time.Second); !tested() && time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		execute(t, url, terminateAppends)
	}
	over.Store(true)
	all.Wait()
	counts := countVideos(t, handles[0])
	for video, keyed := range acknowledged {
		if counts[video] != 1 {
			t.Errorf("%s, with a key: %t, is stored %d times", video, keyed, counts[video])
		}
	}
	t.Logf("%d submissions were acknowledged, %d answers were unclear", len(acknowledged), unclear)
	if unclear == 0 || len(acknowledged) < 20 {
		t.Error("nothing was put to the test")
	}
}

// TestAppendsThatAreDoneAgain checks that the engine retries an append only if the append has certainly stored nothing.
// A retry could otherwise store a submission without a key twice.
func TestAppendsThatAreDoneAgain(t *testing.T) {
	of := func(code string) error { return fmt.Errorf("planned: %w", &pgconn.PgError{Code: code}) }
	for _, test := range []struct {
		err         error
		before, now bool // whether to retry before and after the commit was sent
	}{
		{io.ErrUnexpectedEOF, true, false}, {of("57P01"), true, false}, {of("08006"), true, false},
		{of("40P01"), true, true}, {of("40001"), true, true}, {of("23514"), true, true},
		{of("53100"), false, false}, {of("55P03"), false, false}, {context.DeadlineExceeded, false, false}, {nil, false, false},
	} {
		if before, now := postgres.Again(false, test.err), postgres.Again(true, test.err); before != test.before || now != test.now {
			t.Errorf("%v: before the commit was sent %t, then %t", test.err, before, now)
		}
	}
}

// TestAppendLosesItsConnection checks that a connection lost before the commit is sent leaves neither events nor their
// key, no matter when the server notices.
func TestAppendLosesItsConnection(t *testing.T) {
	url := emptyDatabase(t)
	link := testservers.NewLink(t, hostOf(t, url))
	e := open(t, throughOf(t, url, link.Addr)).Events()
	appends(t, e, []event.Submission{submission("", 200)}, event.Stored)
	release := holdHead(t, url)
	ended := make(chan error, 1)
	go func() {
		_, err := e.Append(t.Context(), []event.Submission{submission("key", 200)})
		ended <- err
	}()
	awaitLock(t, url)
	link.Sever()
	if err := <-ended; fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("without a connection: %v", err)
	}
	link.Restore()
	release()
	appends(t, e, []event.Submission{submission("key", 200)}, event.Stored)
	if n := ask(t, url, "SELECT count(*)::text FROM events"); n != "400" {
		t.Errorf("there are %s events", n)
	}
}
