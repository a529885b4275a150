//go:build system

package counting_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

func TestKilled(t *testing.T) { onStores(t, testKilled) }

// testKilled kills counting processes, two at a time on the same store, while events arrive and months are sealed. Each
// play is counted once.
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

func TestRecountKilled(t *testing.T) { onStores(t, testRecountKilled) }

// testRecountKilled kills processes that recount, while another process counts. Until a recount ends, the counts stay
// as before. Each recount resumes the previous one.
func testRecountKilled(t *testing.T, where string) {
	s, err := openStore(t.Context(), where)
	must(t, err)
	defer func() { must(t, s.close()) }()
	memory := &memoryLog{}
	random := rand.New(rand.NewPCG(3, 4))
	appends := func(times int) {
		for range times {
			events := manyEvents(random, len(memory.events))
			_, err := s.log.Append(t.Context(), []event.Submission{{Events: events}})
			must(t, err)
			memory.add(events...)
		}
	}
	appends(200)
	wrong := memory.plays()
	for i := range wrong {
		wrong[i].Client = "wrong"
	}
	last := memory.events[len(memory.events)-1]
	to := usage.Progress{Position: int64(len(memory.events)), AsOf: last.Received}
	must(t, s.usage.Apply(t.Context(), usage.Progress{}, to, wrong))
	ledger := func() map[usage.Sum][2]int64 {
		sums, _, err := s.usage.Ledger(t.Context(), "")
		must(t, err)
		return amounts(sums)
	}
	before := ledger()
	right := amounts(ledgerOf(memory.plays(), nil))
	kills, reached, ended := 0, int64(0), false
	for ; kills < 6 && reached < 3000 && !ended; kills++ {
		child := countingProcess(t, where, childRecounts+"=1")
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && cmp.Equal(before, ledger()); time.Sleep(5 * time.Millisecond) {
			recount, err := s.usage.BeginRecount(t.Context(), usage.FirstMonth, true)
			must(t, err)
			if ended = recount.Progress.Position < reached; ended { // The process has finished its recount, and this is another.
				if cmp.Equal(before, ledger()) {
					t.Fatalf("a recount that had come to event %d is resumed at %d", reached, recount.Progress.Position)
				}
				break
			}
			if recount.Progress.Position >= reached+400 {
				reached = recount.Progress.Position
				break
			}
		}
		kill(t, child)
		if after := ledger(); !cmp.Equal(before, after) {
			ended = true
			if diff := cmp.Diff(right, after); diff != "" {
				t.Fatal("the counts changed, but not to those of the log (-want +got):\n", diff)
			}
		}
	}
	t.Logf("killed %d times, the last at event %d of %d", kills, reached, len(memory.events))
	if reached == 0 && !ended {
		t.Fatal("nothing was counted before a process was killed")
	}
	appends(5)
	must(t, s.CatchUp(t.Context()))
	must(t, s.Recount(t.Context()))
	if diff := cmp.Diff(amounts(ledgerOf(memory.plays(), nil)), ledger()); diff != "" {
		t.Error("(-log +ledger):\n", diff)
	}
	report, err := s.Verify(t.Context())
	must(t, err)
	if !report.Agrees() || report.Events != int64(len(memory.events)) {
		t.Errorf("got %+v", report)
	}
}

func TestGatheringKilled(t *testing.T) { onStores(t, testGatheringKilled) }

// testGatheringKilled kills a process that recounts before and after it gathers. Others continue where it stopped.
func testGatheringKilled(t *testing.T, where string) {
	s, err := openStore(t.Context(), where)
	must(t, err)
	defer func() { must(t, s.close()) }()
	memory, random := &memoryLog{}, rand.New(rand.NewPCG(7, 8))
	appends := func() {
		for range 20 {
			events := manyEvents(random, len(memory.events))
			_, err := s.log.Append(t.Context(), []event.Submission{{Events: events}})
			must(t, err)
			memory.add(events...)
		}
		must(t, s.CatchUp(t.Context()))
	}
	appends()
	var last usage.Recount
	for _, step := range []struct {
		stops string
		stage usage.RecountStage
	}{{"before", usage.Collecting}, {"after", usage.Following}} {
		child := countingProcess(t, where, childRecounts+"="+step.stops)
		eventually(t, func() bool {
			last, err = s.usage.BeginRecount(t.Context(), usage.FirstMonth, true)
			must(t, err)
			return last.Progress.Position == int64(len(memory.events)) && last.Stage == step.stage
		})
		kill(t, child)
		appends()
	}
	resumed, err := s.usage.BeginRecount(t.Context(), usage.FirstMonth, true)
	must(t, err)
	if resumed != last {
		t.Errorf("resumed %+v, want %+v", resumed, last)
	}
	must(t, s.Recount(t.Context()))
	ledger, progress, err := s.usage.Ledger(t.Context(), "")
	must(t, err)
	if diff := cmp.Diff(amounts(ledgerOf(memory.plays(), nil)), amounts(ledger)); diff != "" || progress.Position != int64(len(memory.events)) {
		t.Errorf("up to %d (-log +ledger):\n%s", progress.Position, diff)
	}
	report, err := s.Verify(t.Context())
	must(t, err)
	if !report.Agrees() || report.Events != int64(len(memory.events)) {
		t.Errorf("got %+v", report)
	}
}

// countingProcess starts another process that counts.
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
