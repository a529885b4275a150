package intake

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// Log stores events. store.Events implements it and describes Append.
type Log interface {
	Append(ctx context.Context, submissions []event.Submission) ([]event.Verdict, error)
}

// Options are the settings of Commits. Zero values stand for the defaults.
type Options struct {
	Log Log
	// Concurrent is the number of concurrent commits. 0: 1, the best value for a log with one writer.
	Concurrent int
	// CommitEvents and CommitBytes limit one commit. A larger submission is committed alone. 0: 1,000 events, because more do
	// not make commits faster, and 8 MiB.
	CommitEvents, CommitBytes int
	// HeldEvents and HeldBytes limit what waits and what is being committed, together. 0: 50,000 events, 64 MiB.
	HeldEvents, HeldBytes int
	// Patience is the longest expected wait of an accepted submission. 0: 5 s.
	Patience time.Duration
	// Timeout limits one commit; a fifth of it limits a commit that tries whether the log is back. 0: 10 s.
	Timeout time.Duration
	// Pause is how long submissions are refused after consecutive failures, before one may try again. 0: 250 ms.
	Pause time.Duration
	// Drain is how long Close waits for accepted submissions. 0: 5 s.
	Drain time.Duration
	// Logger logs when commits begin to fail and when they succeed again; nil: nothing is logged.
	Logger *slog.Logger
}

// failuresInARow is the number of consecutive failures from which on the log is considered unavailable.
const failuresInARow = 2

func (o Options) withDefaults() Options {
	o.Concurrent = cmp.Or(o.Concurrent, 1)
	o.CommitEvents = cmp.Or(o.CommitEvents, 1000)
	o.CommitBytes = cmp.Or(o.CommitBytes, 8<<20)
	o.HeldEvents = cmp.Or(o.HeldEvents, 50_000)
	o.HeldBytes = cmp.Or(o.HeldBytes, 64<<20)
	o.Patience = cmp.Or(o.Patience, 5*time.Second)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Pause = cmp.Or(o.Pause, 250*time.Millisecond)
	o.Drain = cmp.Or(o.Drain, 5*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Commits lets concurrent submissions share commits. It may be used concurrently.
//
// A commit takes everything that has arrived since the one before began, within the limits of Options, in order of arrival. After
// a commit that several submissions shared, the log rests for as long as that commit took, at most 10 ms, so that more of them
// share the next one and commits use at most half of the processor's time.
type Commits struct {
	options Options
	ctx     context.Context // of commits, independent of callers
	cancel  context.CancelFunc
	closing chan struct{} // closed by Close: nothing may wait any more
	ended   chan struct{} // closed when no committer is left

	mu    sync.Mutex
	work  *sync.Cond // something waits, or nothing more will arrive
	queue queue
	held  load // what waits and what is being committed
	// begun is when each committer began its current commit, zero if it has none.
	begun  []time.Time
	pace   time.Duration // what recent commits took
	failed int           // consecutive failures
	paused time.Time     // nothing is tried before
	closed bool
	stats  Stats
}

// Stats are counts since the start, except Waiting and WaitingBytes, which are current.
type Stats struct {
	// Commits, Submissions and Events were stored. A repeated submission counts as a submission.
	Commits, Submissions, Events int64
	// Refused submissions were not tried. Failed ones were tried without success, or their result is unknown.
	Refused, Failed int64
	// Waiting events were accepted and are not stored yet; WaitingBytes is the memory that they take.
	Waiting, WaitingBytes int64
	// Away means that the last commits failed.
	Away bool
}

// New returns Commits, which must be closed.
func New(options Options) *Commits {
	options = options.withDefaults()
	ctx, cancel := context.WithCancel(context.Background())
	c := &Commits{options: options, ctx: ctx, cancel: cancel, closing: make(chan struct{}), ended: make(chan struct{}), begun: make([]time.Time, options.Concurrent)}
	c.work = sync.NewCond(&c.mu)
	var committers sync.WaitGroup
	for i := range c.begun {
		committers.Go(func() { c.commitAll(i) })
	}
	go func() { committers.Wait(); close(c.ended) }()
	return c
}

// Append stores a submission. It returns event.Stored when the submission is on disk, event.Repeated if an earlier request with
// its key stored it, and event.ErrMismatched if that was another request. Otherwise the error is of code Unavailable: submissions
// are refused at once if too many wait, if this one would wait longer than its context or Patience allows, and while the log is
// away. If a commit fails or the context ends during it, the events may be stored nevertheless: a submission with a key may be
// repeated and is counted once. If the log refuses this submission, the error is of code Invalid. Append takes ownership of the
// events.
func (c *Commits) Append(ctx context.Context, submission event.Submission) (event.Verdict, error) {
	e, err := c.accept(ctx, submission)
	if err != nil {
		return 0, err
	}
	select {
	case err := <-e.outcome:
		return e.verdict, err
	case <-ctx.Done():
		return c.withdraw(ctx, e)
	}
}

// withdraw removes a submission whose caller has gone, if that is still possible.
func (c *Commits) withdraw(ctx context.Context, e *entry) (event.Verdict, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue.remove(e) {
		c.held.subtract(e.load)
		c.stats.Refused++
		return 0, unavailable("the request's time ended before its events were stored", ctx.Err())
	}
	select {
	case err := <-e.outcome: // it arrived at the same moment
		return e.verdict, err
	default:
		return 0, unavailable("the request's time ended while its events were being stored; they may be there", ctx.Err())
	}
}

// Stats returns the present counts.
func (c *Commits) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	stats := c.stats
	stats.Waiting, stats.WaitingBytes = int64(c.held.events), int64(c.held.bytes)
	stats.Away = c.failed > 0
	return stats
}

// Close refuses new submissions and returns when all accepted ones are stored, or with an error soon after Drain.
func (c *Commits) Close() error {
	defer c.cancel()
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.closing)
	}
	c.work.Broadcast()
	c.mu.Unlock()
	select {
	case <-c.ended:
		return nil
	case <-time.After(c.options.Drain):
	}
	c.cancel()
	c.mu.Lock()
	c.turnAway(unavailable("the service stops before its events are stored", nil))
	c.mu.Unlock()
	select {
	case <-c.ended:
	case <-time.After(time.Second): // the log ignores its context
	}
	return errors.New("events that had been accepted were given up, as the log did not answer in time")
}

func unavailable(message string, cause error) error {
	return &fault.Error{Code: fault.Unavailable, Message: message, Cause: cause}
}
