// Package projection keeps what is derived from the catalogue in step with its log: the search index,
// the caches, and whoever else subscribes.
//
// One loop looks at the log and tells subscribers what changed; a second brings the index up to what
// they have been told, never further, so that nobody finds a new version by searching and then reads
// an old one; a third does the store's work in the background; a fourth keeps snapshots. A fault of
// one leaves the others running, and is tried again.
//
// # Several processes
//
// If processes share an index (Options.Lease), each follows the log for its own subscribers and maintains the store. The
// holder of the lease writes the index; the others watch its position, from which Ready and Lag derive, and never build
// the index. Package lease says how late orders are handled.
//
// What is sent again is read anew, and leaves the index at its position: under an older one, searches would take old
// answers for new ones, and the other processes would seem to lag. Answers that were found before may be remembered until
// the index moves on.
//
// Two cases are not handled: a process that stood still beyond its lease with an order pending, went on, and died after
// the order arrived and before it got the lease back; and an order that arrives more than half a lease after it was
// given up. A rebuild, or the next change of the same videos, repairs both.
package projection

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/internal/lease"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// Subscriber forgets what changes of the catalogue made old.
type Subscriber interface {
	// Invalidate is told of changes, oldest first and without gaps, before searches show them.
	Invalidate(changes []store.Change)
	// InvalidateAll is called when the follower begins, and when it has lost its place in the log:
	// anything may have changed.
	InvalidateAll()
}

// Snapshots keep an index on disk, for a fast start.
type Snapshots interface {
	// Snapshot returns the snapshot that the index was opened from or saved as, whichever came last; the
	// zero value: neither, it began empty.
	Snapshot() search.Snapshot
	// Save saves the index and returns the snapshot that lies on disk then; where the index has not
	// changed since, the one that Snapshot returns. The zero value: nothing is kept.
	Save(ctx context.Context) (search.Snapshot, error)
}

// Options are what a Follower works with, and its settings. Zero settings stand for the defaults.
type Options struct {
	Store       store.Catalogue
	Index       search.Writer
	Subscribers []Subscriber
	Logger      *slog.Logger

	// Lease lets several processes share the index: each follows the log for its subscribers, and the holder of the
	// lease writes the index. Store and Name are set. nil: the index is this process's own. With a Lease, Snapshots
	// is nil.
	Lease *lease.Options

	// Poll is the time between two looks at the log, where nobody calls Wake. 0: 150 ms.
	Poll time.Duration
	// Batch is how many changes, or videos of a rebuild, are read at a time. 0: 2,000.
	Batch int
	// Gather is how many changes an index of this process's own takes at once where it is behind by so many:
	// each order has a part of its cost whatever its size. A shared index takes Batch. 0: 8 times Batch.
	Gather int
	// RebuildShare is how far the index may be behind at the start, in changes per video, before it is
	// built anew rather than brought up to date. 0: 0.5.
	RebuildShare float64
	// FanOut is how many videos the store carries a change to in one transaction. 0: 500.
	FanOut int
	// FanOutPause comes between two such transactions, so that other writers get their turn. 0: 5 ms.
	FanOutPause time.Duration
	// KeepLog is how many entries of the log stay when it is trimmed. 0: 500,000.
	KeepLog int
	// TrimEvery is the time between two trims. 0: ten minutes.
	TrimEvery time.Duration
	// Snapshots keep the index; nil: it is kept elsewhere or not at all, and what it holds is believed.
	Snapshots Snapshots
	// SnapshotQuiet is how long the index must have been at rest before it is saved. 0: 5 s.
	SnapshotQuiet time.Duration
	// SnapshotWithin is how long a change is left unsaved where the index never rests. 0: two minutes.
	SnapshotWithin time.Duration
	// BackOff is the pause after a first fault; it doubles with each, up to MaxBackOff. 0: 100 ms.
	BackOff time.Duration
	// MaxBackOff is the longest such pause. 0: 5 s.
	MaxBackOff time.Duration
}

func (o *Options) setDefaults() {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	setDefault(&o.Poll, 150*time.Millisecond)
	setDefault(&o.Batch, 2000)
	setDefault(&o.Gather, 8*o.Batch)
	setDefault(&o.RebuildShare, 0.5)
	setDefault(&o.FanOut, 500)
	setDefault(&o.FanOutPause, 5*time.Millisecond)
	setDefault(&o.KeepLog, 500_000)
	setDefault(&o.TrimEvery, 10*time.Minute)
	setDefault(&o.SnapshotQuiet, 5*time.Second)
	setDefault(&o.SnapshotWithin, 2*time.Minute)
	setDefault(&o.BackOff, 100*time.Millisecond)
	setDefault(&o.MaxBackOff, 5*time.Second)
}

func setDefault[T int | float64 | time.Duration](value *T, fallback T) {
	if *value <= 0 {
		*value = fallback
	}
}

// unknown is the place in a log that was not looked at yet.
const unknown store.Position = -1

// Follower keeps an index and subscribers in step with a store.
type Follower struct {
	options Options
	subject subject

	wake    chan struct{} // look at the log now
	news    chan struct{} // subscribers have been told more than the index knows
	fanOut  chan struct{} // there may be changes to carry to videos
	applied chan struct{} // the index has changed

	log      sync.Mutex // held while the log is read and subscribers are told
	begun    bool
	indexing sync.Mutex // held while the index is written

	head    atomic.Int64 // of the store, as last seen
	told    atomic.Int64 // what subscribers have been told, all of it up to here
	indexed atomic.Int64 // what the index reflects
	ready   atomic.Bool

	start atomic.Int64 // where the log stood at the start; unknown: before the first look at it

	lease    *lease.Client // nil: no other process writes the index
	believed atomic.Bool   // what the index holds is of this store

	following, bringing, tending, saving background.Task
}

// maxBlind is the longest pause between two tries to read the log.
const maxBlind = 500 * time.Millisecond

// New makes a Follower of a catalogue, which does nothing before Run or Rebuild.
func New(options Options) *Follower {
	options.setDefaults()
	return newFollower(options, &videos{store: options.Store, index: options.Index})
}

func newFollower(options Options, subject subject) *Follower {
	f := &Follower{
		options: options,
		subject: subject,
		wake:    make(chan struct{}, 1),
		news:    make(chan struct{}, 1),
		fanOut:  make(chan struct{}, 1),
		applied: make(chan struct{}, 1),
	}
	for name, task := range map[string]*background.Task{
		"follow the log": &f.following, "bring the index up to date": &f.bringing, "tend the store": &f.tending, "save the index": &f.saving,
	} {
		task.Name, task.Logger, task.BackOff, task.MaxBackOff = name, options.Logger, options.BackOff, options.MaxBackOff
	}
	// Caches may show old documents until the log is followed again.
	f.following.MaxBackOff = min(options.MaxBackOff, maxBlind)
	if options.Lease != nil {
		settings := *options.Lease
		settings.Settled, settings.Logger = f.indexed.Load, options.Logger
		settings.BackOff, settings.MaxBackOff = options.BackOff, options.MaxBackOff
		f.lease = lease.New(settings)
	}
	f.start.Store(unknown)
	f.believed.Store(options.Snapshots == nil)
	return f
}

// Run follows until the context ends; then it saves the index a last time.
func (f *Follower) Run(ctx context.Context) {
	defer f.lease.Keep(ctx)()
	var loops sync.WaitGroup
	loops.Go(func() { f.followLog(ctx) })
	loops.Go(func() { f.followIndex(ctx) })
	loops.Go(func() { f.tendStore(ctx) })
	if f.options.Snapshots != nil {
		loops.Go(func() { f.saveSnapshots(ctx) })
	}
	loops.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSave)
	defer cancel()
	if err := background.Protect(last, f.Save); err != nil {
		f.options.Logger.WarnContext(ctx, "the index cannot be saved, the next start takes longer", "error", err)
	}
}

// lastSave bounds how long the end waits for a store that does not answer.
const lastSave = 3 * time.Second

// Wake makes the follower look at the log at once: something was written here. It never waits.
func (f *Follower) Wake() { background.Signal(f.wake) }

// Ready reports whether the index has been brought to where the log stood at the start, or later, by
// whichever process writes it.
func (f *Follower) Ready() bool { return f.ready.Load() }

// Writes reports whether this process writes the index: always if the index is its own, else while it holds the lease.
func (f *Follower) Writes() bool { return f.lease.Held() }

// Lag is how many changes of the log the index does not reflect yet, as far as is known here.
func (f *Follower) Lag() int64 { return max(0, f.head.Load()-f.indexed.Load()) }

// Err returns the errors of all tasks that fail at present, nil if none does.
func (f *Follower) Err() error {
	return errors.Join(f.following.Err(), f.bringing.Err(), f.tending.Err(), f.saving.Err(), f.lease.Err())
}
