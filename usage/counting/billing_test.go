package counting_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// TestEveryPlayIsBilledOnce mixes all operations and faults, and compares the bills with the plays. It uses a store in
// memory, and SQLite for some of the cases.
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
		played := &memoryLog{} // played is not visible to Counters if the store is in files.
		w := newWorld(func(o *counting.Options) {
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
		next, passedOver := month("2026-01"), false
		w.now = next.Start().Time()
		actions := map[string]func(*rapid.T){
			"play": func(t *rapid.T) {
				moment := event.InstantOf(w.now) - event.Instant(rapid.Int64Range(-24, 90*24).Draw(t, "hours ago"))*event.Hour
				start := rapid.Int64Range(0, 3000).Draw(t, "start")
				e := segment(rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "account"), max(1, moment), start, rapid.Int64Range(0, 6000).Draw(t, "end"))
				e.Received, e.Client = event.InstantOf(w.now), rapid.SampledFrom([]string{"web", "lms"}).Draw(t, "client")
				e.Sandbox = rapid.IntRange(0, 4).Draw(t, "sandbox") == 0
				e.Continues = rapid.IntRange(0, 3).Draw(t, "continues") == 0
				e.ExternalUser = rapid.SampledFrom([]string{"", "ann", "bob"}).Draw(t, "user")
				record(e)
			},
			"time goes by": func(t *rapid.T) {
				w.now = w.now.Add(time.Duration(rapid.IntRange(1, 20*24).Draw(t, "hours")) * time.Hour)
			},
			"seal": func(t *rapid.T) {
				_, err := w.Seal(ctx, next, rapid.Bool().Draw(t, "force") || passedOver)
				switch fault.CodeOf(err) {
				case "":
					next, passedOver = next.Next(), false
				case fault.Invalid:
				default:
					t.Fatal(err)
				}
			},
			"pass over": func(*rapid.T) { next, passedOver = next.Next(), true },
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
				sum.Plays += p.Plays()
				sum.Milliseconds += p.Milliseconds()
				want[p.Account] = sum
			}
		}
		got := map[string]usage.Measures{}
		for m := month("2025-01"); m.Before(month("2040-01")); m = m.Next() {
			for _, account := range []string{"one", "two"} {
				s, err := w.Statement(ctx, account, m)
				if fault.CodeOf(err) == fault.NotFound {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if sum := got[account]; s.Milliseconds > 0 || s.Plays > 0 {
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
