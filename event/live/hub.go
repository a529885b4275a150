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
	"github.com/filmstrip/filmstrip/store"
)

// Config is what a Hub stands on. All but Log may be left out.
type Config struct {
	Log store.Events
	// Interval is how long events may be in the log before they are looked for, where nobody calls Wake; 0: 250 ms.
	Interval time.Duration
	// MaxWatchers bounds who watches at one time; 0: 1,000.
	MaxWatchers int
	// Backlog bounds how many events wait for one watcher; 0: 4,096.
	Backlog int
	// BacklogBytes bounds what they take; 0: 8 MiB. HeldBytes bounds what the events of all watchers take, each
	// counted for each: beyond it those are cut off who hold more than their share; 0: 256 MiB.
	BacklogBytes, HeldBytes int64
	// Logger takes a line when the log cannot be read and when it can again; nil: none.
	Logger *slog.Logger
}

// Hub shows the events of a log to those who watch. It reads each event once, however many they are, and
// nothing while there are none.
type Hub struct {
	log                     store.Events
	interval                time.Duration
	maxWatchers             int
	backlog                 int
	backlogBytes, heldBytes int64
	logger                  *slog.Logger
	woken                   chan struct{}

	mutex    sync.Mutex
	watchers map[*watcher]struct{}
	// read is the position up to which the log has been shown. It stands still while nobody watches.
	read  event.Position
	ended bool
	// held is what all that waits takes.
	held  atomic.Int64
	fault atomic.Pointer[error] // of the last look; nil: it succeeded
}

// New makes a hub, which shows nothing until it runs.
func New(config Config) *Hub {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Hub{
		log: config.Log, logger: config.Logger,
		interval:     cmp.Or(config.Interval, 250*time.Millisecond),
		maxWatchers:  cmp.Or(config.MaxWatchers, 1000),
		backlog:      cmp.Or(config.Backlog, 4096),
		backlogBytes: cmp.Or(config.BacklogBytes, 8<<20), heldBytes: cmp.Or(config.HeldBytes, 256<<20),
		woken:    make(chan struct{}, 1),
		watchers: map[*watcher]struct{}{},
	}
}

// Wake has the log looked at now. It never waits.
func (h *Hub) Wake() {
	select {
	case h.woken <- struct{}{}:
	default:
	}
}

// Run follows the log until the context ends, and then ends all watching. It is called once. A log that
// cannot be read is tried again; watchers stay, and miss nothing. Where retention has dropped events that were not
// shown yet, all watching ends with an error that says so.
func (h *Hub) Run(ctx context.Context) {
	defer h.end()
	tick := time.NewTicker(h.interval)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.woken:
		case <-tick.C:
		}
		err := h.catchUp(ctx)
		if fault.CodeOf(err) == fault.Conflict {
			h.dismiss(errDropped)
		}
		switch {
		case ctx.Err() != nil:
		case err != nil && !failing:
			h.logger.WarnContext(ctx, "events cannot be read for those who watch", "error", err)
		case err == nil && failing:
			h.logger.InfoContext(ctx, "events can be read again for those who watch")
		}
		failing = err != nil
		if failing {
			h.fault.Store(&err)
		} else {
			h.fault.Store(nil)
		}
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
	}
}

const (
	// batch is how many events are read at once.
	batch = 1000
	// rest is what lies between two looks at least: commits come by the thousand in a second.
	rest = 20 * time.Millisecond
)

// catchUp shows what is new in the log.
func (h *Hub) catchUp(ctx context.Context) error {
	for {
		from, watched := h.position()
		if !watched {
			return nil
		}
		events, err := h.log.Read(ctx, store.EventQuery{}, from, batch)
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

// show hands events to whoever watches. They may be older than all who do, where everybody has left and others
// have come since they were read.
func (h *Hub) show(events []event.Event) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for i := range events {
		h.showOne(&events[i])
		h.read = max(h.read, events[i].Position)
	}
}

// showOne hands an event to whoever wants it, as a copy that does not hold on to those beside it.
func (h *Hub) showOne(e *event.Event) {
	var shown *event.Event
	size := sizeOf(e)
	for w := range h.watchers {
		if e.Position <= w.after || !w.filter.Keeps(e) {
			continue
		}
		if h.isFull(w, size) {
			h.leave(w, errTooSlow)
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
			h.leave(w, errTooSlow)
		}
	}
}

// isFull reports whether there is no room for one more event of a watcher. The first has always room.
func (h *Hub) isFull(w *watcher, size int64) bool {
	held := w.held.Load()
	return held > 0 && held+size > h.backlogBytes ||
		h.held.Load()+size > h.heldBytes && held > h.heldBytes/int64(len(h.watchers))
}

// sizeOf is what an event takes in memory, about.
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

// Watch hands the events that the filter keeps to show, from now on and in the order of the log, until the
// context ends or show returns an error, and returns which. It returns an error of code Unavailable where the
// log cannot be asked how far it is, where too many watch, where more events wait than there is room
// for, where retention dropped events that were not shown yet, and when the hub ends. Events are shown to others as well: nobody changes them.
func (h *Hub) Watch(ctx context.Context, filter event.Filter, show func(*event.Event) error) error {
	head, err := h.log.Head(ctx)
	if err != nil {
		return err
	}
	w, err := h.enter(filter, head)
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

// enter begins to watch behind a position.
func (h *Hub) enter(filter event.Filter, after event.Position) (*watcher, error) {
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

// leave ends a watching, if it has not ended. The mutex is held.
func (h *Hub) leave(w *watcher, reason error) {
	if _, watching := h.watchers[w]; !watching {
		return
	}
	delete(h.watchers, w)
	w.reason = reason
	close(w.done)
}

// forget ends a watching and what waits for it.
func (h *Hub) forget(w *watcher) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.leave(w, nil)
	h.held.Add(-w.held.Load())
}

// end ends all watching, for good.
func (h *Hub) end() {
	h.mutex.Lock()
	h.ended = true
	h.mutex.Unlock()
	h.dismiss(errEnded)
}

// dismiss ends all watching of this moment.
func (h *Hub) dismiss(reason error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for w := range h.watchers {
		h.leave(w, reason)
	}
}

// Err is why the log could not be read at the last look, nil where it could.
func (h *Hub) Err() error {
	if err := h.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// Watchers is how many watch at this time.
func (h *Hub) Watchers() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return len(h.watchers)
}

// watcher is somebody who watches.
type watcher struct {
	filter  event.Filter
	after   event.Position
	waiting chan *event.Event
	held    atomic.Int64 // what they take
	// done is closed when the watching has ended, for the reason that is then set.
	done   chan struct{}
	reason error
}
