//go:build system

package app

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// standbyNames sets synchronous_standby_names on a server.
func standbyNames(t testing.TB, server *testservers.Server, names string) {
	t.Helper()
	connection := apptest.Must(pgx.Connect(t.Context(), server.URL))(t)
	defer func() { _ = connection.Close(t.Context()) }()
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + names + "'", "SELECT pg_reload_conf()"} {
		if _, err := connection.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// promote makes a standby the primary.
func promote(t testing.TB, standby *testservers.Server) {
	t.Helper()
	apptest.Await(t, "the standby is the primary", func() bool {
		connection, err := pgx.Connect(t.Context(), standby.URL)
		if err != nil {
			return false
		}
		defer func() { _ = connection.Close(t.Context()) }()
		var isStandby bool
		if err := connection.QueryRow(t.Context(), "SELECT pg_is_in_recovery()").Scan(&isStandby); err != nil || !isStandby {
			return err == nil
		}
		_, _ = connection.Exec(t.Context(), "SELECT pg_promote(wait => false)") // an error leads to another attempt
		return false
	})
}

// TestSynchronousFailover verifies that a standby for which commits wait has every acknowledged event when the primary
// dies under load.
func TestSynchronousFailover(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t, testservers.Durable(), testservers.Replica())
	standbyNames(t, server, "*")
	p := admit(t, "--store", server.URL, "--store-timeout", "2s", "--require-synchronous-standby", "--data", t.TempDir())
	p.awaitReadiness(stateUp, map[string]string{"replication": stateUp})
	k := takingsOf(p, 5)
	var loading sync.WaitGroup
	loading.Go(func() { k.load(8, 4*time.Second) })
	apptest.Await(t, "requests are acknowledged", func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return len(k.acknowledged) >= 50
	})
	server.Kill()
	loading.Wait()
	promote(t, server.Replica)
	database := apptest.Must(postgres.Open(t.Context(), server.Replica.URL))(t)
	log := database.Events()
	defer log.Close()
	k.wantOnce(log)
}

// TestAsynchronousFailover verifies that a standby for which commits do not wait lacks the last acknowledged events
// after a failover. Clients that repeat their requests with their keys restore the missing events, and no event is
// stored twice.
func TestAsynchronousFailover(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t, testservers.Durable(), testservers.Replica())
	p := admit(t, "--store", server.URL, "--store-timeout", "2s", "--data", t.TempDir())
	k := takingsOf(p, 5)
	k.load(4, 500*time.Millisecond)
	stored := func() (n int) {
		connection, err := pgx.Connect(t.Context(), server.Replica.URL)
		if err != nil {
			return 0
		}
		defer func() { _ = connection.Close(t.Context()) }()
		_ = connection.QueryRow(t.Context(), "SELECT count(*) FROM events").Scan(&n)
		return n
	}
	before := 5 * len(k.acknowledged)
	apptest.Await(t, "the standby has the first events", func() bool { return stored() == before })
	server.Replica.Kill()
	for range 3 {
		if !k.hand() {
			t.Fatal("events are not acknowledged without the standby")
		}
	}
	server.Kill()
	server.Replica.Start()
	promote(t, server.Replica)
	if n := stored(); n != before {
		t.Errorf("the standby has %d events, want the %d from before it was away", n, before)
	}

	now := admit(t, "--store", server.Replica.URL, "--data", t.TempDir())
	repeated := takingsOf(now, 5)
	for key := range k.acknowledged {
		if !repeated.handBody(key, repeated.bodyOf(key)) {
			t.Errorf("the request with the key %s is not acknowledged again", key)
		}
	}
	database := apptest.Must(postgres.Open(t.Context(), server.Replica.URL))(t)
	log := database.Events()
	defer log.Close()
	repeated.wantOnce(log)
}

// TestStandbyIsReported verifies that /readyz reports whether commits wait for a standby. If a standby is required and
// missing, the server refuses events with the reason, and accepts events again without a restart.
func TestStandbyIsReported(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t, testservers.Durable(), testservers.Replica())
	free := admit(t, "--store", server.URL, "--data", t.TempDir())
	if err := free.readiness(stateUp, map[string]string{"replication": stateUp}); err != nil {
		t.Error(err)
	}
	if ready := string(free.request("GET", "/readyz", "").Body); !strings.Contains(ready, "a failover loses acknowledged events") {
		t.Errorf("of an asynchronous standby /readyz says %s", ready)
	}
	if !strings.Contains(free.log.String(), "a failover loses acknowledged events") {
		t.Error("the log does not report the asynchronous standby at the start")
	}
	free.want(http.StatusCreated, free.play())

	strict := admitAsItIs(t, "--store", server.URL, "--data", t.TempDir(), "--require-synchronous-standby")
	strict.logIn()
	refused := func(reason string) func() bool {
		return func() bool {
			a := strict.play()
			return a.Status == http.StatusServiceUnavailable && a.RetryAfter == "10" && strings.Contains(string(a.Body), reason) &&
				strict.readiness(stateDegraded, map[string]string{"replication": stateDegraded, "store": stateUp}) == nil
		}
	}
	accepted := func() bool {
		return strict.play().Status == http.StatusCreated && strict.readiness(stateUp, map[string]string{"replication": stateUp}) == nil
	}
	apptest.Await(t, "events are refused without a synchronous standby", refused("commits do not wait for the standby"))
	standbyNames(t, server, "*")
	apptest.Await(t, "events are accepted with a synchronous standby", accepted)
	if !strings.Contains(string(strict.metrics()), "\nfilmstrip_commits_wait_for_standby 1\n") {
		t.Error("the metric does not report the synchronous standby")
	}
	server.Replica.Kill()
	apptest.Await(t, "events are refused while the standby is away", refused("none is connected"))
	server.Replica.Start()
	apptest.Await(t, "events are accepted when it is back", accepted)
	standbyNames(t, server, "")
	apptest.Await(t, "events are refused when commits do not wait any more", refused("commits do not wait for the standby"))
}

// TestReplicaIsReported verifies that /readyz and a metric report a replica that cannot serve reads, and that the server
// stays ready.
func TestReplicaIsReported(t *testing.T) {
	t.Parallel()
	server := testservers.PostgreSQL(t, testservers.Replica())
	p := admit(t, "--store", server.URL, "--store-replica", server.Replica.URL, "--data", t.TempDir())
	reported := func(state string, used string) func() bool {
		return func() bool {
			return p.readiness(state, map[string]string{"replica": state, "store": stateUp}) == nil &&
				strings.Contains(string(p.metrics()), "\nfilmstrip_replica_used "+used+"\n")
		}
	}
	apptest.Await(t, "reads use the replica", reported(stateUp, "1"))
	server.Replica.Pause()
	apptest.Await(t, "a replica that hangs is reported", reported(stateDegraded, "0"))
	if ready := string(p.request("GET", "/readyz", "").Body); !strings.Contains(ready, "it does not answer: reads use the primary") {
		t.Errorf("/readyz says %s", ready)
	}
	server.Replica.Resume()
	apptest.Await(t, "reads use the replica again", reported(stateUp, "1"))
}
