package rollup_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/rollup"
	"github.com/filmstrip/filmstrip/usage"
)

func TestWhenAMonthMayBeSealed(t *testing.T) {
	for _, test := range []struct {
		now   string
		force bool
		code  catalogue.Code
	}{
		{"2026-09-30T23:59:59Z", true, catalogue.Invalid},
		{"2026-10-01T00:00:00Z", true, ""},
		{"2026-10-15T00:00:00Z", false, catalogue.Invalid},
		{"2026-11-07T23:59:59.999Z", false, catalogue.Invalid},
		{"2026-11-07T23:59:59.999Z", true, ""},
		{"2026-11-08T00:00:00Z", false, ""},
		{"2027-11-08T00:00:00Z", false, ""},
	} {
		w := newWorld()
		w.now = at(test.now).Time()
		w.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 1))
		statements, err := w.Seal(t.Context(), month("2026-10"), test.force)
		if catalogue.CodeOf(err) != test.code || len(w.usage.seals) != len(statements) {
			t.Errorf("%s, forced %t: got %v and %d seals", test.now, test.force, err, len(w.usage.seals))
		}
		if err == nil && w.usage.seals[0] != (usage.Seal{Month: month("2026-10"), Position: 1, At: w.now}) {
			t.Errorf("%s: sealed as %+v", test.now, w.usage.seals[0])
		}
	}
}

func TestSealsWhatIsInTheLog(t *testing.T) {
	w := newWorld()
	for range 10 {
		w.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 1_250))
	}
	w.log.add(segment("two", at("2026-11-01T00:00:00Z"), 0, 1_250))
	statements, err := w.Seal(t.Context(), month("2026-10"), false)
	must(t, err)
	if len(statements) != 1 || statements[0].Plays != 10 || statements[0].Seconds != 13 || statements[0].Position != 11 {
		t.Fatalf("got %+v", statements)
	}
	for _, again := range []string{"2026-10", "2026-09"} {
		if _, err := w.Seal(t.Context(), month(again), true); catalogue.CodeOf(err) != catalogue.Conflict {
			t.Errorf("%s after 2026-10: got %v", again, err)
		}
	}
}

// overtaken is applied to by another who takes smaller steps.
type overtaken struct {
	*memoryUsage
	once sync.Once
}

func (u *overtaken) Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) (err error) {
	u.once.Do(func() {
		err = u.memoryUsage.Apply(ctx, from, usage.Progress{Position: plays[0].Position, AsOf: plays[0].At}, plays[:1])
	})
	return errors.Join(err, u.memoryUsage.Apply(ctx, from, to, plays))
}

func TestSealsAllThoughOthersCountToo(t *testing.T) {
	w := newWorld()
	for range 10 {
		w.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 1_250))
	}
	counter := rollup.New(rollup.Options{Log: w.log, Usage: &overtaken{memoryUsage: w.usage}, Catalogue: videos{}, Now: func() time.Time { return w.now }})
	statements, err := counter.Seal(t.Context(), month("2026-10"), false)
	must(t, err)
	if len(statements) != 1 || statements[0].Plays != 10 {
		t.Errorf("got %+v", statements)
	}
}

func TestStatements(t *testing.T) {
	w := newWorld()
	w.now = at("2026-12-24T00:00:00Z").Time()
	add := func(moment string) { w.log.add(segment("one", at(moment), 0, 1000)); w.count(t) }
	want := func(m string, lines string) {
		t.Helper()
		s, err := w.Statement(t.Context(), "one", month(m))
		got := fmt.Sprint(catalogue.CodeOf(err))
		if err == nil {
			got = told(s)
		}
		if got != lines {
			t.Errorf("%s: got %s, want %s", m, got, lines)
		}
	}
	want("2026-09", "provisional:")
	add("2026-08-31T23:59:59.999Z")
	add("2026-10-01T00:00:00Z")
	want("2026-09", "provisional:")
	want("2026-10", "provisional: 2026-10 1")
	_, err := w.Seal(t.Context(), month("2026-09"), false)
	must(t, err)
	want("2026-08", "NOT_FOUND")
	want("2026-09", "sealed: 2026-08 1 late")
	add("2026-09-15T00:00:00Z")
	add("2026-08-15T00:00:00Z")
	want("2026-09", "sealed: 2026-08 1 late")
	want("2026-10", "provisional: 2026-08 1 late 2026-09 1 late 2026-10 1")
	want("2026-11", "provisional:")
	_, err = w.Seal(t.Context(), month("2026-10"), false)
	must(t, err)
	want("2026-10", "sealed: 2026-08 1 late 2026-09 1 late 2026-10 1")
	_, err = w.Seal(t.Context(), month("2026-11"), false)
	must(t, err)
	want("2026-11", "sealed:")
	s, err := w.Statement(t.Context(), "never seen", month("2026-10"))
	if err != nil || s.SealedAt == nil || s.Checksum != "" || s.Lines == nil || s.Account != "never seen" {
		t.Errorf("an account without a play: got %+v, %v", s, err)
	}
	kept, err := w.usage.Statements(t.Context(), "one", usage.Month{})
	must(t, err)
	if found := usage.CheckChain(kept); found != nil || len(kept) != 3 {
		t.Errorf("the chain of %d: %v", len(kept), found)
	}
}

// told is a statement in short.
func told(s usage.Statement) string {
	text := "provisional:"
	if s.SealedAt != nil {
		text = "sealed:"
	}
	for _, line := range s.Lines {
		text += fmt.Sprintf(" %s %d", line.Month, line.Plays)
		if line.Adjustment {
			text += " late"
		}
	}
	return text
}

func TestForgets(t *testing.T) {
	w := newWorld()
	moment := at("2026-10-01T00:00:00Z")
	for _, who := range []string{"ann", "bob", "ann"} {
		e := segment("one", moment, 0, 1000)
		e.ExternalUser = who
		w.log.add(e)
	}
	w.count(t)
	before := ledgerOf(w.usage.plays, nil)
	late := segment("one", moment, 0, 1000)
	late.ExternalUser = "ann"
	w.log.add(late) // in the log and not counted yet
	n, err := w.Forget(t.Context(), "one", "xann")
	must(t, err)
	if n != 3 {
		t.Errorf("%d events are forgotten", n)
	}
	persons := map[string]int{}
	for _, p := range w.usage.plays {
		persons[p.Person]++
	}
	alias := ""
	for person, plays := range persons {
		if strings.HasPrefix(person, "xforgotten-") && plays == 3 {
			alias = person
		}
	}
	if alias == "" || persons["xbob"] != 1 || len(persons) != 2 {
		t.Fatalf("the plays are those of %v", persons)
	}
	if before[0].Plays+1 != ledgerOf(w.usage.plays, nil)[0].Plays {
		t.Error("the ledger has changed")
	}
	for i, p := range w.log.plays() {
		if p.Person != w.usage.plays[i].Person {
			t.Errorf("the log knows play %d as that of %s, the roll-up as that of %s", i, p.Person, w.usage.plays[i].Person)
		}
	}
}

// applyingLate applies its first batch when it is told to.
type applyingLate struct {
	*memoryUsage
	read, apply chan struct{}
}

func (u *applyingLate) Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) error {
	select {
	case u.read <- struct{}{}: // the first
		<-u.apply
	default:
	}
	return u.memoryUsage.Apply(ctx, from, to, plays)
}

// TestForgetsWhatIsBeingCounted forgets somebody whose plays another process has read and not applied yet.
func TestForgetsWhatIsBeingCounted(t *testing.T) {
	w := newWorld()
	e := segment("one", at("2026-10-01T00:00:00Z"), 0, 1000)
	e.ExternalUser = "ann"
	w.log.add(e)
	late := &applyingLate{w.usage, make(chan struct{}, 1), make(chan struct{})}
	other := rollup.New(rollup.Options{Log: w.log, Usage: late, Catalogue: videos{}, VerifyEvery: -1, Poll: time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); other.Run(ctx) }()
	<-late.read
	_, err := w.Forget(t.Context(), "one", "xann")
	must(t, err)
	close(late.apply)
	eventually(t, func() bool { return other.Stats().Position == 1 })
	cancel()
	<-ended
	if len(w.usage.plays) != 1 || !strings.HasPrefix(w.usage.plays[0].Person, "xforgotten-") {
		t.Errorf("counted are %+v", w.usage.plays)
	}
}

func TestRecounts(t *testing.T) {
	w := newWorld()
	for i := range 10 {
		w.log.add(segment("one", at("2026-09-30T23:59:59Z")+event.Instant(i)*500, 0, 1000))
	}
	_, err := w.Seal(t.Context(), month("2026-09"), true)
	must(t, err)
	w.log.add(segment("one", at("2026-09-01T00:00:00Z"), 0, 1000))
	w.count(t)
	before := ledgerOf(w.usage.plays, w.usage.seals)
	must(t, w.Recount(t.Context()))
	if len(w.usage.plays) > 0 {
		t.Fatal("nothing is forgotten")
	}
	w.count(t)
	if after := ledgerOf(w.usage.plays, w.usage.seals); !slices.Equal(before, after) {
		t.Errorf("the ledger was %v and is %v", before, after)
	}
	w.log.dropped = 1
	if err := w.Recount(t.Context()); catalogue.CodeOf(err) != catalogue.Conflict {
		t.Errorf("with events dropped: %v", err)
	}
}

// TestEveryPlayIsBilledOnce mixes everything that can happen, and compares with what was played: on a store in
// memory, and now and then on SQLite.
func TestEveryPlayIsBilledOnce(t *testing.T) {
	folder := t.TempDir()
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		inFiles := rapid.IntRange(0, 9).Draw(t, "store") == 7
		var files countedStore
		if inFiles {
			made++
			where := filepath.Join(folder, fmt.Sprint(made))
			err := os.Mkdir(where, 0o700)
			if err == nil {
				files, err = openStore(ctx, where)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = files.close() }()
		}
		played := &memoryLog{} // what Counters know nothing of, where the store is in files
		w := newWorld(func(o *rollup.Options) {
			o.Batch = rapid.IntRange(1, 20).Draw(t, "batch")
			if inFiles {
				o.Log, o.Usage = files.log, files.usage
			}
		})
		record := func(e event.Event) {
			played.add(e)
			n := len(played.events)
			e.ID = event.ID{6: 0x70, 14: byte(n >> 8), 15: byte(n)}
			if !inFiles {
				w.log.add(e)
			} else if _, err := files.log.Append(ctx, []event.Submission{{Events: []event.Event{e}}}); err != nil {
				t.Fatal(err)
			}
		}
		next := month("2026-01")
		w.now = next.Start().Time()
		actions := map[string]func(*rapid.T){
			"play": func(t *rapid.T) {
				moment := event.InstantOf(w.now) - event.Instant(rapid.Int64Range(-24, 90*24).Draw(t, "hours ago"))*event.Hour
				start := rapid.Int64Range(0, 3000).Draw(t, "start")
				e := segment(rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "account"), max(1, moment), start, rapid.Int64Range(0, 6000).Draw(t, "end"))
				e.Received, e.Client = event.InstantOf(w.now), rapid.SampledFrom([]string{"web", "lms"}).Draw(t, "client")
				e.Sandbox = rapid.IntRange(0, 4).Draw(t, "sandbox") == 0
				e.ExternalUser = rapid.SampledFrom([]string{"", "ann", "bob"}).Draw(t, "user")
				record(e)
			},
			"time goes by": func(t *rapid.T) {
				w.now = w.now.Add(time.Duration(rapid.IntRange(1, 20*24).Draw(t, "hours")) * time.Hour)
			},
			"seal": func(t *rapid.T) {
				_, err := w.Seal(ctx, next, rapid.Bool().Draw(t, "force"))
				switch catalogue.CodeOf(err) {
				case "":
					next = next.Next()
				case catalogue.Invalid:
				default:
					t.Fatal(err)
				}
			},
			"pass over": func(*rapid.T) { next = next.Next() },
			"recount": func(t *rapid.T) {
				if err := w.Recount(ctx); err != nil {
					t.Fatal(err)
				}
			},
			"forget": func(t *rapid.T) {
				if _, err := w.Forget(ctx, "one", "xann"); err != nil {
					t.Fatal(err)
				}
			},
			"count": func(t *rapid.T) {
				if err := w.CatchUp(ctx); err != nil {
					t.Fatal(err)
				}
			},
		}
		t.Repeat(actions)
		if err := w.CatchUp(ctx); err != nil {
			t.Fatal(err)
		}
		report, err := w.Verify(ctx)
		if err != nil || !report.Agrees() {
			t.Fatalf("%v, %+v", err, report)
		}
		want := map[string]usage.Measures{}
		for _, p := range played.plays() {
			if sum := want[p.Account]; p.Account != "" && !p.Sandbox {
				sum.Plays++
				sum.Milliseconds += p.Milliseconds()
				want[p.Account] = sum
			}
		}
		got := map[string]usage.Measures{}
		for m := month("2025-01"); m.Before(month("2040-01")); m = m.Next() {
			for _, account := range []string{"one", "two"} {
				s, err := w.Statement(ctx, account, m)
				if catalogue.CodeOf(err) == catalogue.NotFound {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if sum := got[account]; s.Plays > 0 {
					sum.Plays += s.Plays
					sum.Milliseconds += s.Milliseconds
					got[account] = sum
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("billed %v, played %v", got, want)
		}
	})
}
