package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// clientsAtOnce is the number of clients that post events, each over its own connection.
const clientsAtOnce = 32

// BenchmarkEvents posts events to the whole service over real sockets, with disks that are synced. It compares each
// turn with a turn of the bare store with the same settings. The reported shares are the medians of the turns; the
// other results are events per second.
func BenchmarkEvents(b *testing.B) {
	for name, open := range map[string]func(*testing.B) (*poster, floor){"sqlite": onFiles, "postgresql": onServer} {
		b.Run(name, func(b *testing.B) {
			p, floor := open(b)
			for _, size := range []int{1, 500} {
				var shares, rates []float64
				for range 5 {
					bare := rate(size, floor.clients(size), floor.store)
					arrived := rate(size, clientsAtOnce, p.post)
					shares, rates = append(shares, arrived/bare), append(rates, arrived)
				}
				b.ReportMetric(median(shares), fmt.Sprintf("of-floor/%d", size))
				b.ReportMetric(median(rates), fmt.Sprintf("events/s/%d", size))
			}
		})
	}
}

// BenchmarkMillionEvents posts a million events in batches, and reports the heap in use after the first and the last
// hundred thousand.
func BenchmarkMillionEvents(b *testing.B) {
	p, _ := onFiles(b)
	const tenth = 100_000
	var first uint64
	for i := range 10 {
		var posting sync.WaitGroup
		for range 4 {
			posting.Go(func() {
				for range tenth / 4 / 500 {
					p.post(500)
				}
			})
		}
		posting.Wait()
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		if i == 0 {
			first = memory.HeapInuse
		}
		b.Logf("%7d events: %d MiB in use", (i+1)*tenth, memory.HeapInuse>>20)
		if i == 9 {
			b.ReportMetric(float64(memory.HeapInuse)/float64(first), "of-first-tenth")
		}
	}
}

// turn is the duration of one measurement.
const turn = 1500 * time.Millisecond

// rate returns the number of events per second that concurrent clients store in batches of a size.
func rate(size, clients int, store func(size int)) float64 {
	var stored atomic.Int64
	began := time.Now()
	var working sync.WaitGroup
	for range clients {
		working.Go(func() {
			for time.Since(began) < turn {
				store(size)
				stored.Add(int64(size))
			}
		})
	}
	working.Wait()
	return float64(stored.Load()) / time.Since(began).Seconds()
}

// floor is a bare store.
type floor struct {
	store   func(size int)
	clients func(size int) int // the number of clients with which the store is fastest
}

// poster posts events to a service.
type poster struct {
	testing.TB
	address, token string
	client         *http.Client
	bodies         map[int][]byte
}

func newPoster(b *testing.B, settings ...string) *poster {
	b.Helper()
	command := apptest.Must(parseSettings(b, append([]string{"--demo", "--log-level=error"}, settings...)...))(b)
	cleanUp := apptest.Must(command.prepare())(b)
	b.Cleanup(cleanUp)
	service := apptest.Must(Open(b.Context(), command, command.logger(io.Discard)))(b)
	b.Cleanup(func() {
		if err := service.close(); err != nil {
			b.Error(err)
		}
	})
	if err := demo.FillCatalogue(b.Context(), service.catalogue); err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(service.handler)
	b.Cleanup(server.Close)
	d := &warmDemo{TB: b, handler: service.handler, service: service}
	d.token = d.logIn(demo.Account)
	apptest.Await(b, "a video is found", func() bool { return strings.Contains(d.get("/v1/videos?size=1").Body.String(), `"videos":[{`) })
	video := d.anyVideo()
	return &poster{
		TB: b, address: server.URL, token: d.token, bodies: map[int][]byte{1: posted(video, 1), 500: posted(video, 500)},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clientsAtOnce}},
	}
}

// posted returns the body that a player of a video sends, or the batch of a client that was offline.
func posted(video string, size int) []byte {
	one := `{"videoId":"` + video + `","segmentStartSeconds":12.5,"segmentEndSeconds":72.25,"userId":"pupil-%d","videoDurationSeconds":261.3,"playerId":"p-1"`
	if size == 1 {
		return fmt.Appendf(nil, one+"}", 7)
	}
	at := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	var b bytes.Buffer
	for i := range size {
		fmt.Fprintf(&b, ","+one+`,"captureTime":%q}`, i, at)
	}
	return append(append([]byte("["), b.Bytes()[1:]...), ']')
}

func (p *poster) post(size int) {
	path := "/v1/events/playback"
	if size > 1 {
		path += "/batch"
	}
	request := apptest.Must(http.NewRequest("POST", p.address+path, bytes.NewReader(p.bodies[size])))(p)
	request.Header.Set("Authorization", "Bearer "+p.token)
	request.Header.Set("Content-Type", "application/json")
	answer := apptest.Must(p.client.Do(request))(p)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		p.Errorf("%s: %s", path, answer.Status)
	}
}

// played returns the events for the bare store.
func played(size int) []event.Event {
	now := event.InstantOf(time.Now())
	events := make([]event.Event, size)
	for i := range events {
		events[i] = event.Event{
			ID: event.NewID(now), Kind: event.Playback, At: now, Received: now, Account: demo.Account, Client: demo.Account,
			ExternalUser: fmt.Sprint("pupil-", i), Video: "5c542abf5438cdbcb56de630", Start: 12_500, End: 72_250,
			Trace:    "4bf92f3577b34da6a3ce929d0e0e4736",
			Metadata: []byte(`{"videoDurationSeconds":261.3,"playerId":"p-1"}`),
		}
	}
	return events
}

// onFiles compares the service with single transactions of the log in its own file, because SQLite has one writer.
func onFiles(b *testing.B) (*poster, floor) {
	log := apptest.Must(sqlite.OpenEvents(b.Context(), filepath.Join(b.TempDir(), EventsFile)))(b)
	b.Cleanup(func() { _ = log.Close() })
	return newPoster(b, "--data", b.TempDir()), floor{
		clients: func(int) int { return 1 },
		store: func(size int) {
			apptest.Must(log.Append(context.Background(), []event.Submission{{Events: played(size)}}))(b)
		},
	}
}

// onServer compares the service with bare inserts, as pgbench would, on as many connections as there are clients, and
// with COPY on the number of connections that is fastest, into a table like the log.
func onServer(b *testing.B) (*poster, floor) {
	server := testservers.PostgreSQL(b, testservers.Durable())
	p := newPoster(b, "--data", b.TempDir(), "--store", server.URL)
	config := apptest.Must(pgxpool.ParseConfig(server.URL))(b)
	config.MaxConns = clientsAtOnce
	pool := apptest.Must(pgxpool.NewWithConfig(context.Background(), config))(b)
	b.Cleanup(pool.Close)
	columns := []string{"received", "at", "starts", "ends", "id", "kind", "account", "client", "external_user", "video", "trace", "metadata"}
	apptest.Must(pool.Exec(context.Background(), `CREATE TABLE bare (position bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
		received bigint, at bigint, starts bigint, ends bigint, id uuid, kind smallint,
		account text, client text, external_user text, video text, trace text, metadata text)`))(b)
	row := func(e *event.Event) []any {
		return []any{
			int64(e.Received), int64(e.At), e.Start, e.End, [16]byte(e.ID), int16(e.Kind),
			e.Account, e.Client, e.ExternalUser, e.Video, e.Trace, string(e.Metadata),
		}
	}
	const insert = `INSERT INTO bare (received, at, starts, ends, id, kind, account, client, external_user, video, trace, metadata)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)`
	return p, floor{
		clients: func(size int) int {
			if size == 1 {
				return clientsAtOnce
			}
			return 3
		},
		store: func(size int) {
			events := played(size)
			if size == 1 {
				apptest.Must(pool.Exec(context.Background(), insert, row(&events[0])...))(b)
				return
			}
			apptest.Must(pool.CopyFrom(context.Background(), pgx.Identifier{"bare"}, columns,
				pgx.CopyFromSlice(size, func(i int) ([]any, error) { return row(&events[i]), nil })))(b)
		},
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
