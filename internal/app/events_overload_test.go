//go:build system

package app

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
)

// takings records the events that clients report, each request with a key, and the responses.
type takings struct {
	testing.TB
	send func(path, body, key string) (apptest.Answer, error)
	size int // of a batch; 1 selects single events

	mu           sync.Mutex
	acknowledged map[string]int    // numbers of events, by key
	unclear      map[string]string // bodies, by key
	rejected     map[string]int    // messages of 503
	slowest      time.Duration
}

func newTakings(t testing.TB, size int, send func(path, body, key string) (apptest.Answer, error)) *takings {
	return &takings{TB: t, send: send, size: size, acknowledged: map[string]int{}, unclear: map[string]string{}, rejected: map[string]int{}}
}

// takingsOf returns the takings of a service in this process.
func takingsOf(p *demoServer, size int) *takings {
	return newTakings(p, size, func(path, body, key string) (apptest.Answer, error) {
		return p.request("POST", path, body, "Authorization", "Bearer "+p.token, "Content-Type", "application/json", "Idempotency-Key", key), nil
	})
}

// lastKey numbers the keys and the videos of their events.
var lastKey atomic.Int64

func videoOfKey(key string, i int) string { return fmt.Sprintf("%s%04x", key, i) }

// hand reports new events and returns whether they are acknowledged. Otherwise, the response must ask the client to try
// again, as the API documents.
func (k *takings) hand() bool {
	key := fmt.Sprintf("0c%018x", lastKey.Add(1))
	return k.handBody(key, k.bodyOf(key))
}

// bodyOf returns the body of the request with a key.
func (k *takings) bodyOf(key string) string {
	var events []string
	for i := range k.size {
		events = append(events, apptest.PlaybackOf(videoOfKey(key, i)))
	}
	body := strings.Join(events, ",")
	if k.size > 1 {
		body = "[" + body + "]"
	}
	return body
}

func (k *takings) handBody(key, body string) bool {
	path := apptest.PlaybackPath
	if k.size > 1 {
		path += "/batch"
	}
	reported, err := k.send(path, body, key)
	if err != nil {
		k.Error(err)
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.slowest = max(k.slowest, reported.Took)
	if reported.Status == http.StatusCreated {
		k.acknowledged[key] = k.size
		delete(k.unclear, key)
		return true
	}
	k.unclear[key] = body
	(&demoServer{TB: k.TB}).want(http.StatusServiceUnavailable, reported)
	k.rejected[messageOf(reported)]++
	return false
}

// messageOf returns the message of an error body.
func messageOf(a apptest.Answer) string {
	_, rest, _ := strings.Cut(string(a.Body), `"message":"`)
	message, _, _ := strings.Cut(rest, `"`)
	return message
}

// load makes clients report events for a duration, each client one request after the other.
func (k *takings) load(clients int, d time.Duration) {
	var handing sync.WaitGroup
	for end := time.Now().Add(d); clients > 0; clients-- {
		handing.Go(func() {
			for time.Now().Before(end) {
				if !k.hand() {
					time.Sleep(50 * time.Millisecond) // sooner than clients should retry
				}
			}
		})
	}
	handing.Wait()
}

// awaitTaken waits until events are accepted, and repeats the requests that had no clear response.
func (k *takings) awaitTaken() {
	k.Helper()
	began := time.Now()
	p := &demoServer{TB: k.TB}
	apptest.Await(p, "events are taken", k.hand)
	k.Logf("events are taken after %s", time.Since(began).Round(time.Millisecond))
	apptest.Await(p, "requests without a clear response are acknowledged", func() bool {
		for key, body := range maps.Clone(k.unclear) {
			k.handBody(key, body)
		}
		return len(k.unclear) == 0
	})
}

// wantOnce verifies that the log contains every acknowledged event exactly once.
func (k *takings) wantOnce(log store.Events) {
	k.Helper()
	stored := map[string]int{}
	for after, more := event.Position(0), true; more; {
		var events []event.Event
		var err error
		read := func() bool {
			events, err = log.Read(k.Context(), store.EventQuery{}, after, 10_000)
			return fault.CodeOf(err) != fault.Unavailable
		}
		if apptest.Await(k, "the log can be read", read); err != nil {
			k.Fatal(err)
		}
		for i := range events {
			stored[events[i].Video]++
			after = events[i].Position
		}
		more = len(events) > 0
	}
	acknowledged, wrong := 0, 0
	for key, size := range k.acknowledged {
		for i := range size {
			acknowledged++
			if stored[videoOfKey(key, i)] != 1 {
				wrong++
			}
		}
	}
	k.Logf("%d events are acknowledged, the slowest answer took %s; rejections: %v", acknowledged, k.slowest.Round(time.Millisecond), k.rejected)
	if wrong > 0 || acknowledged == 0 {
		k.Errorf("of %d acknowledged events, %d are not in the log exactly once", acknowledged, wrong)
	}
}

// wantRejections verifies that some requests were rejected with 503.
func (k *takings) wantRejections() {
	k.Helper()
	if len(k.rejected) == 0 {
		k.Error("no request was rejected")
	}
}

// bear reports events before, during and after an outage. The server refuses them soon, and accepts events again
// without intervention.
func (k *takings) bear(o outage, log store.Events) {
	k.Helper()
	var loading sync.WaitGroup
	loading.Go(func() { k.load(10, 4*time.Second) })
	time.Sleep(time.Second)
	o.away()
	loading.Wait()
	// An event waits for its turn for at most 5 s, and for its commit for at most 10 s.
	if k.slowest > 16*time.Second {
		k.Errorf("a request was answered after %s", k.slowest)
	}
	k.wantRejections()
	o.back()
	k.awaitTaken()
	k.wantOnce(log)
}

// TestEventsWhilePostgreSQLIsAway verifies that the server soon refuses events during an outage of PostgreSQL, and
// accepts them again without intervention. The log contains every acknowledged event, and each repeated event once.
func TestEventsWhilePostgreSQLIsAway(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t, testservers.Durable())
	link := testservers.NewLink(t, server.Addr)
	p := admit(t, "--store", apptest.URLThrough(t, server, link), "--store-timeout", "1s", "--data", t.TempDir())
	for _, o := range append(outagesOf(server, link), outage{"hanging", link.Hang, link.Restore}) {
		t.Run(o.name, func(t *testing.T) {
			takingsOf(p.in(t), 1).bear(o, p.stores.Events)
		})
	}
}

// TestEventsOverSlowPostgreSQL verifies that the server refuses events at once if it cannot store them in time. Waiting
// events stay within their memory limit, and other requests are answered meanwhile.
func TestEventsOverSlowPostgreSQL(t *testing.T) {
	t.Parallel()
	server := testservers.SharedPostgreSQL(t)
	link := testservers.NewLink(t, server.Addr)
	p := admit(t, "--store", apptest.URLThrough(t, server, link), "--data", t.TempDir(), "--event-memory", "1")
	k := takingsOf(p, 200)
	link.Slow(100 * time.Millisecond)
	var loading sync.WaitGroup
	loading.Go(func() { k.load(12, 4*time.Second) })
	most := watchWaiting(p, &loading)
	link.Restore()
	k.wantRejections()
	if most == 0 || most > 1<<20 {
		t.Errorf("%d bytes of events waited", most)
	}
	k.awaitTaken()
	k.wantOnce(p.stores.Events)
}

// watchWaiting reads a video until a load ends, and returns the maximum size of the waiting events in bytes.
func watchWaiting(p *demoServer, loading *sync.WaitGroup) (most int64) {
	over := make(chan struct{})
	go func() { loading.Wait(); close(over) }()
	for {
		select {
		case <-over:
			return most
		case <-time.After(5 * time.Millisecond):
			most = max(most, p.usage.gate.Commits.Stats().WaitingBytes)
			p.want(http.StatusOK, p.get("/v1/videos/"+p.ids[0]))
		}
	}
}

// TestEventsWhileTheirFileIsLocked verifies that the server refuses events with 503 while another process locks
// SQLite's event log, and accepts them afterwards.
func TestEventsWhileTheirFileIsLocked(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := admit(t, "--data", data)
	k := takingsOf(p, 1)
	other := apptest.Must(sql.Open("sqlite", filepath.Join(data, EventsFile)))(t)
	defer other.Close()
	transaction := apptest.Must(other.Conn(t.Context()))(t)
	defer transaction.Close()
	do := func(statement string) {
		if _, err := transaction.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	k.load(4, time.Second/2)
	do("PRAGMA busy_timeout = 60000")
	do("BEGIN IMMEDIATE")
	k.load(10, 12*time.Second)
	k.wantRejections()
	do("COMMIT")
	k.awaitTaken()
	k.wantOnce(p.stores.Events)
}
