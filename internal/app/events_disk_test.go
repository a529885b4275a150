//go:build system

package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestEventsWhileTheDiskIsFull places the server's data on a separate small disk, which it fills and frees again.
func TestEventsWhileTheDiskIsFull(t *testing.T) {
	t.Parallel()
	const onSmallDisk = `mount -t tmpfs -o size=64m tmpfs "$1" && shift && exec "$@"`
	data := t.TempDir()
	alone := []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", onSmallDisk, "sh", data}
	if output, err := exec.Command(alone[0], slices.Concat(alone[1:], []string{"true"})...).CombinedOutput(); err != nil {
		testservers.Missing(t, "full disk", fmt.Sprintf("no file system can be mounted: %v: %s", err, output))
	}
	s := apptest.StartUnder(t, alone, "--demo", "--data", data, "--min-free-disk", "0")
	s.LogIn(demo.OperatorAccount, demo.Secret)
	k := newTakings(t, 20, s.Report)
	disk := fmt.Sprintf("/proc/%d/root%s", s.Process.Process.Pid, data) // the path of the data as the server sees it
	k.load(4, time.Second/2)
	filler := filepath.Join(disk, "filler")
	if err := fill(filler); err != nil {
		t.Fatal(err)
	}
	k.load(8, 3*time.Second)
	k.wantRejections()
	events := func() engineState {
		response, text := s.Request("GET", s.Base+"/readyz", "", "")
		var body struct{ Engines map[string]engineState }
		if err := json.Unmarshal(text, &body); err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("/readyz answers %d, %v", response.StatusCode, err)
		}
		return body.Engines["events"]
	}
	apptest.Await(t, "/readyz shows the full disk", func() bool { return events().Status == stateDegraded })
	if state := events(); !strings.Contains(state.Detail, "only 0 MiB are free") || !strings.Contains(state.Remedy, "free disk space") {
		t.Errorf("events are %+v", state)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	k.awaitTaken()
	apptest.Await(t, "/readyz reports enough free disk", func() bool { return events().Status == stateUp })
	copied := t.TempDir()
	for _, name := range []string{EventsFile, EventsFile + "-wal"} {
		if err := os.WriteFile(filepath.Join(copied, name), apptest.Must(os.ReadFile(filepath.Join(disk, name)))(t), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(copied, EventsFile)))(t)
	defer log.Close()
	k.wantOnce(log)
}

// smallDisk is the size of PostgreSQL's disk in bytes.
const smallDisk = 160 << 20

// TestEventsWhilePostgreSQLsDiskIsFull verifies that PostgreSQL continues after its tables could not grow, as soon as
// space is free. If its write-ahead log cannot grow, PostgreSQL ends, and its supervisor starts it again.
func TestEventsWhilePostgreSQLsDiskIsFull(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t, testservers.Durable(), testservers.SmallDisk(smallDisk))
	p := admit(t, "--store", server.URL, "--store-timeout", "1s", "--data", t.TempDir())
	takeRoom := func() {
		if err := fill(server.Ballast); err != nil {
			t.Error(err)
		}
	}
	makeRoom := func() {
		if err := os.Truncate(server.Ballast, 0); err != nil {
			t.Error(err)
		}
		if server.Ended() {
			server.Start()
		}
	}
	for _, o := range []outage{
		{"no table can grow", takeRoom, makeRoom},
		{"nothing can be written", func() { takeRoom(); endByWriting(p, server) }, makeRoom},
	} {
		t.Run(o.name, func(t *testing.T) {
			takingsOf(p.in(t), 20).bear(o, p.stores.Events)
		})
	}
	if !strings.Contains(p.log.String(), "No space left on device") {
		t.Error("the service does not log the reason")
	}
}

// endByWriting writes a record to PostgreSQL's write-ahead log that is larger than its disk, which ends the server.
// Checkpoints cannot make room for it: they remove segments before a record only.
func endByWriting(t testing.TB, server *testservers.Server) {
	t.Helper()
	apptest.Await(t, "PostgreSQL has ended", func() bool {
		connection, err := pgx.Connect(t.Context(), server.URL)
		if err != nil {
			return server.Ended()
		}
		_, _ = connection.Exec(t.Context(), "SELECT pg_logical_emit_message(false, 'full', repeat('x', $1))", smallDisk)
		_ = connection.Close(t.Context()) // PostgreSQL may have ended already
		return server.Ended()
	})
}

// fill appends to a file until the disk is full.
func fill(name string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); err != nil {
			size /= 2 // the rest is smaller
		}
	}
	return file.Close()
}
