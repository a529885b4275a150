//go:build system

// Package crash_test reports events while it kills servers, and verifies that every event is stored correctly:
//
//	make crash CRASHTIME=5m
//
// Clients send single events and batches, with and without Idempotency-Key. A request without a clear response is
// repeated if it has a key, and otherwise never. Meanwhile, one process after the other is killed with SIGKILL at a
// random moment and started again. At the end, the log in the store is compared with the acknowledged events. A test
// fails if an event is lost, duplicated or altered, if a batch is stored in part, or if positions have gaps.
//
// Servers listen on 127.0.0.1 only, have the accounts of the demo, and end with the test.
package crash_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/tools/internal/program"
)

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

var binaryFolder string

func runTests(m *testing.M) int {
	var err error
	if binaryFolder, err = os.MkdirTemp("", "filmstrip-crash-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(binaryFolder)
	return testservers.Main(m)
}

// binary builds the program once, as it is released, and returns the path of the file.
var binary = sync.OnceValues(func() (string, error) {
	file := filepath.Join(binaryFolder, "filmstrip")
	return file, program.Build(file)
})

// TestSQLiteServerKilled verifies that every acknowledged event is stored exactly once, whenever the process is killed.
// FILMSTRIP_TEST_SOAK makes this and the following tests longer.
func TestSQLiteServerKilled(t *testing.T) { kill(t, settings{processes: 1}) }

// TestPostgreSQLServersKilled verifies the same for three processes on one PostgreSQL.
func TestPostgreSQLServersKilled(t *testing.T) {
	kill(t, settings{store: testservers.PostgreSQL(t, testservers.Durable()).URL, processes: 3})
}

// TestPostgreSQLItselfKilled verifies the same when the database and its servers are killed in turn.
func TestPostgreSQLItselfKilled(t *testing.T) {
	database := testservers.PostgreSQL(t, testservers.Durable())
	kill(t, settings{store: database.URL, processes: 1, others: []victim{victimOf{database}}})
}

type victimOf struct{ *testservers.Server }

func (v victimOf) kill()                       { v.Kill() }
func (v victimOf) start(context.Context) error { v.Start(); return nil }

func kill(t *testing.T, s settings) {
	t.Helper()
	var err error
	if s.binary, err = binary(); err != nil {
		t.Fatal(err)
	}
	s.clients, s.kills, s.pause, s.seed = 8, 6, 600*time.Millisecond, uint64(time.Now().UnixNano())
	if soak, err := time.ParseDuration(os.Getenv("FILMSTRIP_TEST_SOAK")); err == nil {
		s.kills = max(s.kills, int(soak/(s.pause/2)))
	}
	t.Logf("seed %d", s.seed)
	result, err := crash(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", result)
	if !result.sound() {
		t.Error("the log does not match the acknowledged events")
	}
	if result.unclearRequests == 0 {
		t.Error("no request was interrupted, so the test proves nothing")
	}
}
