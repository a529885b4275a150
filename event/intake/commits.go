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

// Log is where events are stored. A store.Events is one, and describes Append.
type Log interface {
	Append(ctx context.Context, submissions []event.Submission) ([]event.Verdict, error)
}

// Options are the settings of Commits. Zero settings stand for the defaults.
type Options struct {
	Log Log
	// Concurrent is how many commits are under way at once. 0: 1, the best where the log has one writer.
	Concurrent int
	// CommitEvents and CommitBytes bound one commit. A submission beyond them is committed alone. 0: 1,000
	// events, as more do not make it faster, 8 MiB.
	CommitEvents, CommitBytes int
	// HeldEvents and HeldBytes bound what waits and what is being committed, together. 0: 50,000 events,
	// 64 MiB.
	HeldEvents, HeldBytes int
	// Patience is the longest that a submission may be expected to wait. 0: 5 s.
	Patience time.Duration
	// Timeout bounds one commit, a fifth of it one that tries whether the log answers again. 0: 10 s.
	Timeout time.Duration
	// Pause is how long submissions are refused after commits have failed in a row, before one is let
	// through to try. 0: 250 ms.
	Pause time.Duration
	// Drain is how long Close waits for what has been accepted. 0: 5 s.
	Drain time.Duration
	// Logger takes a line when commits begin to fail and when they succeed again; nil: none.
	Logger *slog.Logger
}

// failuresInARow of commits have the log taken for away.
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

// Commits lets submissions share commits. It may be used concurrently.
//
// A commit takes all that has come since the one before it began, within the bounds of Options, in the order in which
// it came. After one that several shared, the log rests for as long as it took, 10 ms at the most: more share the
// next, and half of the processor's time for commits goes to others.
type Commits struct {
	options Options
	ctx     context.Context // of commits: no caller's
	cancel  context.CancelFunc
	closing chan struct{} // closed by Close: nothing is kept waiting any more
	ended   chan struct{} // closed when no committer is left

	mu    sync.Mutex
	work  *sync.Cond // something waits, or no more will come
	queue queue
	held  load // what waits and what is being committed
	// begun is since when each committer has been at its commit, zero for one that has none.
	begun  []time.Time
	pace   time.Duration // what commits took of late
	failed int           // commits in a row
	paused time.Time     // until then nothing is tried
	closed bool
	stats  Stats
}

// Stats are counts since the start but for Waiting, which is of now.
type Stats struct {
	// Commits, Submissions and Events have been stored. What was a repetition counts as a submission.
	Commits, Submissions, Events int64
	// Refused submissions were turned away before they were tried, Failed ones tried without success or in
	// doubt.
	Refused, Failed int64
	// Waiting events have been accepted and are not stored yet; WaitingBytes is what they take.
	Waiting, WaitingBytes int64
	// Away: the log did not answer the last time.
	Away bool
}

// New makes Commits that have to be closed.
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

// Append has a submission stored and returns event.Stored when it is on the disk, event.Repeated when it has been
// since an earlier request with its key, and event.ErrMismatched where that was another request. Otherwise the
// error is of code Unavailable: submissions are refused at once where too many wait, where this one would wait for
// longer than its context or Patience allows, and while the log is away. Where a commit failed or the context ended
// in its midst, the events may be stored all the same: a submission with a key may come again and is counted once.
// What the log itself finds wrong with this submission is of code Invalid. The events belong to Commits from then on.
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

// withdraw takes back a submission whose caller has gone, if that is still possible.
func (c *Commits) withdraw(ctx context.Context, e *entry) (event.Verdict, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue.remove(e) {
		c.held.subtract(e.load)
		c.stats.Refused++
		return 0, unavailable("the request's time ended before its events were stored", ctx.Err())
	}
	select {
	case err := <-e.outcome: // it came at the same moment
		return e.verdict, err
	default:
		return 0, unavailable("the request's time ended while its events were being stored; they may be there", ctx.Err())
	}
}

// Stats returns the counts.
func (c *Commits) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	stats := c.stats
	stats.Waiting, stats.WaitingBytes = int64(c.held.events), int64(c.held.bytes)
	stats.Away = c.failed > 0
	return stats
}

// Close refuses what comes, and returns when all that was accepted has been stored, or else, with an error, soon
// after Drain.
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
	case <-time.After(time.Second): // the log heeds no context
	}
	return errors.New("events that had been accepted were given up, as the log did not answer in time")
}

func unavailable(message string, cause error) error {
	return &fault.Error{Code: fault.Unavailable, Message: message, Cause: cause}
}
