package counting_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// The test binary is also the other process: with this variable set it does not test but counts what lies in
// the store, until it is killed.
const (
	childStore = "FILMSTRIP_TEST_STORE"
	// childRecounts has it count again instead.
	childRecounts = "FILMSTRIP_TEST_RECOUNTS"
)

func TestMain(m *testing.M) {
	if where := os.Getenv(childStore); where != "" {
		fmt.Println("failed:", countStore(where))
		os.Exit(1)
	}
	os.Exit(testservers.Main(m))
}

func countStore(where string) error {
	ctx := context.Background()
	s, err := openStore(ctx, where)
	if err != nil {
		return err
	}
	if os.Getenv(childRecounts) != "" {
		if err := s.Recount(ctx); err != nil {
			return err
		}
		fmt.Println("counted again")
		select {}
	}
	s.Run(ctx)
	return s.close()
}

// countedStore is a Counter of small steps, which takes no turns, over a store.
type countedStore struct {
	*counting.Counter
	log   store.Events
	usage store.Usage
	close func() error
}

// openStore opens files in a folder, or a database.
func openStore(ctx context.Context, where string) (s countedStore, err error) {
	if strings.HasPrefix(where, "postgres:") {
		database, err := postgres.Open(ctx, where)
		if err != nil {
			return s, err
		}
		s.log, s.usage, s.close = database.Events(), database.Usage(), database.Close
	} else {
		log, err := sqlite.OpenEvents(ctx, filepath.Join(where, "events.db"))
		if err != nil {
			return s, err
		}
		counted, err := sqlite.OpenUsage(ctx, filepath.Join(where, "usage.db"))
		if err != nil {
			return s, errors.Join(err, log.Close())
		}
		s.log, s.usage, s.close = log, counted, func() error { return errors.Join(counted.Close(), log.Close()) }
	}
	s.Counter = counting.New(counting.Options{
		Log: s.log, Usage: s.usage, Catalogue: videos{},
		Batch: 40, Poll: time.Millisecond, Rest: time.Microsecond, MaxBackOff: 10 * time.Millisecond,
	})
	return s, nil
}

func TestKilled(t *testing.T) { onStores(t, testKilled) }

// testKilled kills processes that count, two at a time on the same store, while events come in and months are
// sealed: every play is counted once.
func testKilled(t *testing.T, where string) {
	here, err := openStore(t.Context(), where)
	must(t, err)
	defer func() { must(t, here.close()) }()
	memory := &memoryLog{}
	random := rand.New(rand.NewPCG(1, 2))
	sealed := month("2026-05")
	kills := 8
	if testing.Short() {
		kills = 4
	}
	for range kills {
		first, second := countingProcess(t, where), countingProcess(t, where)
		for range 30 {
			events := manyEvents(random, len(memory.events))
			_, err := here.log.Append(t.Context(), []event.Submission{{Events: events}})
			must(t, err)
			memory.add(events...)
		}
		kill(t, first)
		if sealed.Before(month("2026-08")) {
			_, err := here.Seal(t.Context(), sealed, true)
			must(t, err)
			sealed = sealed.Next()
		}
		time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
		kill(t, second)
	}
	progress, err := here.usage.Progress(t.Context())
	must(t, err)
	if progress.Position == 0 {
		t.Fatal("nobody has counted")
	}
	t.Logf("%d of %d events were counted when the last process was killed", progress.Position, len(memory.events))
	must(t, here.CatchUp(t.Context()))
	seals, err := here.usage.Seals(t.Context())
	must(t, err)
	ledger, _, err := here.usage.Ledger(t.Context(), "")
	must(t, err)
	if diff := cmp.Diff(amounts(ledgerOf(memory.plays(), seals)), amounts(ledger)); diff != "" {
		t.Error("(-log +ledger):\n", diff)
	}
	report, err := here.Verify(t.Context())
	must(t, err)
	if !report.Agrees() || report.Events != int64(len(memory.events)) || report.Statements != 6 {
		t.Errorf("got %+v", report)
	}
}

// amounts are plays and milliseconds by what a sum is of.
func amounts(ledger []usage.Sum) map[usage.Sum][2]int64 {
	of := map[usage.Sum][2]int64{}
	for _, s := range ledger {
		amount := [2]int64{s.Plays, s.Milliseconds}
		s.Plays, s.Milliseconds = 0, 0
		of[s] = amount
	}
	return of
}

// manyEvents are some events of the spring and summer, a few of them no plays.
func manyEvents(random *rand.Rand, after int) (events []event.Event) {
	for i := range 20 {
		start := random.Int64N(5000)
		e := segment([]string{"one", "two"}[random.IntN(2)], month("2026-04").Start()+event.Instant(random.Int64N(int64(120*24*event.Hour))), start, random.Int64N(9000))
		n := after + i + 1
		e.ID = event.ID{6: 0x70, 13: byte(n >> 16), 14: byte(n >> 8), 15: byte(n)}
		e.Received = month("2026-08").Start()
		e.ExternalUser = fmt.Sprint("pupil ", random.IntN(7))
		e.Video = string(catalogue.DeriveID(catalogue.KindVideo, "test", fmt.Sprint(random.IntN(9))))
		events = append(events, e)
	}
	return events
}

// countingProcess is another process that counts.
func countingProcess(t *testing.T, where string, more ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), childStore+"="+where), more...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	must(t, cmd.Process.Kill())
	if err := cmd.Wait(); err == nil {
		t.Error("it ended by itself")
	}
}
