// Package projection derives the search index and the caches from the log of the catalogue.
//
// One loop reads the log and announces changes to subscribers. A second brings the index up to the announced position, never
// further, so that no caller finds a new version by searching and then reads an old one. A third does background work of the
// store. A fourth saves snapshots. If one fails, it is retried and the others continue.
//
// # Several processes
//
// If processes share an index (Options.Lease), each follows the log for its own subscribers and maintains the store. The
// holder of the lease writes the index; the others watch its position, from which Ready and Lag derive, and never build
// the index. Package lease documents the handling of late orders.
//
// The holder reads documents that it resends from the store again, and leaves the index at its position. At an older
// position, searches would treat old answers as new ones, and the other processes would seem to lag. Caches may keep
// earlier answers until the position changes.
//
// Two cases are not handled: a process that paused beyond its lease with an order pending, resumed, and died after
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
	// Invalidate receives changes, oldest first and without gaps, before searches show them.
	Invalidate(changes []store.Change)
	// InvalidateAll is called when the follower begins, and when it has lost its place in the log: anything may have changed.
	InvalidateAll()
}

// Snapshots save an index on disk, for a fast start.
type Snapshots interface {
	// Snapshot returns the snapshot that the index was last opened from or saved as; the zero value if it began empty.
	Snapshot() search.Snapshot
	// Save saves the index and returns its snapshot on disk. If the index has not changed since the last one, Save returns that
	// one. It returns the zero value if snapshots are off.
	Save(ctx context.Context) (search.Snapshot, error)
}

// Options are the settings of a Follower. Zero values stand for the defaults.
type Options struct {
	Store store.Catalogue
	Index search.Writer
	// Model is the name of the embedding model whose vectors the documents contain; "": they contain none.
	Model       string
	Subscribers []Subscriber
	Logger      *slog.Logger

	// Lease lets several processes share the index: each follows the log for its subscribers, and the holder of the
	// lease writes the index. Store and Name are set. nil: the index is this process's own. With a Lease, Snapshots
	// is nil.
	Lease *lease.Options

	// Poll is the time between two reads of the log, unless Wake is called. 0: 150 ms.
	Poll time.Duration
	// Batch is the number of changes, or of videos in a rebuild, to read at a time. 0: 2,000.
	Batch int
	// Gather is the number of changes that an index of this process alone applies at once if it is behind by that many: each
	// batch has fixed costs. A shared index applies Batch. 0: 8 times Batch.
	Gather int
	// RebuildShare is how far the index may be behind at the start, in changes per video, before it is rebuilt instead of
	// brought up to date. 0: 0.5.
	RebuildShare float64
	// FanOut is the number of videos that one transaction gives new versions. 0: 500.
	FanOut int
	// FanOutPause is the pause between two such transactions, for other writers. 0: 5 ms.
	FanOutPause time.Duration
	// KeepLog is the number of log entries that remain when the log is trimmed. 0: 500,000.
	KeepLog int
	// TrimEvery is the time between two trims. 0: ten minutes.
	TrimEvery time.Duration
	// Snapshots save the index; nil: it is not saved here, and its content is trusted.
	Snapshots Snapshots
	// SnapshotQuiet is how long the index must not have changed before it is saved. 0: 5 s.
	SnapshotQuiet time.Duration
	// SnapshotWithin is the longest time that a change remains unsaved if the index keeps changing. 0: two minutes.
	SnapshotWithin time.Duration
	// BackOff is the pause after a first error; it doubles with each further one, up to MaxBackOff. 0: 100 ms.
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

// unknown is the position of a log that was not read yet.
const unknown store.Position = -1

// Follower keeps an index and subscribers up to date with a store.
type Follower struct {
	options Options
	subject subject

	wake    chan struct{} // read the log now
	news    chan struct{} // subscribers know more than the index
	fanOut  chan struct{} // there may be changes to propagate to videos
	applied chan struct{} // the index has changed

	log      sync.Mutex // held while the log is read and changes are announced
	begun    bool
	indexing sync.Mutex // held while the index is written

	head      atomic.Int64 // of the store, as last read
	announced atomic.Int64 // subscribers know everything up to here
	indexed   atomic.Int64 // the position of the index
	ready     atomic.Bool

	start atomic.Int64 // head of the log at the start; unknown: it was not read yet

	lease    *lease.Client // nil: no other process writes the index
	believed atomic.Bool   // the content of the index belongs to this store

	following, bringing, tending, saving background.Task
}

// maxBlind is the longest pause between two attempts to read the log.
const maxBlind = 500 * time.Millisecond

// New returns a Follower of a catalogue, which does nothing before Run or Rebuild.
func New(options Options) *Follower {
	options.setDefaults()
	return newFollower(options, &videos{store: options.Store, index: options.Index, model: options.Model})
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

// Run follows the log until the context ends, and then saves the index a last time.
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

// lastSave limits how long the end waits for a store that does not respond.
const lastSave = 3 * time.Second

// Wake makes the follower read the log now, because something was written in this process. It never waits.
func (f *Follower) Wake() { background.Signal(f.wake) }

// Ready reports whether the index has reached the head that the log had at the start, whichever process writes the index.
func (f *Follower) Ready() bool { return f.ready.Load() }

// Writes reports whether this process writes the index: always if the index is its own, else while it holds the lease.
func (f *Follower) Writes() bool { return f.lease.Held() }

// Head returns the position of the last change in the log, as far as this process knows; 0: the log has no changes.
func (f *Follower) Head() int64 { return f.head.Load() }

// Lag returns the number of changes that the index does not reflect yet, as far as this process knows.
func (f *Follower) Lag() int64 { return max(0, f.head.Load()-f.indexed.Load()) }

// Err returns the errors of all tasks that fail at present, nil if none does.
func (f *Follower) Err() error {
	return errors.Join(f.following.Err(), f.bringing.Err(), f.tending.Err(), f.saving.Err(), f.lease.Err())
}
