package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// childGroup is the number of events that the other process appends at once.
const childGroup = 7

// childList returns one group: a submission without a key and one with a key.
func childList(group int64) []event.Submission {
	events := make([]event.Event, childGroup)
	for i := range events {
		events[i] = event.Event{Kind: event.Playback, Received: 1, Start: group, End: group + 1, Address: "192.0.2.1"}
	}
	return []event.Submission{{Events: events[:3]}, {Client: "c", Key: fmt.Sprint(group), Events: events[3:]}}
}

// runEvents appends group after group, from the first that is not stored yet, and prints the number of each group once
// it is acknowledged.
func runEvents(_, file string) error {
	ctx := context.Background()
	e, err := sqlite.OpenEvents(ctx, file)
	if err != nil {
		return err
	}
	head, err := e.Head(ctx)
	if err != nil {
		return err
	}
	for group := head / childGroup; ; group++ {
		if _, err := e.Append(ctx, childList(group)); err != nil {
			return err
		}
		fmt.Println(group)
	}
}

// runUsage counts batch after batch, from where the last process stopped.
func runUsage(_, file string) error {
	ctx := context.Background()
	u, err := sqlite.OpenUsage(ctx, file)
	if err != nil {
		return err
	}
	progress, err := u.Progress(ctx)
	if err != nil {
		return err
	}
	for {
		next, plays := usage.Progress{Position: progress.Position + 20, AsOf: 1}, []usage.Play(nil)
		for n := progress.Position + 1; n <= next.Position; n++ {
			plays = append(plays, usage.Play{
				Position: n, At: event.Instant(n) * event.Hour / 10, Account: "a", Client: fmt.Sprint("c", n%3), Person: fmt.Sprint("x", n), Video: "v", Subjects: []string{"s"}, End: 1,
			})
		}
		if err := u.Apply(ctx, progress, next, plays); err != nil {
			return err
		}
		progress = next
		fmt.Println(progress.Position)
	}
}

// killed starts the other process and kills it at a random moment after it has done something. It returns the last
// number that the process acknowledged.
func killed(t *testing.T, task, file string) (last int64) {
	t.Helper()
	cmd, lines, _ := child(t, task, file)
	var timer *time.Timer
	last = -1
	for lines.Scan() {
		if timer == nil {
			timer = time.AfterFunc(time.Duration(rand.IntN(300))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		}
		number, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			t.Fatalf("the other process says %q", lines.Text())
		}
		last = number
	}
	_ = cmd.Wait()
	return last
}

// TestEventsKilled kills an appending process again and again on the same file. It checks that every acknowledged group
// is stored in full, with its key, and that no group is stored in part.
func TestEventsKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.db")
	for range 4 {
		acknowledged := killed(t, "events", file)
		e, err := sqlite.OpenEvents(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		head, err := e.Head(t.Context())
		groups := head / childGroup
		if err != nil || groups < acknowledged+1 || head%childGroup != 0 {
			t.Errorf("%d groups were acknowledged, the head is %d (%v)", acknowledged+1, head, err)
		}
		for after := int64(0); after < head; {
			events, err := e.Read(t.Context(), store.EventQuery{}, after, 10_000)
			if err != nil || len(events) == 0 {
				t.Fatal(after, err)
			}
			for _, one := range events {
				if after++; one.Position != after || one.Start != (after-1)/childGroup || one.Address == "" {
					t.Fatalf("behind %d comes %+v", after-1, one)
				}
			}
		}
		for group := range groups + 1 {
			verdicts, err := e.Append(t.Context(), childList(group)[1:])
			if err != nil || (verdicts[0] == event.Repeated) != (group < groups) {
				t.Fatalf("the key of group %d of %d: %v (%v)", group, groups, verdicts, err)
			}
		}
		// The append completes the group of the last key.
		if _, err := e.Append(t.Context(), []event.Submission{{Events: childList(groups)[0].Events}}); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestUsageKilled kills a counting process. It checks that progress, ledger, cells and plays all reflect the same
// plays.
func TestUsageKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "usage.db")
	for range 4 {
		acknowledged := killed(t, "usage", file)
		u, err := sqlite.OpenUsage(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		sums, progress, err := u.Ledger(t.Context(), "a")
		if err != nil || progress.Position < acknowledged {
			t.Errorf("counted up to %d, %d was acknowledged (%v)", progress.Position, acknowledged, err)
		}
		plays := int64(0)
		for _, sum := range sums {
			plays += sum.Plays
		}
		if plays != progress.Position {
			t.Errorf("%d plays are in the ledger of %d", plays, progress.Position)
		}
		for _, by := range [][]usage.Dimension{nil, {usage.BySubject}, {usage.BySubject, usage.ByVideo}} {
			table, err := u.Table(t.Context(), usage.Query{To: 80_000 * event.Hour, By: by, Limit: 10})
			if err != nil || table.Total.Plays != plays || table.Total.Users != plays || table.Progress != progress || (plays > 0 && table.Rows[0].Users != plays) {
				t.Errorf("by %v: %+v (%v)", by, table, err)
			}
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
}
