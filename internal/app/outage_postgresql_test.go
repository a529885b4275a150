//go:build system

package app

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// TestPostgreSQLAway verifies outages of PostgreSQL: killed, hanging, paused or cut off. The server continues to serve
// earlier responses, to callers with existing tokens, and soon refuses all other requests with 503. No acknowledged
// write is lost, and the server recovers without intervention.
func TestPostgreSQLAway(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t, testservers.Durable())
	link := testservers.NewLink(t, server.Addr)
	store := []string{"--store", server.URL} // the command does not use the link
	p := admit(t, "--store", apptest.URLThrough(t, server, link), "--store-timeout", "1s", "--data", t.TempDir())
	warm, cold := p.ids[:40], p.ids[40:]
	for i, o := range outagesOf(server, link) {
		t.Run(o.name, func(t *testing.T) {
			p := p.in(t)
			importRegisters(t, store, apptest.RegisterLine(i, 1)+apptest.RegisterLine(everyOutage, i))
			apptest.Await(p, "searches show the written title", func() bool { return p.finds(registerTitle(everyOutage, i)) })
			p.wantAll(http.StatusOK, addresses(slices.Concat(warm, []string{apptest.RegisterID(everyOutage)}))...)
			remembered := "/v1/videos?size=10&query=" + fmt.Sprint("water+", i)
			p.want(http.StatusOK, p.get(remembered))

			o.away()
			p.wantWarm(warm, remembered)
			p.wantPostponedSoon(cold[100*i:])
			time.Sleep(apptest.LagAllowed) // caches are no older than this while the store answers
			p.wantWarm(warm, remembered)
			if !p.shows(apptest.RegisterID(everyOutage), registerTitle(everyOutage, i)) {
				t.Error("a video that was read before is not answered")
			}
			p.awaitReadiness(stateDown, map[string]string{"store": stateDown, "accounts": stateDegraded, "cache": stateUp})

			o.back()
			began := time.Now()
			apptest.Await(p, "the store answers", func() bool { return p.get("/v1/videos/"+cold[100*i]).Status == http.StatusOK })
			t.Logf("it answers after %s", time.Since(began).Round(time.Millisecond))
			p.awaitReadiness(stateUp, nil)
			apptest.Await(p, "tokens are issued", func() bool { return p.askToken().Status == http.StatusOK }) // readiness only reads
			p.logIn()
			p.wantAll(http.StatusOK, "/v1/videos/"+apptest.RegisterID(i), "/v1/channels")
			if ids := p.feed(); len(ids) != len(p.ids)+i+2 || !slices.Contains(ids, apptest.RegisterID(i)) {
				t.Errorf("the feed shows %d videos, not %d", len(ids), len(p.ids)+i+2)
			}
			importRegisters(t, store, apptest.RegisterLine(i, 2))
			apptest.Await(p, "searches show the written title", func() bool { return p.finds(registerTitle(i, 2)) })
		})
	}
}

// TestPostgreSQLKilledDuringAnImport verifies that a running import ends with an error, and that it has imported
// complete batches, which are present when the server is back.
func TestPostgreSQLKilledDuringAnImport(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t, testservers.Durable())
	store := []string{"--store", server.URL}
	apptest.Succeed(t, append([]string{"migrate"}, store...)...)
	importRegisters(t, store, apptest.RegisterLine(everyOutage, 7))
	database := apptest.Must(postgres.Open(t.Context(), server.URL))(t)
	defer database.Close()
	catalogue := database.Catalogue()
	count := func() int {
		n, err := catalogue.CountVideos(t.Context())
		if err != nil {
			return -1
		}
		return n
	}
	var lines strings.Builder
	const videos = 20_000
	for i := range videos {
		lines.WriteString(apptest.RegisterLine(1000+i, i))
	}
	ended := make(chan apptest.Outcome, 1)
	go func() {
		ended <- apptest.Run(t, nil, lines.String(), append(append([]string{"import"}, store...), "-")...)
	}()
	apptest.Await(t, "the import has begun", func() bool { return count() >= 2 })
	server.Kill()
	if got := <-ended; got.Status != importer.ExitFailed || got.Err == "" {
		t.Errorf("the import ends with status %d: %s%s", got.Status, got.Out, got.Err)
	}
	server.Start()
	for deadline := time.Now().Add(30 * time.Second); count() < 0 && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	kept := count() - 1
	t.Logf("%d of %d videos are kept", kept, videos)
	if kept <= 0 || kept >= videos || kept%importer.DefaultBatchSize != 0 {
		t.Errorf("%d videos are no whole batches of %d", kept, importer.DefaultBatchSize)
	}
	wantRegisters(t, catalogue, kept)
	if got := apptest.Run(t, nil, lines.String(), append(append([]string{"import"}, store...), "-")...); got.Status != 0 || count() != videos+1 {
		t.Errorf("the import again ends with status %d, %d videos: %s", got.Status, count(), got.Err)
	}
}

// wantRegisters verifies that the catalogue contains the videos of the first lines of an import, and none of later
// lines.
func wantRegisters(t *testing.T, catalogue *postgres.Catalogue, lines int) {
	t.Helper()
	titles := map[string]bool{}
	for after := int64(0); ; {
		videos := apptest.Must(catalogue.Scan(t.Context(), after, 5000))(t)
		if len(videos) == 0 {
			break
		}
		for _, video := range videos {
			after = video.Sequence
			titles[video.Title] = true
		}
	}
	for line := range lines {
		if title := registerTitle(1000+line, line); !titles[title] {
			t.Fatalf("%q is missing", title)
		}
	}
	if !titles[registerTitle(everyOutage, 7)] || len(titles) != lines+1 {
		t.Errorf("%d titles are stored, want %d", len(titles), lines+1)
	}
}

// TestPostgreSQLWithoutConnections verifies that /readyz says that the database accepts no more connections, also once the
// server calls it no more.
func TestPostgreSQLWithoutConnections(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t)
	admin := apptest.Must(pgx.Connect(t.Context(), server.URL))(t)
	defer func() { _ = admin.Close(t.Context()) }()
	run := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			if _, err := admin.Exec(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	run("CREATE ROLE app LOGIN PASSWORD 'secret'", "CREATE DATABASE app OWNER app")
	p := admit(t, "--store", "postgres://app:secret@"+server.Addr+"/app?sslmode=disable", "--store-timeout", "1s", "--data", t.TempDir())
	run("ALTER ROLE app CONNECTION LIMIT 0", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'")
	p.awaitReadiness(stateDown, map[string]string{"store": stateDown})
	for range 10 {
		p.askToken() // opens the breakers
	}
	ready := string(p.request("GET", "/readyz", "").Body)
	if n := strings.Count(ready, "the database accepts no more connections"); n < 4 || !strings.Contains(ready, "max_connections") {
		t.Errorf("%d engines name the reason: %s", n, ready)
	}
	run("ALTER ROLE app CONNECTION LIMIT -1")
	p.awaitReadiness(stateUp, nil)
}
