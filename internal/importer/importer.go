// Package importer brings import lines into the catalogue: it reads inputs, runs a jq program over
// foreign records, decodes lines in parallel, writes them in batches and keeps count. docs/import.md
// describes it for operators.
package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// Options says what to import and how. The zero value of every field but Inputs is usable.
type Options struct {
	// Inputs are read in this order.
	Inputs []Input
	// JQ is the text of a jq program that turns each foreign record into import lines; "": the inputs
	// hold import lines. JQName names the program in errors.
	JQ, JQName string
	// JQTime is how long the program may take for one record; 0 stands for DefaultJQTime.
	JQTime time.Duration
	// JQCommand starts a process that calls ServeJQ, of which there are as many at a time as processors; none: the
	// program runs in this process, whose memory it may use up. JQMemory is how many bytes each may have, at least
	// MinJQMemory; 0 stands for DefaultJQMemory.
	JQCommand []string
	JQMemory  int64
	// Strict writes everything in one transaction, and nothing where any line is rejected.
	Strict bool
	// Prune deletes, after a run without a rejected line, what the run did not mention: of each kind,
	// things of the sources that the run brought things of that kind from.
	Prune bool
	// PruneLimit is the share of the things of one kind, in percent, from 1 to 100, that Prune deletes without
	// ConfirmPrune; 0 stands for DefaultPruneLimit. Up to 10 things of a kind are deleted in any case. Where more would
	// be deleted of any kind, nothing is.
	PruneLimit   int
	ConfirmPrune bool
	// Shelves is where lines about collections go, once everything else is committed, and out of which videos are
	// taken that pruning has deleted. nil: such lines are rejected.
	Shelves *Shelves
	// BatchSize is the most lines written in one transaction; 0 stands for DefaultBatchSize.
	BatchSize int
	// Client and User are who runs the import, for the catalogue's trail (account.Actor); Client "": the trail is
	// not told.
	Client, User string
	// Progress is told how far the run is; nil: nobody is.
	Progress Progress
	// Report is told of every fault, in the order of the lines; of those that were put aside at the end,
	// kind by kind. nil: nobody is. It is never called concurrently.
	Report func(Fault)
}

// DefaultJQTime is ten thousand times what a program like those in examples takes.
const DefaultJQTime = 10 * time.Second

// DefaultBatchSize is the number of lines that one transaction writes. It is held for some 50 ms,
// which is how long another writer may have to wait.
const DefaultBatchSize = 1_000

// Fault says what is wrong with one field of one line, or, where Line is 0, with an input as a whole.
// A thing that pruning had to keep is told as a Fault without File.
type Fault struct {
	File string
	// Line counts from 1. In CSV it is the line on which the record starts.
	Line int
	// Output is the place, from 1, of the line among those that the jq program made of the record; 0:
	// it is no such line.
	Output int
	// Kind and ID name the thing, as far as it is known.
	Kind catalogue.Kind
	ID   catalogue.ID
	// Field is empty where the line as a whole is at fault.
	Field   string
	Problem string
}

// String writes "file:line: field: problem".
func (f Fault) String() string {
	place := f.File
	if f.File == "" {
		place = fmt.Sprintf("%s %s", f.Kind, f.ID)
	}
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, f.Line)
	}
	if f.Output > 0 {
		place = fmt.Sprintf("%s (output %d)", place, f.Output)
	}
	if f.Field == "" {
		return place + ": " + f.Problem
	}
	return place + ": " + f.Field + ": " + f.Problem
}

// Run imports. It returns an error where the run as a whole could not be done: the jq program does
// not compile, the context ended, the store failed. What had been committed by then stays, and the
// summary counts it; running again picks up the rest. Lines that are rejected are no error.
//
// Lines may come in any order: one that the store refuses, because it refers to something that comes
// later, is put aside and tried again at the end, and with it the later lines about the same thing.
// Otherwise a later line about a thing is laid over an earlier one.
func Run(ctx context.Context, into store.Catalogue, options Options) (Summary, error) {
	if options.BatchSize <= 0 {
		options.BatchSize = DefaultBatchSize
	}
	if options.PruneLimit <= 0 {
		options.PruneLimit = DefaultPruneLimit
	}
	if options.JQTime <= 0 {
		options.JQTime = DefaultJQTime
	}
	if options.Progress == nil {
		options.Progress = silent{}
	}
	if options.Report == nil {
		options.Report = func(Fault) {}
	}
	program, err := compile(options.JQName, options.JQ, options.JQTime)
	if err != nil {
		return Summary{}, err
	}
	if err := checkFormats(options.Inputs, program); err != nil {
		return Summary{}, err
	}
	if program != nil && len(options.JQCommand) > 0 {
		program.processes = newJQProcesses(options.JQCommand, jqSetup{
			Name: options.JQName, Program: options.JQ, Time: options.JQTime, Memory: cmp.Or(options.JQMemory, DefaultJQMemory),
		})
		defer program.processes.close()
	}
	r := &run{
		Options:   options,
		catalogue: into,
		program:   program,
		counts:    counts{},
		origins:   map[origin]bool{},
		mentioned: map[catalogue.Kind][]rawID{},
		shelf:     newShelf(),
		started:   time.Now(),
	}
	defer r.shelf.lines.close()
	defer options.Progress.End()
	if options.Strict {
		err = r.strictly(ctx)
	} else {
		err = r.freely(ctx)
	}
	return r.summary(), err
}

// run is one import on its way.
type run struct {
	Options
	catalogue store.Catalogue
	program   *program
	counts    counts
	// origins and mentioned are where the run brought things from, and which. The latter is kept only for
	// pruning, with 12 bytes for each line.
	origins   map[origin]bool
	mentioned map[catalogue.Kind][]rawID
	shelf     *shelf
	// prunedVideos are those that pruning has deleted.
	prunedVideos []catalogue.ID
	// stale: videos show something of what the run changed, FanOut has work.
	stale        bool
	undone       bool
	pruneRefused string
	// collectionsKept says why no collections were pruned although the rest was; "": they were, or nothing was.
	collectionsKept string
	// hidden is Summary.Hidden.
	hidden  int
	started time.Time
}

// origin is where things come from.
type origin struct {
	kind   catalogue.Kind
	source string
}

// freely writes batch by batch, each in a transaction of its own.
func (r *run) freely(ctx context.Context) error {
	source := newInputReader(r.Inputs, r.program != nil)
	defer source.close()
	r.Progress.Begin("importing", source.total())
	write := func(ctx context.Context, fn func(context.Context, store.Tx) error) error {
		return r.patiently(ctx, func() error { return r.catalogue.Write(ctx, fn) })
	}
	err := r.bringIn(ctx, source, writer{write: write, afterBatch: r.fanOut})
	if err == nil {
		err = r.checkShelf(ctx)
	}
	if err == nil {
		err = r.checkLinks(ctx, write)
	}
	if err == nil {
		err = r.prune(ctx, write)
	}
	if noting := r.noteFreely(ctx); err == nil {
		err = noting
	}
	if err != nil {
		return err
	}
	return r.finish(ctx)
}

var errRejected = errors.New("importer: lines were rejected")

// strictly checks every line by itself first, keeping those that pass in a temporary file, and opens
// the one transaction only then. So a jq program, a slow disk or a slow standard input does not hold
// the transaction open. Where a line was at fault the others are written all the same, to be rolled
// back, so that one run reports every line that a free one would reject.
func (r *run) strictly(ctx context.Context) error {
	checked := &spool{}
	defer checked.close()
	if err := r.check(ctx, checked); err != nil {
		r.undone = true
		return err
	}
	if err := r.checkShelf(ctx); err != nil {
		r.undone = true
		return err
	}
	phase := "writing"
	if r.counts.rejected() > 0 {
		phase = "looking for more faults"
	}
	r.Progress.Begin(phase, checked.size())
	err := r.catalogue.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		write := func(ctx context.Context, fn func(context.Context, store.Tx) error) error { return fn(ctx, tx) }
		if err := r.bringIn(ctx, checked, writer{write: write}); err != nil {
			return err
		}
		if err := r.checkLinks(ctx, write); err != nil {
			return err
		}
		if r.counts.rejected() > 0 {
			return errRejected
		}
		if err := r.prune(ctx, write); err != nil {
			return err
		}
		return r.note(ctx, tx)
	})
	if err != nil {
		r.undone = true
		if errors.Is(err, errRejected) {
			return nil
		}
		return err
	}
	return r.finish(ctx)
}

// finish does what comes after everything is committed.
func (r *run) finish(ctx context.Context) error {
	return errors.Join(r.writeShelf(ctx), r.forgetVideos(ctx), r.fanOutAll(ctx))
}

// check decodes all inputs, reports the faults and keeps the sound lines.
func (r *run) check(ctx context.Context, sound *spool) error {
	source := newInputReader(r.Inputs, r.program != nil)
	defer source.close()
	r.Progress.Begin("checking", source.total())
	return r.decode(ctx, source, func(_ context.Context, entries []entry, read int64) error {
		for _, e := range entries {
			if len(e.record.Faults) > 0 {
				r.reject(e, e.record.Faults)
				continue
			}
			aside, err := r.setAside(e)
			if err == nil && !aside {
				err = sound.add(e)
			}
			if err != nil {
				return err
			}
		}
		r.Progress.Advance(read, len(entries))
		return nil
	})
}

// fanOutChunk is the number of videos that one transaction of FanOut brings up to date.
const fanOutChunk = 2_000

// fanOut carries some of what the run changed to the videos that show it, where there is anything
// left to carry.
func (r *run) fanOut(ctx context.Context) error {
	if !r.stale {
		return nil
	}
	return r.patiently(ctx, func() (err error) {
		r.stale, err = r.catalogue.FanOut(ctx, fanOutChunk)
		return err
	})
}

// fanOutAll carries all of it, and what an earlier run that was broken off may have left.
func (r *run) fanOutAll(ctx context.Context) error {
	for r.stale = true; r.stale; {
		if err := r.fanOut(ctx); err != nil {
			return err
		}
	}
	return nil
}

// patiently tries again, for a few seconds, what an engine cannot do at the moment.
func (r *run) patiently(ctx context.Context, do func() error) error {
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		err := do()
		if fault.CodeOf(err) != fault.Unavailable || pause > 4*time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
