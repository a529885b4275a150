package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/storetest"
	"github.com/filmstrip/filmstrip/usage"
)

// counted queries all plays by account.
var counted = usage.Query{
	From: usage.Month{Year: 2026, Month: 1}.Start(), To: usage.Month{Year: 2028, Month: 1}.Start(),
	By: []usage.Dimension{usage.ByAccount}, Limit: 1000,
}

// applies counts n plays after the current progress and returns the new progress.
func applies(t testing.TB, u *postgres.Usage, n int) usage.Progress {
	t.Helper()
	from, err := u.Progress(t.Context())
	must(t, err)
	to := usage.Progress{Position: from.Position + int64(n), AsOf: noon}
	must(t, u.Apply(t.Context(), from, to, playsOf(rand.New(rand.NewPCG(1, 1)), from.Position, n, noon, 1)))
	return to
}

// TestSnapshotsOutlastAStatement checks that a verification, which reads all plays in one snapshot, may take longer than
// a statement.
func TestSnapshotsOutlastAStatement(t *testing.T) {
	d := open(t, emptySchema(t))
	applies(t, d.Usage(), 10)
	const limit = 100 * time.Millisecond
	d.LimitUsage(limit)
	sleep := sync.OnceFunc(func() { time.Sleep(3 * limit) })
	lists, err := d.Usage().Lists(t.Context(), func(string) usage.Weight {
		sleep()
		return usage.Weight{}
	})
	must(t, err)
	if len(lists.Plays) == 0 {
		t.Fatal("there are no plays")
	}
}

// TestApplyIsTerminated checks that plays are counted exactly once, however often the counting connection is
// terminated. The total, the rows and the ledger all match the number of plays.
func TestApplyIsTerminated(t *testing.T) {
	url := emptyDatabase(t)
	handles := []*postgres.Usage{open(t, url).Usage(), open(t, url).Usage()}
	var (
		all     sync.WaitGroup
		over    atomic.Bool
		unclear atomic.Int64
	)
	const steps, size = 12, 700
	for i := range 4 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for {
				from, err := handles[i%2].Progress(t.Context())
				if err == nil && from.Position >= steps*size {
					over.Store(true)
					return
				}
				to := usage.Progress{Position: from.Position + size, AsOf: noon}
				if err == nil {
					err = handles[i%2].Apply(t.Context(), from, to, playsOf(random, from.Position, size, noon, 1))
				}
				if code := fault.CodeOf(err); err != nil && code != fault.Conflict {
					unclear.Add(1)
					if code != fault.Unavailable {
						t.Error(err)
					}
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
	for ended := 0; !over.Load(); time.Sleep(100 * time.Millisecond) {
		if ended++; ended < 30 {
			execute(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND query ~ 'usage_' AND pid <> pg_backend_pid()`)
		}
	}
	all.Wait()
	table, err := handles[0].Table(t.Context(), counted)
	must(t, err)
	rows := int64(0)
	for _, row := range table.Rows {
		rows += row.Plays
	}
	sums, progress, err := handles[0].Ledger(t.Context(), "")
	must(t, err)
	ledger := int64(0)
	for _, sum := range sums {
		ledger += sum.Plays
	}
	if want := progress.Position; table.Total.Plays != want || rows != want || ledger != want || want != steps*size {
		t.Errorf("of %d plays the total counts %d, the rows %d, the ledger %d", want, table.Total.Plays, rows, ledger)
	}
	t.Logf("%d calls failed", unclear.Load())
	if unclear.Load() == 0 {
		t.Error("nothing was put to the test")
	}
}

// recounts counts the plays of applies again, to the end.
func recounts(t *testing.T, u *postgres.Usage, n int) {
	t.Helper()
	progress, err := u.Progress(t.Context())
	must(t, err)
	recount, err := u.BeginRecount(t.Context(), usage.FirstMonth, true)
	must(t, err)
	recount, err = u.ApplyRecount(t.Context(), recount, progress, playsOf(rand.New(rand.NewPCG(1, 1)), 0, n, noon, 1))
	must(t, err)
	recount, err = u.GatherRecount(t.Context(), recount)
	must(t, err)
	must(t, u.EndRecount(t.Context(), recount, progress))
}

// TestRecountBesideQuestions checks that concurrent queries never notice that a recount replaces the counts.
func TestRecountBesideQuestions(t *testing.T) {
	url := emptyDatabase(t)
	u, other := open(t, url).Usage(), open(t, url).Usage()
	applies(t, u, 500)
	var (
		all  sync.WaitGroup
		over atomic.Bool
	)
	for range 3 {
		all.Go(func() {
			for !over.Load() {
				table, err := other.Table(t.Context(), counted)
				if err != nil || table.Total.Plays != 500 {
					t.Errorf("%d plays at %d (%v)", table.Total.Plays, table.Progress.Position, err)
				}
				rows := int64(0)
				for _, row := range table.Rows {
					rows += row.Plays
				}
				if rows != table.Total.Plays {
					t.Errorf("rows of %d plays of %d", rows, table.Total.Plays)
				}
			}
		})
	}
	for range 6 {
		recounts(t, u, 500)
	}
	over.Store(true)
	all.Wait()
}

// TestSealsReachTheDisk checks that a seal is flushed, whatever the database's settings.
func TestSealsReachTheDisk(t *testing.T) {
	url := emptyDatabase(t)
	execute(t, url, "ALTER DATABASE "+strings.TrimPrefix(mustParse(t, url).Path, "/")+" SET synchronous_commit = off",
		"CREATE TABLE seen (setting text)",
		`CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$`,
		"CREATE TRIGGER see AFTER INSERT ON usage_seals FOR EACH STATEMENT EXECUTE FUNCTION see()")
	u := open(t, url).Usage()
	applies(t, u, 10)
	_, err := u.Seal(t.Context(), usage.Seal{Month: usage.MonthOf(noon), At: noon.Time()},
		func(usage.Progress, []usage.Sum, map[string]usage.Statement) ([]usage.Statement, error) {
			return nil, nil
		})
	must(t, err)
	if seen := ask(t, url, "SELECT string_agg(setting, ' ') FROM seen"); seen != "on" {
		t.Errorf("a seal is committed with %s", seen)
	}
}

// TestSealTakesItsTime checks that sealing the statements of many accounts may take longer than a commit's timeout. The
// engine inserts these statements with two SQL statements.
func TestSealTakesItsTime(t *testing.T) {
	url := emptyDatabase(t)
	execute(t, url, `CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN PERFORM pg_sleep(3); RETURN NULL; END $$`,
		"CREATE TRIGGER linger AFTER INSERT ON usage_statements FOR EACH STATEMENT EXECUTE FUNCTION linger()")
	u := open(t, url).Usage()
	applies(t, u, 10)
	seal := usage.Seal{Month: usage.MonthOf(noon), At: noon.Time()}
	made, err := u.Seal(t.Context(), seal,
		func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error) {
			return usage.Compose(seal, ledger, last)
		})
	must(t, err)
	kept, err := u.Statements(t.Context(), "", seal.Month)
	must(t, err)
	if len(made) == 0 || len(kept) != len(made) {
		t.Errorf("%d statements are kept of %d", len(kept), len(made))
	}
}

// TestCountingKeepsToItself checks that slow usage queries and blocked counting do not affect catalogue reads and
// events, and that Apply returns Unavailable in time if another process has the progress locked.
func TestCountingKeepsToItself(t *testing.T) {
	url := emptyDatabase(t)
	d := open(t, url, postgres.WithMaxConnections(4), postgres.WithPatience(300*time.Millisecond), postgres.WithStatementTimeout(500*time.Millisecond))
	c, e, u := d.Catalogue(), d.Events(), d.Usage()
	must(t, put(t.Context(), c, directory()))
	at := applies(t, u, 100)
	release := lockTable(t, url, "usage_cells")
	asked, cancel := context.WithCancel(t.Context())
	var questions sync.WaitGroup
	for range 6 {
		questions.Go(func() { _, _ = u.Table(asked, counted) })
	}
	awaitLock(t, url)
	if _, err := c.States(t.Context(), videoIDs(0, 1)); err != nil || d.LeftAlone() {
		t.Errorf("a read: %v", err)
	}
	must(t, put(t.Context(), c, videos(0, 3)))
	if _, err := e.Head(t.Context()); err != nil {
		t.Error(err)
	}
	cancel()
	questions.Wait()
	release()
	awaitSuccess(t, "a question", func(ctx context.Context) error { _, err := u.Table(ctx, counted); return err })

	connection, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer connection.Close(context.Background())
	_, err = connection.Exec(t.Context(), "BEGIN; SELECT FROM usage_progress FOR UPDATE")
	must(t, err)
	next := usage.Progress{Position: at.Position + 1, AsOf: noon}
	if err := u.Apply(t.Context(), at, next, nil); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("without the progress: %v", err)
	}
	if table, err := u.Table(t.Context(), counted); err != nil || table.Total.Plays != 100 {
		t.Errorf("a query during the failed call: %+v (%v)", table.Total, err)
	}
	must(t, connection.Close(context.Background()))
	awaitSuccess(t, "counting", func(ctx context.Context) error { return u.Apply(ctx, at, next, nil) })
}

// TestLongTexts checks that names too long for an index can be counted.
func TestLongTexts(t *testing.T) {
	u := open(t, emptyDatabase(t)).Usage()
	long := strings.Repeat("\x00ü", 5000)
	play := usage.Play{At: noon, Account: "a", Client: "c", Person: "x" + long, Video: long, Channel: long, Subjects: []string{long}, End: 1}
	for n := range 2 {
		play.Position = int64(n) + 1
		must(t, u.Apply(t.Context(), usage.Progress{Position: int64(n)}, usage.Progress{Position: play.Position}, []usage.Play{play}))
	}
	asked := counted
	asked.By, asked.Only[usage.ByVideo] = []usage.Dimension{usage.ByUser, usage.BySubject}, []string{long}
	table, err := u.Table(t.Context(), asked)
	if err != nil || len(table.Rows) != 1 || table.Rows[0].Plays != 2 || fmt.Sprint(table.Rows[0].Keys) != fmt.Sprint([]string{"x" + long, long}) {
		t.Errorf("got %d rows, in all %+v (%v)", len(table.Rows), table.Total, err)
	}
}

// TestRetentionDropsAnInterruptedRecount checks that an unfinished second set of counts does not retain anyone's plays.
func TestRetentionDropsAnInterruptedRecount(t *testing.T) {
	url := emptyDatabase(t)
	u := open(t, url).Usage()
	month := usage.Month{Year: 2026, Month: 3}
	to := usage.Progress{Position: 1, AsOf: month.Start()}
	plays := []usage.Play{{Position: 1, At: month.Start(), Account: "school", Client: "lms", Person: "xpupil", Video: "moon", End: 1000}}
	must(t, u.Apply(t.Context(), usage.Progress{}, to, plays))
	recount, err := u.BeginRecount(t.Context(), month, false)
	must(t, err)
	_, err = u.ApplyRecount(t.Context(), recount, to, plays)
	must(t, err)
	connection, err := pgx.Connect(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = connection.Close(context.WithoutCancel(t.Context())) })
	tables := func() (n int) {
		t.Helper()
		must(t, connection.QueryRow(t.Context(), `SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'recount\_%'`).Scan(&n))
		return n
	}
	must(t, u.ForgetPersons(t.Context(), month))
	if n := tables(); n != 4 {
		t.Fatalf("before the month is forgotten there are %d tables", n)
	}
	must(t, u.ForgetPersons(t.Context(), month.Next()))
	if n := tables(); n != 0 {
		t.Errorf("after it is forgotten there are %d tables", n)
	}
	ofEarlierRelease := func() {
		t.Helper()
		_, err := u.BeginRecount(t.Context(), month, true)
		must(t, err)
		execute(t, url, `ALTER TABLE recount_progress DROP COLUMN gathered_number`)
	}
	ofEarlierRelease()
	must(t, u.ForgetPersons(t.Context(), month.Next()))
	if n := tables(); n != 0 {
		t.Errorf("of a recount of an earlier release, %d tables are left", n)
	}
	ofEarlierRelease()
	ofEarlierRelease() // begins again
}

// TestPlayRowsBecomeBlocks checks that a migration converts the table of plays of an earlier release without loss, and
// that no server starts before.
func TestPlayRowsBecomeBlocks(t *testing.T) {
	url := emptyDatabase(t)
	const plays = 20_000
	start := usage.Month{Year: 2026, Month: 3}.Start()
	execute(t, url, `CREATE TABLE usage_plays (position bigint NOT NULL, at bigint NOT NULL, starts bigint NOT NULL, ends bigint NOT NULL, account integer NOT NULL,
			client integer NOT NULL, person integer NOT NULL, video integer NOT NULL, channel integer NOT NULL, sandbox boolean NOT NULL, subjects bytea,
			excess bigint NOT NULL DEFAULT 0, void bigint NOT NULL DEFAULT 0, continues boolean NOT NULL DEFAULT false)`,
		fmt.Sprintf(`INSERT INTO usage_plays SELECT 30000 - n, %d + n::bigint * 250000, n, n + 1000, n %% 2, 1, 1 + n %% 5, 1 + n %% 7, 0, n %% 3 = 0, '\x0105', n %% 4, 0, n %% 11 = 0
			FROM generate_series(1, %d) AS n`, start, plays),
		`INSERT INTO usage_terms (dimension, number, owner, text) VALUES (0, 1, 0, 'school'), (1, 1, 0, 'lms'), (2, 1, 1, 'xpupil'), (3, 1, 0, 'moon'), (3, 3, 0, 'sun')`)
	if _, err := postgres.Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), "filmstrip migrate") {
		t.Errorf("before the conversion: %v", err)
	}
	_, err := postgres.Migrate(t.Context(), url)
	must(t, err)
	got, err := open(t, url).Usage().PlaysOf(t.Context(), "school", "xpupil")
	must(t, err)
	storetest.CheckConverted(t, start, got)
	if left := ask(t, url, "SELECT coalesce(to_regclass('usage_plays')::text, '')"); left != "" {
		t.Errorf("%s is still there", left)
	}
}

// TestRetentionDropsPartitions checks that retention drops the partitions of forgotten months, and only these.
func TestRetentionDropsPartitions(t *testing.T) {
	url := emptyDatabase(t)
	u := open(t, url).Usage()
	march := usage.Month{Year: 2026, Month: 3}
	var plays []usage.Play
	for i, month := range []usage.Month{march, march.Next()} {
		plays = append(plays, usage.Play{Position: int64(i + 1), At: month.Start(), Account: "school", Client: "lms", Person: "xpupil", Video: "moon", End: 1000})
	}
	must(t, u.Apply(t.Context(), usage.Progress{}, usage.Progress{Position: 2}, plays))
	must(t, u.ForgetPersons(t.Context(), march.Next()))
	if left := ask(t, url, "SELECT string_agg(inhrelid::regclass::text, ' ') FROM pg_inherits WHERE inhparent = 'usage_blocks'::regclass"); left != "usage_blocks_2026_04" {
		t.Errorf("the partitions are %s", left)
	}
}

// TestRecountIsRepeated checks that a step of a recount gives numbers to new texts again if the server has aborted its
// transaction. Otherwise the plays would later count for another text that gets the same number.
func TestRecountIsRepeated(t *testing.T) {
	url := emptyDatabase(t)
	u := open(t, url).Usage()
	progress := applies(t, u, 1)
	recount, err := u.BeginRecount(t.Context(), usage.FirstMonth, true)
	must(t, err)
	execute(t, url, "CREATE SEQUENCE failures",
		`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN IF nextval('failures') = 1 THEN RAISE EXCEPTION 'planned' USING ERRCODE = '40P01'; END IF; RETURN NULL; END $$`,
		"CREATE TRIGGER fail BEFORE INSERT ON recount_ledger FOR EACH STATEMENT EXECUTE FUNCTION fail()")
	play := usage.Play{Position: 1, At: noon, Account: "first", Client: "c", Person: "xp", Video: "v", End: 1000}
	recount, err = u.ApplyRecount(t.Context(), recount, progress, []usage.Play{play})
	must(t, err)
	if tried := ask(t, url, "SELECT last_value::text FROM failures"); tried != "2" {
		t.Fatal("statements that were tried: ", tried)
	}
	recount, err = u.GatherRecount(t.Context(), recount)
	must(t, err)
	must(t, u.EndRecount(t.Context(), recount, progress))
	play.Position, play.Account = 2, "second"
	must(t, u.Apply(t.Context(), progress, usage.Progress{Position: 2, AsOf: noon}, []usage.Play{play}))
	table, err := u.Table(t.Context(), counted)
	must(t, err)
	rows := map[string]int64{}
	for _, row := range table.Rows {
		rows[row.Keys[0]] = row.Plays
	}
	if len(rows) != 2 || rows["first"] != 1 || rows["second"] != 1 {
		t.Errorf("the accounts have these plays: %v", rows)
	}
}

// TestVoidIsRepeated checks that a void takes all of its plays if the server aborts the commit of one of its steps.
func TestVoidIsRepeated(t *testing.T) {
	url := emptyDatabase(t)
	u := open(t, url).Usage()
	play := usage.Play{Position: 1, At: noon, Account: "a", Client: "c", Person: "xp", Video: "v", End: 1000}
	other := play
	other.Position, other.At = 2, usage.MonthOf(noon).End()
	must(t, u.Apply(t.Context(), usage.Progress{}, usage.Progress{Position: 2, AsOf: noon}, []usage.Play{play, other}))
	execute(t, url, "CREATE SEQUENCE failures",
		`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN IF nextval('failures') = 1 THEN RAISE EXCEPTION 'planned' USING ERRCODE = '40P01'; END IF; RETURN NULL; END $$`,
		`CREATE CONSTRAINT TRIGGER fail AFTER INSERT OR UPDATE ON usage_ledger DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION fail()`)
	act := usage.VoidAct{At: noon.Time(), Client: "operator", Reason: "test"}
	void, err := u.Void(t.Context(), usage.Void{ID: "void", Selection: usage.Selection{Video: "v"}, Made: act})
	must(t, err)
	sums, _, err := u.Ledger(t.Context(), "")
	must(t, err)
	if tried := ask(t, url, "SELECT last_value::text FROM failures"); tried != "3" || void.Plays != 2 || len(sums) != 0 {
		t.Errorf("after %s changes of the ledger, %d plays are voided, and billed are %+v", tried, void.Plays, sums)
	}
}
