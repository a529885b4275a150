package live

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/store"
)

// Config is the configuration of a Hub. Only Log is required.
type Config struct {
	Log store.Events
	// MaxWatchers is the most watchers at one time; 0: 1,000.
	MaxWatchers int
	// Backlog is the most events that wait for one watcher; 0: 4,096.
	Backlog int
	// BacklogBytes is the most memory that the waiting events of one watcher take; 0: 8 MiB. HeldBytes is the most
	// that those of all watchers take, each counted for each watcher: beyond it, watchers that hold more than their
	// share are disconnected; 0: 256 MiB.
	BacklogBytes, HeldBytes int64
	// Logger logs when the log cannot be read and when it can again; nil: nothing is logged.
	Logger *slog.Logger
}

// Hub delivers the events of a log to watchers. It reads each event once, however many watchers there are, and nothing
// while there are none.
type Hub struct {
	log                     store.Events
	maxWatchers             int
	backlog                 int
	backlogBytes, heldBytes int64
	reading                 background.Task
	woken                   chan struct{}

	mutex    sync.Mutex
	watchers map[*watcher]struct{}
	// read is the position up to which the log has been shown. It does not change while nobody watches.
	read  event.Position
	ended bool
	// held is the memory that all waiting events take, in bytes.
	held atomic.Int64
}

// New makes a hub, which delivers nothing until it runs.
func New(config Config) *Hub {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Hub{
		log: config.Log, reading: background.Task{Name: "deliver events to watchers", Logger: config.Logger},
		maxWatchers:  cmp.Or(config.MaxWatchers, 1000),
		backlog:      cmp.Or(config.Backlog, 4096),
		backlogBytes: cmp.Or(config.BacklogBytes, 8<<20), heldBytes: cmp.Or(config.HeldBytes, 256<<20),
		woken:    make(chan struct{}, 1),
		watchers: map[*watcher]struct{}{},
	}
}

// Wake makes the hub read the log now. The process calls it after it stores events, and the counter calls it after each
// poll of the log (counting.Options.Polled), which finds the events of other processes. Wake never waits.
func (h *Hub) Wake() { background.Signal(h.woken) }

// Run delivers events until the context ends, and then ends all watching. It is called once. If the log cannot be read,
// Run tries again; watchers stay, and miss nothing. If retention has dropped events that were not shown yet, all watching
// ends with an error that says so.
func (h *Hub) Run(ctx context.Context) {
	defer h.end()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.woken:
		}
		if !h.reading.Try(ctx, h.catchUp) {
			h.Wake()
		}
		background.Sleep(ctx, rest, nil)
	}
}

const (
	// batch is how many events are read at once.
	batch = 1000
	// rest is the least time between two reads: there may be thousands of commits in a second.
	rest = 20 * time.Millisecond
)

// catchUp delivers what is new in the log.
func (h *Hub) catchUp(ctx context.Context) error {
	for {
		from, watched := h.position()
		if !watched {
			return nil
		}
		events, err := h.log.Read(ctx, store.EventQuery{}, from, batch)
		if fault.CodeOf(err) == fault.Conflict {
			h.dismiss(errDropped)
		}
		if err != nil {
			return err
		}
		h.show(events)
		if len(events) < batch {
			return nil
		}
	}
}

func (h *Hub) position() (read event.Position, watched bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.read, len(h.watchers) > 0
}

// show hands events to the watchers. If all watchers have left and others have come since the events were read, the
// events may be older than every watch.
func (h *Hub) show(events []event.Event) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for i := range events {
		h.showOne(&events[i])
		h.read = max(h.read, events[i].Position)
	}
}

// showOne hands an event to every watcher whose filter keeps it, as a copy that does not keep its whole batch in memory.
func (h *Hub) showOne(e *event.Event) {
	var shown *event.Event
	size := sizeOf(e)
	for w := range h.watchers {
		if e.Position <= w.after || !w.filter.Keeps(e) {
			continue
		}
		if h.isFull(w, size) {
			h.finish(w, errTooSlow)
			continue
		}
		if shown == nil {
			one := *e
			shown = &one
		}
		select {
		case w.waiting <- shown:
			w.held.Add(size)
			h.held.Add(size)
		default:
			h.finish(w, errTooSlow)
		}
	}
}

// isFull reports whether a watcher has no room for one more event. There is always room for its first.
func (h *Hub) isFull(w *watcher, size int64) bool {
	held := w.held.Load()
	return held > 0 && held+size > h.backlogBytes ||
		h.held.Load()+size > h.heldBytes && held > h.heldBytes/int64(len(h.watchers))
}

// sizeOf returns about how many bytes an event takes in memory.
func sizeOf(e *event.Event) int64 {
	const bare = 400
	return int64(bare + len(e.Account) + len(e.Client) + len(e.User) + len(e.ExternalUser) + len(e.Video) +
		len(e.Subtype) + len(e.Trace) + len(e.Referer) + len(e.Address) + len(e.Details) + len(e.Metadata))
}

var (
	errTooSlow = fault.Errorf(fault.Unavailable, "events came faster than they were taken: watch again")
	errTooMany = fault.Errorf(fault.Unavailable, "too many are watching events at this time")
	errDropped = fault.Errorf(fault.Unavailable, "retention has dropped events before they were shown: watch again to see those that follow")
	errEnded   = fault.Errorf(fault.Unavailable, "the server is stopping")
)

// Watch calls show with each event that the filter keeps, from now on and in the order of the log, until the context ends
// or show returns an error, and returns that error. Watch returns an error of code Unavailable if the end of the log
// cannot be read, if there are too many watchers, if more events wait than there is room for, if retention dropped
// events that were not shown yet, and when the hub ends. Watchers share the events and must not change them.
func (h *Hub) Watch(ctx context.Context, filter event.Filter, show func(*event.Event) error) error {
	head, err := h.log.Head(ctx)
	if err != nil {
		return err
	}
	w, err := h.begin(filter, head)
	if err != nil {
		return err
	}
	defer h.forget(w)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.done:
			return w.reason
		case e := <-w.waiting:
			size := sizeOf(e)
			w.held.Add(-size)
			h.held.Add(-size)
			if err := show(e); err != nil {
				return err
			}
		}
	}
}

// begin adds a watcher of the events behind a position.
func (h *Hub) begin(filter event.Filter, after event.Position) (*watcher, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	switch {
	case h.ended:
		return nil, errEnded
	case len(h.watchers) >= h.maxWatchers:
		return nil, errTooMany
	case len(h.watchers) == 0:
		h.read = after
	}
	w := &watcher{filter: filter, after: after, waiting: make(chan *event.Event, h.backlog), done: make(chan struct{})}
	h.watchers[w] = struct{}{}
	return w, nil
}

// finish removes a watcher, if it is still there. The caller holds the mutex.
func (h *Hub) finish(w *watcher, reason error) {
	if _, watching := h.watchers[w]; !watching {
		return
	}
	delete(h.watchers, w)
	w.reason = reason
	close(w.done)
}

// forget removes a watcher and the events that wait for it.
func (h *Hub) forget(w *watcher) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.finish(w, nil)
	h.held.Add(-w.held.Load())
}

// end removes all watchers and refuses new ones.
func (h *Hub) end() {
	h.mutex.Lock()
	h.ended = true
	h.mutex.Unlock()
	h.dismiss(errEnded)
}

// dismiss removes the present watchers.
func (h *Hub) dismiss(reason error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for w := range h.watchers {
		h.finish(w, reason)
	}
}

// Err returns why the log could not be read the last time, nil if it could.
func (h *Hub) Err() error { return h.reading.Err() }

// Watchers returns the number of watchers.
func (h *Hub) Watchers() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return len(h.watchers)
}

// watcher is one call of Watch.
type watcher struct {
	filter  event.Filter
	after   event.Position
	waiting chan *event.Event
	held    atomic.Int64 // bytes that they take
	// done is closed when the watcher is removed, after reason is set.
	done   chan struct{}
	reason error
}
