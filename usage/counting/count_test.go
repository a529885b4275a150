package counting_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func at(text string) event.Instant {
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return event.InstantOf(moment)
}

func month(text string) usage.Month {
	m, err := usage.ParseMonth(text)
	if err != nil {
		panic(err)
	}
	return m
}

// segment returns a playback event of an account, received at the moment of the playback.
func segment(account string, moment event.Instant, start, end int64) event.Event {
	return event.Event{Kind: event.Playback, At: moment, Received: moment, Account: account, Client: "web", Video: "v", Start: start, End: end, Counted: max(0, end-start)}
}

// world is a Counter over stores in memory.
type world struct {
	*counting.Counter
	log   *memoryLog
	usage *memoryUsage
	now   time.Time
}

func newWorld(change ...func(*counting.Options)) *world {
	w := &world{log: &memoryLog{}, usage: &memoryUsage{}, now: at("2026-11-21T20:00:00Z").Time()}
	options := counting.Options{
		Log: w.log, Usage: w.usage, Catalogue: videos{}, Now: func() time.Time { return w.now },
		Poll: time.Millisecond, Rest: time.Microsecond, VerifyEvery: -1, MaxBackOff: time.Millisecond,
	}
	for _, change := range change {
		change(&options)
	}
	w.Counter = counting.New(options)
	return w
}

// count runs the Counter until it has counted the whole log.
func (w *world) count(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	eventually(t, func() bool {
		head, err := w.log.Head(ctx)
		must(t, err)
		progress, err := w.usage.Progress(ctx)
		must(t, err)
		return progress.Position == head && w.Stats().Position == head
	})
}

func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatal("it does not come to that")
}

func TestWhatIsAPlay(t *testing.T) {
	known := videos{
		id("a"): {Ref: catalogue.Ref{ID: id("a")}, Traits: catalogue.Traits{Channel: id("c"), Subjects: []catalogue.ID{id("1"), id("2"), id("1")}}},
		id("b"): {Ref: catalogue.Ref{ID: id("b")}, Retired: true, Traits: catalogue.Traits{Channel: id("c")}},
	}
	w := newWorld(func(o *counting.Options) { o.Catalogue = known })
	moment := at("2026-10-31T23:59:59.999Z")
	with := func(e event.Event, change func(*event.Event)) event.Event { change(&e); return e }
	w.log.add(
		segment("one", moment, 0, 1),
		with(segment("one", moment, 1500, 3000), func(e *event.Event) { e.Video, e.ExternalUser, e.User = string(id("a")), "pupil", "u1" }),
		segment("one", moment, 5, 5),
		segment("one", moment, 9, 5),
		event.Event{Kind: event.PlayerInteraction, At: moment, Received: moment, Account: "one", Start: 1, End: 9},
		with(segment("", moment, 0, 1e12), func(e *event.Event) { e.Client, e.Video = "", string(id("b")) }),
		with(segment("one", at("2026-01-01T00:00:00Z"), 0, 10), func(e *event.Event) { e.Video, e.User, e.Received = "1001", "u1", moment+7 }),
		with(segment("two", moment, 0, 10), func(e *event.Event) { e.Video, e.Sandbox, e.Received = string(id("d")), true, moment-5 }),
		event.Event{Kind: event.PageRender, At: moment, Received: moment + 100},
	)
	w.count(t)
	want := []usage.Play{
		{Position: 1, At: moment, Account: "one", Client: "web", Video: "v", End: 1},
		{Position: 2, At: moment, Account: "one", Client: "web", Person: "xpupil", Video: string(id("a")), Channel: string(id("c")),
			Subjects: []string{string(id("1")), string(id("2"))}, Start: 1500, End: 3000},
		{Position: 6, At: moment, Video: string(id("b")), Channel: string(id("c")), End: 1e12},
		{Position: 7, At: at("2026-01-01T00:00:00Z"), Account: "one", Client: "web", Person: "uu1", Video: "1001", End: 10},
		{Position: 8, At: moment, Account: "two", Client: "web", Video: string(id("d")), End: 10, Sandbox: true},
	}
	if diff := cmp.Diff(want, w.usage.plays); diff != "" {
		t.Error("(-want +got):\n", diff)
	}
	if progress := (usage.Progress{Position: 9, AsOf: moment + 100}); w.usage.progress != progress {
		t.Errorf("the progress is %+v, want %+v", w.usage.progress, progress)
	}
	if stats := w.Stats(); stats.Position != 9 || stats.AsOf != moment+100 || stats.Behind != 0 || !stats.Counts || stats.Err != nil {
		t.Errorf("the stats are %+v", stats)
	}
}

func TestCountsInBatches(t *testing.T) {
	w := newWorld(func(o *counting.Options) { o.Batch = 7 })
	for i := range 50 {
		w.log.add(segment("one", at("2026-10-01T00:00:00Z")+event.Instant(i), 0, int64(i%5)))
	}
	w.count(t)
	if len(w.usage.plays) != 40 || w.usage.applied != 6 {
		t.Errorf("%d plays in %d batches, want 40 in 6", len(w.usage.plays), w.usage.applied)
	}
}

func TestAsOfNeverGoesBack(t *testing.T) {
	w := newWorld()
	moment := at("2026-10-01T00:00:00Z")
	for _, received := range []event.Instant{moment, moment - 7} {
		w.log.add(segment("one", received, 0, 1))
		w.count(t)
		if w.usage.progress.AsOf != moment {
			t.Errorf("as of %s", w.usage.progress.AsOf)
		}
	}
	w.log.add(event.Event{Kind: event.PageRender, Received: moment - 9})
	w.count(t)
	if w.usage.progress != (usage.Progress{Position: 3, AsOf: moment}) {
		t.Errorf("the progress is %+v", w.usage.progress)
	}
}

func TestWakes(t *testing.T) {
	w := newWorld(func(o *counting.Options) { o.Poll = time.Hour })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	eventually(t, func() bool { return w.Stats().Counts })
	w.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 5))
	w.Wake()
	eventually(t, func() bool { return w.Stats().Position == 1 })
}

// TestRests checks that the Counter counts in large steps, however often it is woken.
func TestRests(t *testing.T) {
	const rest = 50 * time.Millisecond
	w := newWorld(func(o *counting.Options) { o.Rest = rest })
	began := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	for i := range 1000 {
		w.log.add(segment("one", at("2026-10-01T00:00:00Z")+event.Instant(i), 0, 5))
		w.Wake()
		time.Sleep(100 * time.Microsecond)
	}
	eventually(t, func() bool { return w.Stats().Position == 1000 })
	w.usage.mu.Lock()
	defer w.usage.mu.Unlock()
	if most := int(time.Since(began)/rest) + 1; w.usage.applied > most {
		t.Errorf("counted in %d steps, more than %d", w.usage.applied, most)
	}
}

func TestWaitsForTheCatalogue(t *testing.T) {
	away := &awayCatalogue{videos: videos{id("a"): {Ref: catalogue.Ref{ID: id("a")}, Traits: catalogue.Traits{Channel: id("c")}}}}
	away.gone.Store(true)
	w := newWorld(func(o *counting.Options) { o.Catalogue = away })
	e := segment("one", at("2026-10-01T00:00:00Z"), 0, 5)
	e.Video = string(id("a"))
	w.log.add(e)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	eventually(t, func() bool { return w.Stats().Err != nil })
	if stats := w.Stats(); stats.Behind != 1 || fault.CodeOf(stats.Err) != fault.Unavailable {
		t.Errorf("the stats are %+v", stats)
	}
	away.gone.Store(false)
	eventually(t, func() bool { return w.Stats().Position == 1 && w.Stats().Err == nil })
	if plays := w.usage.plays; plays[0].Channel != string(id("c")) {
		t.Errorf("the channel was guessed: %+v", plays)
	}
}

func TestTakesTurns(t *testing.T) {
	leases := &memoryLeases{}
	first := newWorld(func(o *counting.Options) { o.Leases, o.Lease = leases, time.Second })
	second := newWorld(func(o *counting.Options) {
		o.Leases, o.Lease, o.Log, o.Usage = leases, time.Second, first.log, first.usage
	})
	run := func(w *world) (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); w.Run(ctx) }()
		return func() { cancel(); <-ended }
	}
	stopFirst := run(first)
	eventually(t, func() bool { return first.Stats().Counts })
	defer run(second)()
	first.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 5))
	eventually(t, func() bool { return second.Stats().Position == 1 })
	if second.Stats().Counts || !first.Stats().Counts {
		t.Error("the second counts while the first has the lease")
	}
	stopFirst()
	eventually(t, func() bool { return second.Stats().Counts })
	first.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 5))
	eventually(t, func() bool { return second.Stats().Position == 2 })
}

func TestBothCountAndNothingIsCountedTwice(t *testing.T) {
	first := newWorld(func(o *counting.Options) { o.Batch = 3 })
	second := newWorld(func(o *counting.Options) { o.Batch, o.Log, o.Usage = 5, first.log, first.usage })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{}, 2)
	for _, w := range []*world{first, second} {
		go func() { w.Run(ctx); ended <- struct{}{} }()
	}
	for i := range 3000 {
		first.log.add(segment("one", at("2026-10-01T00:00:00Z")+event.Instant(i), 0, 5))
		if i%10 == 0 {
			first.Wake()
			second.Wake()
		}
	}
	eventually(t, func() bool { return first.Stats().Position == 3000 })
	cancel()
	<-ended
	<-ended
	if diff := cmp.Diff(first.log.plays(), first.usage.plays); diff != "" {
		t.Error("(-log +counted):\n", diff)
	}
	if !slices.IsSortedFunc(first.usage.plays, func(a, b usage.Play) int { return int(a.Position - b.Position) }) {
		t.Error("plays are not in the order of the log")
	}
}
