package postgres_test

import (
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// TestReplica checks that reads that may lag go to the standby only while the standby has replayed every write that
// this process knows of, and that no read returns stale data otherwise.
func TestReplica(t *testing.T) {
	server := testservers.PostgreSQL(t, testservers.Replica())
	if _, err := postgres.Migrate(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	link := testservers.NewLink(t, server.Addr)
	throughLink := throughOf(t, server.URL, link.Addr)
	d := open(t, throughLink, postgres.WithReplica(server.Replica.URL))
	c := d.Catalogue()
	must(t, put(t.Context(), c, append(directory(), videos(0, 10)...)))
	awaitReplay(t, server)

	t.Run("the standby answers", func(t *testing.T) {
		_, err := c.Head(t.Context()) // learns which standby is meant
		must(t, err)
		before := link.RoundTrips()
		readsThatLag(t, c, 10, "A plain introduction to matter 3")
		if trips := link.RoundTrips() - before; trips != 0 {
			t.Errorf("the primary was asked %d times", trips)
		}
		before = link.RoundTrips()
		_, err = c.Directory(t.Context(), 0)
		must(t, err)
		if link.RoundTrips() == before {
			t.Error("the directory came from the standby")
		}
	})
	t.Run("a standby that is behind does not", func(t *testing.T) {
		execute(t, server.Replica.URL, "SELECT pg_wal_replay_pause()")
		changed := video(3)
		changed.Title = "Another"
		must(t, put(t.Context(), c, append(videos(10, 12), changed)))
		readsThatLag(t, c, 12, "Another")
		// Another process learns of the write from the log.
		other := open(t, server.URL, postgres.WithReplica(server.Replica.URL)).Catalogue()
		if _, err := other.Changes(t.Context(), 0, 1); err != nil {
			t.Fatal(err)
		}
		readsThatLag(t, other, 12, "Another")
		execute(t, server.Replica.URL, "SELECT pg_wal_replay_resume()")
		awaitReplay(t, server)
		before := link.RoundTrips()
		readsThatLag(t, c, 12, "Another")
		if trips := link.RoundTrips() - before; trips != 0 {
			t.Errorf("the standby has caught up, and the primary was asked %d times", trips)
		}
	})
	t.Run("another database is no standby", func(t *testing.T) {
		stranger := emptyDatabase(t)
		filled(t, stranger, 100)
		lost := open(t, server.URL, postgres.WithReplica(stranger)).Catalogue()
		readsThatLag(t, lost, 12, "Another")
	})
	t.Run("a standby that is away is done without", func(t *testing.T) {
		server.Replica.Kill()
		for range 10 {
			readsThatLag(t, c, 12, "Another")
		}
	})
}

// readsThatLag calls every read that a standby may answer.
func readsThatLag(t *testing.T, c *postgres.Catalogue, count int, title string) {
	t.Helper()
	read, err := c.Videos(t.Context(), videoIDs(3, 4))
	if err != nil || len(read) != 1 || read[0].Title != title {
		t.Errorf("got %d videos (%v)", len(read), err)
		return
	}
	states, err := c.States(t.Context(), videoIDs(0, count+1))
	if err != nil || len(states) != count || states[3].Ref.Version != read[0].Version {
		t.Errorf("got %d states (%v)", len(states), err)
	}
	if texts, err := c.Transcripts(t.Context(), videoIDs(0, 1)); err != nil || len(texts) != 0 {
		t.Errorf("got transcripts %v (%v)", texts, err)
	}
	if ids, err := c.Aliases(t.Context(), []string{"1"}); err != nil || len(ids) != 0 {
		t.Errorf("got aliases %v (%v)", ids, err)
	}
	if scanned, err := c.Scan(t.Context(), 0, 100); err != nil || len(scanned) != count {
		t.Errorf("scanned %d videos (%v)", len(scanned), err)
	}
	if n, err := c.CountVideos(t.Context()); err != nil || n != count {
		t.Errorf("there are %d videos (%v)", n, err)
	}
}

// awaitReplay waits until the standby has replayed everything that the primary has.
func awaitReplay(t *testing.T, server *testservers.Server) {
	t.Helper()
	// The test waits for the insert position: the test server writes its log a little later than it commits.
	want := ask(t, server.URL, "SELECT pg_current_wal_insert_lsn()::text")
	for ask(t, server.Replica.URL, "SELECT (pg_last_wal_replay_lsn() >= '"+want+"')::text") != "true" {
	}
}

// TestReplicaWithoutTables checks that an error of the standby is not returned as an answer.
func TestReplicaWithoutTables(t *testing.T) {
	url := emptyDatabase(t)
	empty := testservers.SharedPostgreSQL(t).URL
	c := open(t, url, postgres.WithReplica(empty)).Catalogue()
	must(t, put(t.Context(), c, append(directory(), videos(0, 5)...)))
	if states, err := c.States(t.Context(), []catalogue.ID{idOf(catalogue.KindVideo, 2)}); err != nil || len(states) != 1 {
		t.Errorf("got %d states (%v)", len(states), err)
	}
}

// TestUselessReplicasAreLogged checks that reads go to the primary if a replica is unusable, and that the log gives the
// reason without a password.
func TestUselessReplicasAreLogged(t *testing.T) {
	primary, another := emptyDatabase(t), emptyDatabase(t)
	for _, database := range []string{primary, another} {
		_, err := postgres.Migrate(t.Context(), database)
		must(t, err)
	}
	wrong := strings.Replace(primary, ":"+passwordOf(t, primary)+"@", ":not-the-password@", 1)
	for name, test := range map[string]struct{ replica, want string }{
		"another database": {another, "it holds no copy of this database"},
		"a wrong password": {wrong, "password"},
	} {
		var log strings.Builder
		open(t, primary, postgres.WithReplica(test.replica), postgres.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		if !strings.Contains(log.String(), "the replica is not used") || !strings.Contains(log.String(), test.want) || strings.Contains(log.String(), "not-the-password") {
			t.Errorf("%s: the log is %q", name, log.String())
		}
	}
}

func passwordOf(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	must(t, err)
	password, _ := parsed.User.Password()
	return password
}

// TestReplicaState checks that a replica that hangs costs reads little, that reads leave alone a replica that they cannot
// use, that Replica says why, and that they use it again once they can.
func TestReplicaState(t *testing.T) {
	server := testservers.PostgreSQL(t, testservers.Replica())
	_, err := postgres.Migrate(t.Context(), server.URL)
	must(t, err)
	var late atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	link := testservers.NewLink(t, server.Addr)
	d := open(t, throughOf(t, server.URL, link.Addr), postgres.WithReplica(server.Replica.URL), postgres.WithClock(clock))
	c := d.Catalogue()
	must(t, put(t.Context(), c, append(directory(), videos(0, 10)...)))
	awaitReplay(t, server)
	title := "A plain introduction to matter 3"
	wantUsed := func() {
		t.Helper()
		awaitReplica(t, d, "")
		before := link.RoundTrips()
		readsThatLag(t, c, 10, title)
		if trips := link.RoundTrips() - before; trips != 0 {
			t.Errorf("the primary was asked %d times", trips)
		}
	}
	wantUsed()

	server.Replica.Pause()
	begun := time.Now()
	for range 10 {
		readsThatLag(t, c, 10, title)
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the reads took %s", took)
	}
	awaitReplica(t, d, "it does not answer")
	begun = time.Now()
	for time.Since(begun) < 3*time.Second {
		before := time.Now()
		readsThatLag(t, c, 10, title)
		if took := time.Since(before); took > 300*time.Millisecond {
			t.Errorf("six reads took %s beside a replica that is known to hang", took)
		}
		time.Sleep(20 * time.Millisecond)
	}
	server.Replica.Resume()
	wantUsed()

	execute(t, server.Replica.URL, "SELECT pg_wal_replay_pause()")
	changed := video(3)
	changed.Title, title = "Another", "Another"
	must(t, put(t.Context(), c, append(videos(9, 10), changed)))
	for state, _ := d.Replica(); state.Behind == 0; state, _ = d.Replica() {
		time.Sleep(10 * time.Millisecond)
	}
	if state, _ := d.Replica(); state.Problem != "" {
		t.Errorf("a replica that is behind for a moment is left alone: %+v", state)
	}
	late.Store(int64(11 * time.Second))
	awaitReplica(t, d, "it is behind the primary")
	execute(t, server.Replica.URL, "SELECT pg_wal_replay_resume()")
	wantUsed()

	execute(t, server.Replica.URL, "SELECT pg_promote()")
	awaitReplica(t, d, "it is no standby")

	// The old primary becomes a standby that does not follow the new one.
	data := ask(t, server.URL, "SELECT current_setting('data_directory')")
	server.Stop()
	must(t, os.WriteFile(filepath.Join(data, "standby.signal"), nil, 0o644))
	server.Start()
	awaitReplica(t, open(t, server.Replica.URL, postgres.WithReplica(server.URL)), "it follows another primary, or does not confirm yet that it follows the new one")
	if _, err := open(t, server.URL).Catalogue().Lineage(t.Context()); err == nil || !strings.Contains(err.Error(), "is a standby, which takes no writes") {
		t.Errorf("the lineage of a standby: %v", err)
	}
}

func awaitReplica(t *testing.T, d *postgres.Database, problem string) {
	t.Helper()
	var state postgres.ReplicaState
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if state, _ = d.Replica(); state.Problem == problem {
			return
		}
	}
	t.Fatalf("the state of the replica is %+v, want %q", state, problem)
}
