package counting

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/internal/lease"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// Options are what a Counter works with, and its settings. Zero settings stand for the defaults.
type Options struct {
	Log   store.Events
	Usage store.Usage
	// Catalogue tells channel and subjects of videos; a store.Catalogue does.
	Catalogue Catalogue
	// Leases let one of several processes do the work of Run; nil: this is the only one.
	Leases store.Leases
	Logger *slog.Logger
	// Now is the clock by which months end; nil: time.Now.
	Now func() time.Time

	// Poll is the time between two looks at the log, unless Wake is called. 0: 500 ms.
	Poll time.Duration
	// Rest comes between two looks at the log in any case, and is as long as the step before at least: a few
	// large steps cost less than many small ones, which would take the disk from those who store events, and
	// what counts has half of a processor at most. 0: 200 ms.
	Rest time.Duration
	// Batch is how many plays are applied in one transaction, at most 1,000,000. 0: 20,000.
	Batch int
	// Lease is how long others wait for a process that has gone without a word. 0: 15 s.
	Lease time.Duration
	// VerifyEvery is the time between two runs of Verify in the background; the first comes after a tenth of
	// it. 0: a day; negative: never.
	VerifyEvery time.Duration
	// MaxBackOff is the longest pause after faults; the first takes a tenth of a second. 0: 5 s.
	MaxBackOff time.Duration
	// Polled is called after each look at the log, successful or not; nil: nothing is called. It must not wait.
	Polled func()
}

// leaseName is the name of the lease of counting.
const leaseName = "usage"

// Catalogue is what a Counter asks of the catalogue.
type Catalogue interface {
	// States returns what is known of these videos, leaving out those that there are not.
	States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error)
}

// Stats are what is known of a Counter's work, as of its last look.
type Stats struct {
	// Position is how far the log is counted, by whichever process, AsOf when the last of it was received.
	Position event.Position
	AsOf     event.Instant
	// Behind is how many events of the log are not counted yet.
	Behind int64
	// Counts reports whether this process does the work.
	Counts bool
	// Verified is the last report of Verify that this process made, nil before the first.
	Verified *Report
	// Stalled is how long the log has held events behind Position, or could not be looked at, while Position stood
	// still.
	Stalled time.Duration
	// Err is what keeps failing just now; nil: all goes well. Of code Conflict, it is that the log is not the one
	// that was counted, and does not end before somebody counts again (Recount) or puts the right files back. A
	// *DamagedError does not end before the log is restored or its damaged events are skipped.
	Err error
}

// Counter counts an event log. Its methods may be called concurrently.
type Counter struct {
	Options
	wake chan struct{}
	// lease is nil if no other process counts.
	lease    *lease.Client
	counting background.Task

	position, asOf, head atomic.Int64
	recognised           atomic.Int64 // the position that the log was last known by
	verified             atomic.Pointer[Report]
	digests              madeDigests
	explained            atomic.Pointer[explained]
	begun                time.Time
	moved                atomic.Int64 // nanoseconds from begun until the last event was counted, or none was left
}

// New makes a Counter, which does nothing before it is asked to.
func New(options Options) *Counter {
	c := &Counter{Options: options, wake: make(chan struct{}, 1), begun: time.Now()}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Poll = cmp.Or(c.Poll, 500*time.Millisecond)
	c.Rest = cmp.Or(c.Rest, 200*time.Millisecond)
	c.Batch = cmp.Or(c.Batch, 20_000)
	c.VerifyEvery = cmp.Or(c.VerifyEvery, 24*time.Hour)
	c.MaxBackOff = cmp.Or(c.MaxBackOff, 5*time.Second)
	c.counting = background.Task{Name: "count the event log", Logger: c.Logger, MaxBackOff: c.MaxBackOff, Level: severity}
	if c.Leases != nil {
		c.lease = lease.New(lease.Options{Store: c.Leases, Name: leaseName, For: c.Lease, Logger: c.Logger, Began: c.Wake})
	}
	return c
}

// Wake makes Run look at the log soon (Options.Rest): events were stored here. It never waits.
func (c *Counter) Wake() { background.Signal(c.wake) }

// Stats tells how the work stands.
func (c *Counter) Stats() Stats {
	s := Stats{
		Position: c.position.Load(), AsOf: event.Instant(c.asOf.Load()),
		Counts: c.lease.Held(), Verified: c.verified.Load(),
	}
	s.Behind = max(0, c.head.Load()-s.Position)
	s.Stalled = time.Since(c.begun) - time.Duration(c.moved.Load())
	s.Err = c.counting.Err()
	return s
}

// see remembers how far the log is counted.
func (c *Counter) see(progress usage.Progress) {
	if c.position.Swap(progress.Position) != progress.Position {
		c.move()
	}
	c.asOf.Store(int64(progress.AsOf))
}

// move remembers that counting goes on, or has nothing to do.
func (c *Counter) move() { c.moved.Store(int64(time.Since(c.begun))) }
