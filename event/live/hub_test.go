package live_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/live"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// eventLog is a log that can be down and counts its reads.
type eventLog struct {
	store.Events
	away  atomic.Bool
	reads atomic.Int64
	next  int
	// stored runs after each append, unless it is nil.
	stored func()
	// metadata is the metadata of appended events.
	metadata []byte
}

var errAway = fault.Errorf(fault.Unavailable, "the store is away")

func (l *eventLog) Read(ctx context.Context, query store.EventQuery, after event.Position, limit int) ([]event.Event, error) {
	l.reads.Add(1)
	if l.away.Load() {
		return nil, errAway
	}
	return l.Events.Read(ctx, query, after, limit)
}

func (l *eventLog) Head(ctx context.Context) (event.Position, error) {
	if l.away.Load() {
		return 0, errAway
	}
	return l.Events.Head(ctx)
}

func newLog(t testing.TB) *eventLog {
	t.Helper()
	return &eventLog{Events: openLog(t)}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// add appends n events of an account, with numbered videos.
func (l *eventLog) add(t testing.TB, account string, n int) {
	t.Helper()
	events := make([]event.Event, n)
	for i := range events {
		l.next++
		at := event.InstantOf(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)) + event.Instant(l.next)
		events[i] = event.Event{
			ID: event.ID{14: byte(l.next >> 8), 15: byte(l.next)}, Kind: event.Playback, At: at, Received: at, Account: account,
			Client: account, Video: videoOf(l.next), End: 1000, Metadata: l.metadata,
		}
	}
	_, err := l.Append(t.Context(), []event.Submission{{Client: account, Received: events[0].Received, Events: events}})
	must(t, err)
	if l.stored != nil {
		l.stored()
	}
}

func videoOf(n int) string { return fmt.Sprintf("%024x", n) }

func newHub(t testing.TB, config live.Config) *live.Hub {
	t.Helper()
	hub := live.New(config)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { hub.Run(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	config.Log.(*eventLog).stored = hub.Wake
	return hub
}

// watching is a running watch.
type watching struct {
	mutex  sync.Mutex
	seen   []event.Event
	hold   chan struct{} // If hold is set, the watcher handles each event only after a receive from hold.
	end    context.CancelFunc
	result chan error
}

func watch(t testing.TB, hub *live.Hub, filter event.Filter, hold chan struct{}) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watching{hold: hold, end: cancel, result: make(chan error, 1)}
	before := hub.Watchers()
	go func() { w.result <- hub.Watch(ctx, filter, w.show) }()
	t.Cleanup(cancel)
	await(t, "the watch begins", func() bool { return hub.Watchers() > before || len(w.result) > 0 })
	return w
}

func (w *watching) show(e *event.Event) error {
	if w.hold != nil {
		<-w.hold
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.seen = append(w.seen, *e)
	return nil
}

func (w *watching) positions() (list []event.Position) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, e := range w.seen {
		list = append(list, e.Position)
	}
	return list
}

func (w *watching) saw(want ...event.Position) func() bool {
	return func() bool { return slices.Equal(w.positions(), want) }
}

func (w *watching) ends(t testing.TB) error {
	t.Helper()
	select {
	case err := <-w.result:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the watch does not end")
		return nil
	}
}

func await(t testing.TB, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !met(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func upTo(from, to event.Position) (list []event.Position) {
	for p := from; p <= to; p++ {
		list = append(list, p)
	}
	return list
}

// TestEventsAreShownAsTheyCome checks that each watcher receives every matching event once and in order, from the start
// of its watch.
func TestEventsAreShownAsTheyCome(t *testing.T) {
	log := newLog(t)
	hub := newHub(t, live.Config{Log: log})
	log.add(t, "a", 3)
	all := watch(t, hub, event.Filter{}, nil)
	ofB := watch(t, hub, event.Filter{Accounts: []string{"b"}}, nil)
	none := watch(t, hub, event.Filter{Accounts: []string{}}, nil)
	log.add(t, "a", 2)
	hub.Wake()
	await(t, "two events", all.saw(4, 5))
	log.add(t, "b", 1)
	log.add(t, "a", 1)
	hub.Wake()
	await(t, "two more", all.saw(4, 5, 6, 7))
	await(t, "that of b", ofB.saw(6))
	late := watch(t, hub, event.Filter{Kinds: []event.Kind{event.Playback}, Videos: []string{videoOf(8), videoOf(2000)}}, nil)
	log.add(t, "b", 2500) // One read of the log returns fewer events.
	hub.Wake()
	await(t, "thousands", all.saw(upTo(4, 2507)...))
	await(t, "all of b", ofB.saw(append([]event.Position{6}, upTo(8, 2507)...)...))
	await(t, "two videos", late.saw(8, 2000))
	if seen := none.positions(); len(seen) > 0 {
		t.Errorf("nothing is wanted, and %v is shown", seen)
	}
	for _, w := range []*watching{all, ofB, none, late} {
		w.end()
		if err := w.ends(t); !errors.Is(err, context.Canceled) {
			t.Errorf("a watch ends with %v", err)
		}
	}
	if hub.Watchers() != 0 {
		t.Errorf("%d are left", hub.Watchers())
	}
}

// TestNobodyWatches checks that the hub does not read the log without watchers, and that a new watcher sees no earlier
// events.
func TestNobodyWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t)
		hub := newHub(t, live.Config{Log: log})
		first := watch(t, hub, event.Filter{}, nil)
		log.add(t, "a", 1)
		await(t, "an event", first.saw(1))
		first.end()
		_ = first.ends(t)
		time.Sleep(time.Minute) // A read in progress ends meanwhile.
		before := log.reads.Load()
		log.add(t, "a", 2)
		hub.Wake()
		time.Sleep(time.Minute)
		if reads := log.reads.Load() - before; reads > 0 {
			t.Errorf("nobody watches, and the log is read %d times", reads)
		}
		second := watch(t, hub, event.Filter{}, nil)
		log.add(t, "a", 1)
		await(t, "the newest event", second.saw(4))
	})
}

// TestSlowWatchersAreCutOff checks that the hub ends the watches of slow watchers, and that these disturb no others.
func TestSlowWatchersAreCutOff(t *testing.T) {
	log := newLog(t)
	hub := newHub(t, live.Config{Log: log, Backlog: 10})
	hold := make(chan struct{})
	slow, quick := watch(t, hub, event.Filter{}, hold), watch(t, hub, event.Filter{}, nil)
	for range 12 { // The watcher handles one event, ten wait, and one is too many.
		log.add(t, "a", 1)
		await(t, "the other sees it", func() bool { return len(quick.positions()) == log.next })
	}
	await(t, "the slow one is cut off", func() bool { return hub.Watchers() == 1 })
	close(hold)
	if err := slow.ends(t); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("it ends with %v", err)
	}
	if seen := slow.positions(); !slices.Equal(seen, upTo(1, event.Position(len(seen)))) {
		t.Errorf("it saw %v", seen)
	}
	log.add(t, "a", 1)
	await(t, "the other goes on", quick.saw(upTo(1, 13)...))
}

// TestLargeEventsTakeTheirRoom checks that the hub limits the bytes of waiting events, for each watcher and for all
// together. Over the limit for all, the hub ends the watches that use more than their share. Watchers that keep up are
// not affected, however large events are.
func TestLargeEventsTakeTheirRoom(t *testing.T) {
	for name, config := range map[string]live.Config{"one": {BacklogBytes: 50_000}, "all": {BacklogBytes: 1 << 30, HeldBytes: 200_000}} {
		t.Run(name, func(t *testing.T) {
			log := newLog(t)
			config.Log = log
			hub := newHub(t, config)
			hold := make(chan struct{})
			var slow []*watching
			for range 3 {
				slow = append(slow, watch(t, hub, event.Filter{}, hold))
			}
			little := watch(t, hub, event.Filter{Accounts: []string{"b"}}, hold)
			quick := watch(t, hub, event.Filter{}, nil)
			for log.add(t, "b", 2); hub.Watchers() > 2; {
				log.metadata = bytes.Repeat([]byte{' '}, 10_000)
				if log.add(t, "a", 1); log.next > 100 {
					t.Fatalf("%d watch on", hub.Watchers())
				}
				await(t, "who keeps up sees it", func() bool { return len(quick.positions()) == log.next })
			}
			close(hold)
			for _, w := range slow {
				if err := w.ends(t); fault.CodeOf(err) != fault.Unavailable {
					t.Errorf("it ends with %v", err)
				}
			}
			await(t, "the others stay", little.saw(1, 2))
			log.add(t, "b", 1)
			last := event.Position(log.next)
			await(t, "what comes", little.saw(1, 2, last))
			await(t, "what comes", quick.saw(upTo(1, last)...))
		})
	}
}

// TestLogAway checks that watchers stay during an outage of the log and miss nothing, and that a new watcher receives
// the error.
func TestLogAway(t *testing.T) {
	log := newLog(t)
	hub := newHub(t, live.Config{Log: log})
	w := watch(t, hub, event.Filter{}, nil)
	log.add(t, "a", 1)
	await(t, "an event", w.saw(1))
	log.away.Store(true)
	log.add(t, "a", 3)
	reads := log.reads.Load()
	await(t, "the log is tried again and again", func() bool { return log.reads.Load() > reads+3 })
	if err := watch(t, hub, event.Filter{}, nil).ends(t); !errors.Is(err, errAway) {
		t.Errorf("a new watch ends with %v", err)
	}
	log.away.Store(false)
	await(t, "all events", w.saw(1, 2, 3, 4))
}

// TestBounds checks the limit of watchers, and that the hub accepts none after it has ended.
func TestBounds(t *testing.T) {
	log := newLog(t)
	hub := live.New(live.Config{Log: log, MaxWatchers: 2})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { hub.Run(ctx); close(ended) }()
	first, second := watch(t, hub, event.Filter{}, nil), watch(t, hub, event.Filter{}, nil)
	if err := watch(t, hub, event.Filter{}, nil).ends(t); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("the third ends with %v", err)
	}
	stopped := errors.New("no more")
	first.end()
	_ = first.ends(t)
	third := make(chan error, 1)
	go func() { third <- hub.Watch(t.Context(), event.Filter{}, func(*event.Event) error { return stopped }) }()
	await(t, "the third begins", func() bool { return hub.Watchers() == 2 })
	log.add(t, "a", 1)
	hub.Wake()
	if err := <-third; !errors.Is(err, stopped) {
		t.Errorf("it ends with %v", err)
	}
	stop()
	<-ended
	for name, err := range map[string]error{"that was there": second.ends(t), "that comes": watch(t, hub, event.Filter{}, nil).ends(t)} {
		if fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("the watch %s ends with %v", name, err)
		}
	}
}

// TestWatchersComeAndGo starts and ends watches while events arrive. Each watcher sees a part of the log without gaps.
func TestWatchersComeAndGo(t *testing.T) {
	log := newLog(t)
	hub := newHub(t, live.Config{Log: log})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				ctx, cancel := context.WithCancel(t.Context())
				var last event.Position
				seen := 0
				err := hub.Watch(ctx, event.Filter{}, func(e *event.Event) error {
					if last > 0 && e.Position != last+1 {
						t.Errorf("%d follows %d", e.Position, last)
					}
					last = e.Position
					if seen++; seen == 20 {
						cancel()
					}
					return nil
				})
				cancel()
				if !errors.Is(err, context.Canceled) {
					t.Errorf("it ends with %v", err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for {
		select {
		case <-done:
			return
		default:
			log.add(t, "a", 7)
			hub.Wake()
		}
	}
}

// TestDroppedBeforeShown checks that a watch ends with an error if the log drops events that the watcher has not seen
// yet.
func TestDroppedBeforeShown(t *testing.T) {
	log := newLog(t)
	hub := live.New(live.Config{Log: log})
	go hub.Run(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- hub.Watch(t.Context(), event.Filter{}, func(*event.Event) error { return nil }) }()
	for hub.Watchers() == 0 {
		time.Sleep(time.Millisecond)
	}
	log.away.Store(true)
	month := usage.Month{Year: 2026, Month: 10}
	_, err := log.Append(t.Context(), []event.Submission{{Events: []event.Event{{Kind: event.PageRender, Received: month.Start()}}}})
	must(t, err)
	_, err = log.Drop(t.Context(), month.Next())
	must(t, err)
	log.away.Store(false)
	hub.Wake()
	if err := <-ended; fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "retention has dropped events") {
		t.Errorf("the watch ended with %v", err)
	}
}
