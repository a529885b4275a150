package counting_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// TestRecountBesideCounting seals months, forgets persons and appends events during recounts.
func TestRecountBesideCounting(t *testing.T) {
	onStores(t, func(t *testing.T, where string) {
		s, err := openStore(t.Context(), where)
		must(t, err)
		defer func() { must(t, s.close()) }()
		random := rand.New(rand.NewPCG(5, 6))
		total := 0
		appends := func() {
			events := manyEvents(random, total)
			total += len(events)
			_, err := s.log.Append(t.Context(), []event.Submission{{Events: events}})
			must(t, err)
		}
		for range 40 {
			appends()
		}
		must(t, s.CatchUp(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		recounted := make(chan error)
		go func() {
			var err error
			for err == nil && ctx.Err() == nil {
				err = s.Recount(ctx)
			}
			recounted <- err
		}()
		counting := make(chan struct{})
		go func() { defer close(counting); s.Run(ctx) }()
		for _, m := range []string{"2026-04", "2026-05", "2026-06"} {
			for range 10 {
				appends()
			}
			_, err := s.Seal(t.Context(), month(m), true)
			must(t, err)
			_, err = s.Forget(t.Context(), "one", "xpupil "+m[6:])
			must(t, err)
		}
		cancel()
		if err := <-recounted; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		<-counting
		must(t, s.CatchUp(t.Context()))
		must(t, s.Recount(t.Context()))
		report, err := s.Verify(t.Context())
		must(t, err)
		if !report.Agrees() || report.Events != int64(total) || report.Statements != 6 {
			t.Errorf("got %+v", report)
		}
	})
}

// TestRecountAfterADrop checks that a recount keeps the counts of months whose events were dropped.
func TestRecountAfterADrop(t *testing.T) {
	w := newWorld()
	for _, m := range []string{"2026-06", "2026-07", "2026-08", "2026-09"} {
		w.log.add(segment("one", month(m).Start(), 0, 1000), segment("two", month(m).Start()+event.Hour, 0, 1000))
	}
	w.log.add(segment("one", month("2026-06").Start(), 0, 7))
	w.log.events[8].Received = month("2026-09").Start() + event.Hour
	w.count(t)
	before, _, err := w.usage.Ledger(t.Context(), "")
	must(t, err)
	_, err = w.log.Drop(t.Context(), month("2026-08"))
	must(t, err)
	w.usage.plays[7].Client = "wrong"
	must(t, w.Recount(t.Context()))
	after, _, err := w.usage.Ledger(t.Context(), "")
	must(t, err)
	if diff := cmp.Diff(amounts(before), amounts(after)); diff != "" {
		t.Error("(-before +after):\n", diff)
	}
	_, err = w.log.Drop(t.Context(), month("2026-12"))
	must(t, err)
	if err := w.Recount(t.Context()); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("with nothing left: %v", err)
	}
}

// brokenLog is a log that fails to read some positions.
type brokenLog struct {
	*memoryLog
	broken map[event.Position]bool
}

func (l *brokenLog) Read(ctx context.Context, q store.EventQuery, after event.Position, limit int) ([]event.Event, error) {
	events, err := l.memoryLog.Read(ctx, q, after, limit)
	for _, e := range events {
		if l.broken[e.Position] {
			return nil, errors.New("malformed")
		}
	}
	return events, err
}

func TestRecountOfABrokenLog(t *testing.T) {
	broken := &brokenLog{broken: map[event.Position]bool{}}
	w := newWorld(func(o *counting.Options) {
		broken.memoryLog = o.Log.(*memoryLog)
		o.Log = broken
	})
	for i := range 30_000 {
		w.log.add(segment("one", month("2026-06").Start()+event.Instant(i), 0, 1000))
	}
	w.count(t)
	before := len(w.usage.plays)
	for _, position := range []event.Position{700, 701, 702, 25_000} {
		broken.broken[position] = true
	}
	err := w.Recount(t.Context())
	if err == nil || !strings.Contains(err.Error(), "cannot be read at positions 700 to 702, position 25000; the counts are as they were") {
		t.Errorf("got %v", err)
	}
	if len(w.usage.plays) != before || w.Stats().Position != 30_000 {
		t.Errorf("%d plays are counted of %d", len(w.usage.plays), before)
	}
	clear(broken.broken)
	must(t, w.Recount(t.Context()))
	if len(w.usage.plays) != before {
		t.Errorf("%d plays are counted of %d", len(w.usage.plays), before)
	}
}

// TestCountingStopsAtDamage checks that counting stops at unreadable events and names their positions. Once these
// events are skipped, counting, recounts and verification leave them out.
func TestCountingStopsAtDamage(t *testing.T) {
	broken := &brokenLog{broken: map[event.Position]bool{}}
	w := newWorld(func(o *counting.Options) {
		broken.memoryLog = o.Log.(*memoryLog)
		o.Log, o.Poll, o.Rest = broken, time.Millisecond, time.Millisecond
	})
	add := func(count int) {
		for i := range count {
			w.log.add(segment("one", month("2026-06").Start()+event.Instant(i), 0, 1000))
		}
	}
	add(100)
	w.count(t)
	broken.broken[100], broken.broken[120] = true, true // Event 100 is counted already. The Counter uses it to recognize the log.
	add(50)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	var damaged *counting.DamagedError
	eventually(t, func() bool { return errors.As(w.Stats().Err, &damaged) })
	if where := damaged.Where(); where != "the event log cannot be read at position 100, position 120" {
		t.Error(where)
	}
	if remedy := damaged.Remedy(); !strings.Contains(remedy, "usage skip-damaged --position 100,120 --reason") {
		t.Error(remedy)
	}
	if _, err := w.Verify(t.Context()); !errors.As(err, &damaged) {
		t.Errorf("verifying: %v", err)
	}
	w.log.mu.Lock()
	w.log.skipped = []store.SkippedEvent{{Position: 100}, {Position: 120}}
	w.log.mu.Unlock()
	eventually(t, func() bool { return w.Stats().Position == 150 && w.Stats().Err == nil })
	cancel()
	<-ended
	if plays := len(w.usage.plays); plays != 149 { // The first of the two was counted before.
		t.Errorf("%d plays are counted", plays)
	}
	must(t, w.Recount(t.Context()))
	report, err := w.Verify(t.Context())
	must(t, err)
	if report.Skipped != 2 || report.Events != 148 || !report.Agrees() {
		t.Errorf("got %+v", report)
	}
}

// TestStalled checks that Stats distinguishes counting that is stuck while the log grows from counting that has nothing
// to do.
func TestStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &awayCatalogue{videos: videos{id("a"): {Ref: catalogue.Ref{ID: id("a")}}}}
		w := newWorld(func(o *counting.Options) { o.Catalogue = away })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); w.Run(ctx) }()
		defer func() { cancel(); <-ended }()
		time.Sleep(time.Minute)
		if stalled := w.Stats().Stalled; stalled > 5*time.Second {
			t.Errorf("with nothing to do: %s", stalled)
		}
		away.gone.Store(true)
		e := segment("one", at("2026-10-01T00:00:00Z"), 0, 5)
		e.Video = string(id("a"))
		w.log.add(e)
		time.Sleep(time.Minute)
		if stalled := w.Stats().Stalled; stalled < 55*time.Second {
			t.Errorf("while the catalogue is away: %s", stalled)
		}
		away.gone.Store(false)
		time.Sleep(10 * time.Second)
		if stats := w.Stats(); stats.Stalled > 5*time.Second || stats.Position != 1 {
			t.Errorf("afterwards: %+v", stats)
		}
	})
}

// watchedUsage calls applying before each step of a recount is stored, and applied after it.
type watchedUsage struct {
	store.Usage
	applying func()
	applied  func(usage.Recount)
}

func (u *watchedUsage) ApplyRecount(ctx context.Context, recount usage.Recount, to usage.Progress, plays []usage.Play) (usage.Recount, error) {
	if u.applying != nil {
		u.applying()
	}
	recount, err := u.Usage.ApplyRecount(ctx, recount, to, plays)
	if u.applied != nil && err == nil {
		u.applied(recount)
	}
	return recount, err
}

// watchedLog calls read after each successful read.
type watchedLog struct {
	store.Events
	read func(store.EventQuery)
}

func (l *watchedLog) Read(ctx context.Context, q store.EventQuery, after event.Position, limit int) ([]event.Event, error) {
	events, err := l.Events.Read(ctx, q, after, limit)
	if err == nil {
		l.read(q)
	}
	return events, err
}

// TestRecountReadsTheLogAgain checks that a process that joins another recount than the one that it has read the log for
// reads the log again: a person was forgotten in between.
func TestRecountReadsTheLogAgain(t *testing.T) {
	onStores(t, func(t *testing.T, where string) {
		s, err := openStore(t.Context(), where)
		must(t, err)
		defer func() { must(t, s.close()) }()
		var events []event.Event
		for n := range 40 {
			e := segment("one", month("2026-04").Start(), 0, 1000)
			e.ID, e.ExternalUser = event.ID{6: 0x70, 15: byte(n + 1)}, "ann"
			events = append(events, e)
		}
		_, err = s.log.Append(t.Context(), []event.Submission{{Events: events}})
		must(t, err)
		must(t, s.CatchUp(t.Context()))
		const step = 10 // positions
		isRead := make(chan struct{}, 99)
		other := counting.New(s.Options)
		other.Batch = 1
		// The other process forgets the person, begins another recount and stops after a step.
		interfere := func() {
			<-isRead
			_, err := other.Forget(t.Context(), "one", "xann")
			must(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			other.Usage = &watchedUsage{Usage: s.usage, applied: func(recount usage.Recount) {
				if recount.Progress.Position == step {
					cancel()
				}
			}}
			if err := other.Recount(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("the other recount ended: %v", err)
			}
		}
		watched := &watchedUsage{Usage: s.usage}
		watched.applying = func() {
			watched.applying = nil
			interfere()
		}
		s.Batch, s.Usage = 1, watched
		s.Log = &watchedLog{s.log, func(q store.EventQuery) {
			if q.UpTo == 2*step {
				isRead <- struct{}{}
			}
		}}
		must(t, s.Recount(t.Context()))
		plays, err := s.usage.PlaysOf(t.Context(), "one", "xann")
		must(t, err)
		table, err := s.usage.Table(t.Context(), usage.Query{From: month("2026-04").Start(), To: month("2026-04").End(), Limit: 1})
		must(t, err)
		if len(plays) > 0 || table.Total.Plays != 40 || table.Total.Users != 1 {
			t.Errorf("after the person was forgotten, %d plays are the person's, of %+v", len(plays), table.Total)
		}
	})
}

// renamingUsage is a usage store in which a person is being forgotten. At each attempt to end a recount, a play is counted.
type renamingUsage struct {
	*memoryUsage
	play func()
}

func (u *renamingUsage) EndRecount(context.Context, usage.Recount, usage.Progress) error {
	u.play()
	return fault.Errorf(fault.Unavailable, "a person is being forgotten")
}

// TestRecountIsImpatient checks that a recount says that it cannot end, also while plays are counted.
func TestRecountIsImpatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		play := func() {
			w.log.add(segment("one", month("2026-06").Start(), 0, 1000))
			must(t, w.CatchUp(t.Context()))
		}
		play()
		other := counting.New(counting.Options{Log: w.log, Usage: &renamingUsage{w.usage, play}, Catalogue: videos{}, VerifyEvery: -1})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begun := time.Now()
		err := other.Recount(ctx)
		if took := time.Since(begun); fault.CodeOf(err) != fault.Unavailable || took < 30*time.Second || took > 2*time.Minute {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

// TestRecountAnew checks that an interrupted recount is resumed, unless it is discarded.
func TestRecountAnew(t *testing.T) {
	for _, isDiscarded := range []bool{false, true} {
		w := newWorld()
		for range 40 {
			w.log.add(segment("one", month("2026-06").Start(), 0, 1000))
		}
		w.count(t)
		var reached []event.Position
		ctx, cancel := context.WithCancel(t.Context())
		watched := &watchedUsage{Usage: w.usage, applied: func(recount usage.Recount) {
			reached = append(reached, recount.Progress.Position)
			cancel()
		}}
		other := counting.New(counting.Options{Log: w.log, Usage: watched, Catalogue: videos{}, Batch: 1, VerifyEvery: -1})
		if err := other.Recount(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		want := []event.Position{10, 20, 30, 40}
		if isDiscarded {
			must(t, other.DiscardRecount(t.Context()))
			want = slices.Insert(want, 0, 10)
		}
		must(t, other.Recount(t.Context()))
		if !slices.Equal(reached, want) || len(w.usage.plays) != 40 {
			t.Errorf("discarded %t: the steps reached %d, want %d", isDiscarded, reached, want)
		}
	}
}

// TestRecountOfLostSteps checks that a recount continues with what the stores have if they lose their last transactions,
// as PostgreSQL may when a standby takes over.
func TestRecountOfLostSteps(t *testing.T) {
	const head = 5
	for name, lose := range map[string]func(w *world){
		"log and counts": func(w *world) {
			w.log.events = w.log.events[:head]
			w.usage.plays, w.usage.progress.Position = w.usage.plays[:head], head
			w.usage.recount.Progress, w.usage.anew = usage.Progress{}, nil
		},
		"the log": func(w *world) { w.log.events = w.log.events[:head] },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			for range 40 {
				w.log.add(segment("one", month("2026-06").Start(), 0, 1000))
			}
			w.count(t)
			watched := &watchedUsage{Usage: w.usage}
			watched.applied = func(usage.Recount) {
				watched.applied = nil
				w.log.mu.Lock()
				defer w.log.mu.Unlock()
				w.usage.mu.Lock()
				defer w.usage.mu.Unlock()
				lose(w)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			other := counting.New(counting.Options{Log: w.log, Usage: watched, Catalogue: videos{}, Batch: 1, VerifyEvery: -1})
			must(t, other.Recount(ctx))
			if plays, to := len(w.usage.plays), w.usage.progress.Position; plays != head || to != head {
				t.Errorf("%d plays are counted, up to %d", plays, to)
			}
		})
	}
}
