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

// Options are the settings of a Counter. Zero values stand for the defaults.
type Options struct {
	Log   store.Events
	Usage store.Usage
	// Catalogue returns the channel and subjects of videos; store.Catalogue implements it.
	Catalogue Catalogue
	// Leases let one of several processes do the work of Run; nil: this is the only process.
	Leases store.Leases
	Logger *slog.Logger
	// Now is the clock by which months end; nil: time.Now.
	Now func() time.Time

	// Poll is the time between two reads of the log, unless Wake is called. 0: 500 ms.
	Poll time.Duration
	// Rest is the least time between two reads of the log, which is also at least as long as the step before: a few large
	// steps cost less than many small ones, which would slow down event intake, and counting uses at most half of a
	// processor. 0: 200 ms.
	Rest time.Duration
	// Batch is the number of plays in one transaction, at most 1,000,000. 0: 20,000.
	Batch int
	// Lease is how long other processes wait for one that does not renew its lease. 0: 15 s.
	Lease time.Duration
	// VerifyEvery is the time between two runs of VerifyNext in the background, by all processes together; a process runs none
	// within a tenth of it, or ten minutes, of its start. 0: a day; negative: never.
	VerifyEvery time.Duration
	// VerifyLoad is the share of one processor that VerifyNext uses, at most 1. 0: 0.04.
	VerifyLoad float64
	// SpanLength is the number of positions of a span that VerifyNext counts and stores at once. 0: 200,000.
	SpanLength int64
	// MaxBackOff is the longest pause after errors; the first is a tenth of a second. 0: 5 s.
	MaxBackOff time.Duration
	// Polled is called after each read of the log, successful or not; nil: nothing is called. It must not wait.
	Polled func()
}

// leaseName is the name of the lease of counting.
const leaseName = "usage"

// Catalogue is the part of the catalogue that a Counter needs.
type Catalogue interface {
	// States returns the states of these videos, without those that do not exist.
	States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error)
}

// Stats are the state of a Counter's work, as of its last look.
type Stats struct {
	// Position is how far the log is counted, by any process; AsOf is when the last counted event was received.
	Position event.Position
	AsOf     event.Instant
	// Behind is the number of events that are not counted yet.
	Behind int64
	// Counts reports whether this process does the work.
	Counts bool
	// Verified is the last report of Verify or VerifyNext in any process; nil if there is none yet.
	Verified *Report
	// Unverified is how long ago the part of the log was verified that was verified the longest ago, and Uncompared how long ago
	// Verify or VerifyNext ended last: before the first time, how long ago it was to begin. Both are negative if this process is
	// not to verify, or does not know yet.
	Unverified, Uncompared time.Duration
	// Stalled is how long the log has had events behind Position, or could not be read, while Position did not change.
	Stalled time.Duration
	// Err is the present error, nil if there is none. If its code is Conflict, the log is not the one that was counted; the
	// error remains until the log is recounted (Recount) or the right files are restored. A *DamagedError remains until the
	// log is restored or its damaged events are skipped.
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
	recognized           atomic.Int64                      // the last position at which the log was recognized
	verification         atomic.Pointer[verificationState] // as it was last read or stored
	running              atomic.Bool                       // Run was called
	digests              madeDigests
	explained            atomic.Pointer[explained]
	begun                time.Time
	moved                atomic.Int64 // nanoseconds from begun until an event was last counted, or none was left
}

// New returns a Counter that does nothing until one of its methods is called.
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
	c.VerifyLoad = min(1, cmp.Or(c.VerifyLoad, 0.04))
	c.SpanLength = cmp.Or(c.SpanLength, 200_000)
	c.MaxBackOff = cmp.Or(c.MaxBackOff, 5*time.Second)
	c.counting = background.Task{Name: "count the event log", Logger: c.Logger, MaxBackOff: c.MaxBackOff, Level: severity}
	if c.Leases != nil {
		c.lease = lease.New(lease.Options{Store: c.Leases, Name: leaseName, For: c.Lease, Logger: c.Logger, Began: c.Wake})
	}
	return c
}

// Wake makes Run read the log soon (Options.Rest), because events were stored in this process. It never waits.
func (c *Counter) Wake() { background.Signal(c.wake) }

// Stats returns the state of the work.
func (c *Counter) Stats() Stats {
	s := Stats{
		Position: c.position.Load(), AsOf: event.Instant(c.asOf.Load()),
		Counts: c.lease.Held(), Unverified: -1, Uncompared: -1,
	}
	if state := c.verification.Load(); state != nil {
		s.Verified = state.Last
		compared, verified := state.Since, state.Since
		if s.Verified != nil {
			compared, verified = s.Verified.At.Add(s.Verified.Took), s.Verified.Since
		}
		if c.VerifyEvery > 0 && !compared.IsZero() {
			s.Unverified, s.Uncompared = max(0, c.Now().Sub(verified)), max(0, c.Now().Sub(compared))
		}
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

// move remembers that counting makes progress, or has nothing to do.
func (c *Counter) move() { c.moved.Store(int64(time.Since(c.begun))) }
