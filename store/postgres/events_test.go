package postgres_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/usage"
)

// noon is the time at which the events of these tests are received.
var noon = event.InstantOf(time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC))

// submission returns a submission of n events. The ID of each video consists of the key and a number.
func submission(key string, n int) event.Submission {
	s := event.Submission{Client: "client", Key: key, Fingerprint: [32]byte{1}, Received: noon}
	for i := range n {
		s.Events = append(s.Events, event.Event{
			Kind: event.Playback, At: noon, Received: noon, Account: "account", Client: "client",
			Video: fmt.Sprint(key, "/", i), Start: 0, End: 1000, Address: "192.0.2.1",
		})
	}
	return s
}

// appends appends submissions and checks that the verdicts are those of want.
func appends(t testing.TB, e *postgres.Events, submissions []event.Submission, want ...event.Verdict) {
	t.Helper()
	verdicts, err := e.Append(t.Context(), submissions)
	if err != nil || !slices.Equal(verdicts, want) {
		t.Errorf("got %v (%v), want %v", verdicts, err, want)
	}
}

// countVideos reads the whole log, checks that positions are consecutive, and returns the number of events of each
// video.
func countVideos(t testing.TB, e *postgres.Events) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for after := event.Position(0); ; {
		page, err := e.Read(t.Context(), store.EventQuery{}, after, 10_000)
		must(t, err)
		if len(page) == 0 {
			return counts
		}
		for _, one := range page {
			if one.Position != after+1 {
				t.Fatalf("%d follows %d", one.Position, after)
			}
			after = one.Position
			counts[one.Video]++
		}
	}
}

// holdHead locks the row of positions, as another process's transaction does.
func holdHead(t testing.TB, url string) (release func()) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	must(t, err)
	_, err = connection.Exec(t.Context(), "BEGIN; SELECT FROM event_head FOR UPDATE")
	must(t, err)
	return func() { _ = connection.Close(context.Background()) }
}

// TestAppendsReachTheDisk checks that a commit is flushed before it is acknowledged, whatever the server's settings,
// and that a stricter setting stays in force.
func TestAppendsReachTheDisk(t *testing.T) {
	for set, want := range map[string]string{
		"off": "on", "local": "on", "remote_write": "on", "on": "on", "remote_apply": "remote_apply",
	} {
		url := emptyDatabase(t)
		execute(t, url, "ALTER DATABASE "+strings.TrimPrefix(mustParse(t, url).Path, "/")+" SET synchronous_commit = "+set,
			"CREATE TABLE seen (setting text)",
			`CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
				BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$`,
			"CREATE TRIGGER see AFTER UPDATE ON event_head FOR EACH STATEMENT EXECUTE FUNCTION see()")
		e := open(t, url).Events()
		for _, s := range []event.Submission{submission("", 1), submission("a", 1), submission("", 200)} {
			appends(t, e, []event.Submission{s}, event.Stored)
		}
		if seen := ask(t, url, "SELECT string_agg(setting, ' ') FROM seen"); seen != strings.Join(slices.Repeat([]string{want}, 3), " ") {
			t.Errorf("where the database says %s, events are committed with %s", set, seen)
		}
	}
}

// TestAppendRoundTrips checks that an append takes one round trip, two with keys, and at most four for 5,000 events.
func TestAppendRoundTrips(t *testing.T) {
	url := emptyDatabase(t)
	link := testservers.NewLink(t, hostOf(t, url))
	e := open(t, throughOf(t, url, link.Addr)).Events()
	keys := 0
	key := func() string { keys++; return fmt.Sprint("key ", keys) }
	for _, step := range []struct {
		name string
		most int
		list func() []event.Submission
	}{
		{"one event", 1, func() []event.Submission { return []event.Submission{submission("", 1)} }},
		{"99 events", 1, func() []event.Submission { return []event.Submission{submission("", 49), submission("", 50)} }},
		{"one event with a key", 2, func() []event.Submission { return []event.Submission{submission(key(), 1)} }},
		{"many keys", 2, func() (list []event.Submission) {
			for range 30 {
				list = append(list, submission(key(), 1))
			}
			return list
		}},
		{"a key that came before", 2, func() []event.Submission { return []event.Submission{submission("again", 1)} }},
		{"5,000 events", 4, func() []event.Submission { return []event.Submission{submission("", 5000)} }},
	} {
		trips := 1000
		for range 12 { // each connection prepares its statements at first
			before := link.RoundTrips()
			if _, err := e.Append(t.Context(), step.list()); err != nil {
				t.Fatal(err)
			}
			trips = min(trips, link.RoundTrips()-before)
		}
		t.Logf("%s: %d round trips", step.name, trips)
		if trips > step.most {
			t.Errorf("%s took %d round trips, want at most %d", step.name, trips, step.most)
		}
	}
}

// TestMonthsAreMade checks that the first append that needs a partition creates it, also after someone has dropped it,
// and that the next month's partition exists before the month begins.
func TestMonthsAreMade(t *testing.T) {
	url := emptyDatabase(t)
	now := func() time.Time { return time.Date(2026, 10, 28, 0, 0, 0, 0, time.UTC) }
	handles := make([]*postgres.Events, 4)
	for i := range handles {
		handles[i] = open(t, url, postgres.WithClock(now)).Events()
	}
	const months = 8
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			for month := range months {
				s := submission("", 1)
				s.Events[0].Received = usage.MonthNumber(month * 7).Start()
				appends(t, handles[i%4], []event.Submission{s}, event.Stored)
			}
		})
	}
	all.Wait()
	if counts := countVideos(t, handles[0]); counts["/0"] != 12*months {
		t.Errorf("got %v", counts)
	}
	if made := ask(t, url, "SELECT (to_regclass('events_2026_11') IS NOT NULL)::text"); made != "true" {
		t.Error("there is no place for the month that begins soon")
	}
	execute(t, url, "DROP TABLE events_1970_01")
	s := submission("", 1)
	s.Events[0].Received = 1
	for _, list := range [][]event.Submission{{s}, {submission("key", 150), s}} {
		if _, err := handles[1].Append(t.Context(), list); err != nil {
			t.Error(err)
		}
		execute(t, url, "DROP TABLE events_1970_01")
	}
}

// TestAppendsAwaitMakersOfMonths checks that a process uses partitions only once their makers have finished: other sessions
// learn of a partition a moment after it appears in the catalogue.
func TestAppendsAwaitMakersOfMonths(t *testing.T) {
	url := emptyDatabase(t)
	appends(t, open(t, url).Events(), []event.Submission{submission("", 1)}, event.Stored)
	maker, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer maker.Close(context.Background())
	_, err = maker.Exec(t.Context(), fmt.Sprintf("BEGIN; SELECT pg_advisory_xact_lock(%d)", postgres.PartitionLock))
	must(t, err)
	e, stored := open(t, url).Events(), make(chan error, 1)
	go func() {
		_, err := e.Append(t.Context(), []event.Submission{submission("", 1)})
		stored <- err
	}()
	awaitLock(t, url)
	select {
	case err := <-stored:
		t.Errorf("the append did not wait: %v", err)
	default:
	}
	_, err = maker.Exec(t.Context(), "COMMIT")
	must(t, err)
	must(t, <-stored)
}

// TestMonthAheadWaits checks that events are stored even if the next month's partition cannot be created at the moment.
func TestMonthAheadWaits(t *testing.T) {
	url := emptyDatabase(t)
	appends(t, open(t, url).Events(), []event.Submission{submission("", 1)}, event.Stored)
	execute(t, url, "DROP TABLE IF EXISTS events_2026_11")
	connection, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer connection.Close(context.Background())
	_, err = connection.Exec(t.Context(), "BEGIN; LOCK TABLE events IN SHARE UPDATE EXCLUSIVE MODE") // as VACUUM does
	must(t, err)
	now := time.Date(2026, 10, 28, 0, 0, 0, 0, time.UTC)
	e := open(t, url, postgres.WithClock(func() time.Time { return now })).Events()
	for range 3 {
		appends(t, e, []event.Submission{submission("", 1)}, event.Stored)
	}
	must(t, connection.Close(context.Background()))
	now = now.Add(2 * time.Hour)
	appends(t, e, []event.Submission{submission("", 1)}, event.Stored)
	if made := ask(t, url, "SELECT (to_regclass('events_2026_11') IS NOT NULL)::text"); made != "true" {
		t.Error("it is not made later either")
	}
}

// TestForeignTransactionOfEvents checks that long transactions of other sessions never block appends and reads, even if
// a month's partition must be created. A drop retries until its patience ends and does not block others meanwhile.
func TestForeignTransactionOfEvents(t *testing.T) {
	url := emptyDatabase(t)
	e := open(t, url, postgres.WithPatience(time.Second)).Events()
	appends(t, e, []event.Submission{submission("", 1)}, event.Stored)
	connection, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer connection.Close(context.Background())
	execute(t, url, "CREATE TABLE foreign_table (n int)")
	_, err = connection.Exec(t.Context(), `BEGIN ISOLATION LEVEL REPEATABLE READ;
		INSERT INTO foreign_table VALUES (1); SELECT * FROM events; SELECT * FROM event_head; SELECT * FROM event_keys`)
	must(t, err)
	later := submission("key", 1)
	later.Events[0].Received = noon + 60*24*event.Hour
	appends(t, e, []event.Submission{later}, event.Stored)
	dropping := make(chan error, 1)
	go func() {
		_, err := e.Drop(t.Context(), usage.MonthOf(noon).Next())
		dropping <- err
	}()
	during := 0
	for waiting := true; waiting; {
		select {
		case err := <-dropping:
			if fault.CodeOf(err) != fault.Unavailable {
				t.Errorf("a drop during a long transaction: %v", err)
			}
			waiting = false
		default:
			appends(t, e, []event.Submission{submission("", 1)}, event.Stored)
			during++
		}
	}
	if during < 3 {
		t.Errorf("only %d appends succeeded during the drop", during)
	}
	must(t, connection.Close(context.Background()))
	dropped, err := e.Drop(t.Context(), usage.MonthOf(noon).Next())
	if last := event.Position(2 + during); err != nil || dropped != last {
		t.Errorf("dropped up to %d, want %d (%v)", dropped, last, err)
	}
	left, err := e.Read(t.Context(), store.EventQuery{Dropped: dropped}, 0, 10)
	if err != nil || len(left) != 1 || left[0].Position != 2 {
		t.Errorf("left are %v (%v)", left, err)
	}
}

// TestAddressesOfManyEvents checks that each event keeps its own address, although addresses are stored per run of
// events.
func TestAddressesOfManyEvents(t *testing.T) {
	url := emptyDatabase(t)
	e := open(t, url).Events()
	s := submission("", 3500)
	for i := range s.Events {
		if i%1700 < 3 {
			s.Events[i].ExternalUser = "pupil"
		}
	}
	appends(t, e, []event.Submission{submission("", 10), s}, event.Stored, event.Stored)
	if runs := ask(t, url, "SELECT count(*)::text FROM event_addresses"); runs != "4" {
		t.Errorf("3510 events have %s rows of addresses", runs)
	}
	erased, err := e.Erase(t.Context(), "account", "xpupil", "alias", math.MaxInt64)
	if err != nil || erased != 9 {
		t.Errorf("erased %d (%v)", erased, err)
	}
	for _, after := range []event.Position{0, 999, 1000, 1713, 3508} {
		page, err := e.Read(t.Context(), store.EventQuery{}, after, 10_000)
		must(t, err)
		for _, one := range page {
			if want := one.ExternalUser == ""; (one.Address == "192.0.2.1") != want || (one.Address == "") == want {
				t.Fatalf("behind %d: the event at %d of %q has the address %q", after, one.Position, one.ExternalUser, one.Address)
			}
		}
	}
}

// TestFreshTablesGrow checks that statements first planned on empty tables do not scan these tables in full after they
// have grown, before the server has analyzed them.
func TestFreshTablesGrow(t *testing.T) {
	url := emptyDatabase(t)
	// Creating partitions and indexes scans empty tables a few times.
	const scans = `SELECT ((sum(seq_scan) < 20) || ' ' || (sum(idx_scan) > 50)) FROM pg_stat_user_tables WHERE relname ~ '^(event_keys|events_)'`
	e := open(t, url).Events()
	appends(t, e, []event.Submission{submission("first", 1)}, event.Stored)
	for n := range 30 {
		var list []event.Submission
		for key := range 40 {
			list = append(list, submission(fmt.Sprint(n, " ", key), 1))
		}
		if _, err := e.Append(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Read(t.Context(), store.EventQuery{Account: "account"}, 1, 10); err != nil {
			t.Fatal(err)
		}
	}
	must(t, e.Close()) // connections report their statistics on close
	got := ""
	for end := time.Now().Add(10 * time.Second); !strings.HasSuffix(got, "true") && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got = ask(t, url, scans)
	}
	if got != "true true" {
		t.Errorf("tables were left alone, and indexes used: %s", got)
	}
}
