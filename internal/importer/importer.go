// Package importer imports lines into the catalogue: it reads inputs, runs a jq program on foreign records, decodes
// lines in parallel, writes them in batches and counts the results. docs/import.md describes it for operators.
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

// Options configure an import. Every field except Inputs may be zero.
type Options struct {
	// Inputs are read in this order.
	Inputs []Input
	// JQ is the text of a jq program that turns each foreign record into import lines; with "", the inputs hold import
	// lines. JQName names the program in errors.
	JQ, JQName string
	// JQTime is the maximum time of the program per record; 0 means DefaultJQTime.
	JQTime time.Duration
	// JQCommand starts a process that calls ServeJQ; the importer runs as many as there are processors. Without it, the
	// program runs in this process, whose memory it may exhaust. JQMemory is the memory limit of each process in bytes,
	// at least 256 MiB; 0 means DefaultJQMemory.
	JQCommand []string
	JQMemory  int64
	// Columns makes import lines of CSV without a jq program: it takes the header and returns a function that makes a line
	// of each record, which it must not keep. An error of Columns ends the run.
	Columns func(header []string) (func(record []string) ([]byte, error), error)
	// Strict writes everything in one transaction, and nothing if any line is rejected.
	Strict bool
	// DryRun does the same as a run in one transaction, reports it together with each field that would change
	// (Fault.Differs), and rolls it back. Lines about collections are checked only. With Strict, the results are those of
	// a strict run.
	DryRun bool
	// Prune deletes, after a run without a rejected line, the items that the run did not mention: of each kind, those
	// from the sources that the run imported this kind from.
	Prune bool
	// PruneLimit is the share of the items of one kind, in percent from 1 to 100, that Prune deletes without
	// ConfirmPrune; 0 means DefaultPruneLimit. Prune always deletes up to 10 items of a kind. If any kind exceeds its
	// limit, nothing is deleted.
	PruneLimit   int
	ConfirmPrune bool
	// Collections is the store for lines about collections, which are written after everything else is committed. Pruned
	// videos are removed from it. With nil, such lines are rejected.
	Collections *Collections
	// BatchSize is the maximum number of lines per transaction; 0 means DefaultBatchSize.
	BatchSize int
	// Client and User identify the caller for the audit log (account.Actor); with Client "", the run is not logged.
	Client, User string
	// Progress receives the progress of the run; may be nil.
	Progress Progress
	// Report receives every fault, in the order of the lines; those of lines that were put aside follow at the end, by
	// kind. It may be nil. It is never called concurrently.
	Report func(Fault)
}

// DefaultJQTime is ten thousand times what a program like those in examples takes.
const DefaultJQTime = 10 * time.Second

// DefaultBatchSize is the number of lines per transaction. A transaction takes some 50 ms, and other writers wait that
// long.
const DefaultBatchSize = 1_000

// Fault is a problem with one field of one line or, if Line is 0, with a whole input. A Fault without File names an
// item that pruning had to keep.
type Fault struct {
	File string `json:"file"`
	// Line counts from 1. In CSV, it is the line on which the record starts.
	Line int `json:"line"`
	// Output is the index, from 1, of the line among those that the jq program made of the record; 0 without a program.
	Output int `json:"output,omitempty"`
	// Kind and ID identify the item, as far as they are known.
	Kind catalogue.Kind `json:"kind,omitempty"`
	ID   catalogue.ID   `json:"id,omitempty"`
	// Field is empty if the line as a whole is at fault.
	Field   string `json:"field,omitempty"`
	Problem string `json:"problem"`
	// Held reports that the line was imported except for this field, which is held.
	Held bool `json:"-"`
	// Differs reports that nothing is wrong: a run would change this field as Problem says.
	Differs bool `json:"-"`
	// Warning reports that the line was imported nevertheless.
	Warning bool `json:"-"`
}

// String returns "file:line: field: problem".
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

// Run imports. It returns an error if the run as a whole fails: the jq program does not compile, the context ends, or
// the store fails. Batches committed before remain, and the summary counts them; another run imports the rest. Rejected
// lines are not an error.
//
// Lines may come in any order: Run puts aside a line that the store refuses because it refers to a later one, together
// with later lines about the same item, and retries them at the end. Otherwise, a later line about an item updates it
// after an earlier one.
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
		options.Progress = noProgress{}
	}
	if options.Report == nil {
		options.Report = func(Fault) {}
	}
	program, err := compile(options.JQName, options.JQ, options.JQTime)
	if err != nil {
		return Summary{}, err
	}
	if err := checkFormats(options.Inputs, program != nil || options.Columns != nil); err != nil {
		return Summary{}, err
	}
	if program != nil && len(options.JQCommand) > 0 {
		program.processes = newJQProcesses(options.JQCommand, jqSetup{
			Name: options.JQName, Program: options.JQ, Time: options.JQTime, Memory: cmp.Or(options.JQMemory, DefaultJQMemory),
		})
		defer program.processes.close()
	}
	r := &run{
		Options:     options,
		catalogue:   into,
		program:     program,
		counts:      counts{},
		origins:     map[origin]bool{},
		mentioned:   map[catalogue.Kind][]rawID{},
		collections: &pendingCollections{owners: map[ownerName]foundOwner{}, owned: map[string]int{}, made: map[catalogue.ID]Owner{}},
		started:     time.Now(),
	}
	defer r.collections.lines.close()
	defer options.Progress.End()
	if options.Strict || options.DryRun {
		err = r.strictly(ctx)
	} else {
		err = r.freely(ctx)
	}
	return r.summary(), err
}

// run is an import in progress.
type run struct {
	Options
	catalogue store.Catalogue
	program   *program
	counts    counts
	// origins are the sources and kinds of the run, mentioned the items. mentioned is kept only for pruning, at 12
	// bytes per line.
	origins     map[origin]bool
	mentioned   map[catalogue.Kind][]rawID
	collections *pendingCollections
	// prunedVideos are the videos that pruning has deleted.
	prunedVideos []catalogue.ID
	// stale reports whether videos show something that the run changed, so that FanOut has work.
	stale        bool
	undone       bool
	pruneRefused string
	// collectionsKept is Summary.CollectionsKept.
	collectionsKept string
	// replaced are the lines that retire videos into others.
	replaced []replacedLine
	// hidden, held and missingReplacements are those of Summary.
	hidden, held, missingReplacements int
	started                           time.Time
}

// origin is the source and kind of items.
type origin struct {
	kind   catalogue.Kind
	source string
}

// freely writes batch by batch, each in a transaction of its own.
func (r *run) freely(ctx context.Context) error {
	source := newInputReader(r.Inputs, r.program != nil, r.Columns)
	defer source.close()
	r.Progress.Begin("importing", source.size)
	write := func(ctx context.Context, fn func(context.Context, store.Tx) error) error {
		return r.patiently(ctx, func() error { return r.catalogue.Write(ctx, fn) })
	}
	err := r.bringIn(ctx, source, writer{write: write, afterBatch: r.fanOut})
	if err == nil {
		err = r.checkCollections(ctx)
	}
	if err == nil {
		err = r.checkLinks(ctx, write)
	}
	if err == nil {
		err = r.prune(ctx, write)
	}
	if err == nil {
		err = r.checkReplacements(ctx, write)
	}
	if noting := r.auditFreely(ctx); err == nil {
		err = noting
	}
	if err != nil {
		return err
	}
	return r.finish(ctx)
}

// Errors that roll the transaction of a run back.
var (
	errRejected = errors.New("importer: lines were rejected")
	errDryRun   = errors.New("importer: the run is dry")
)

// strictly checks every line on its own first, keeps the sound ones in a temporary file, and only then starts the one
// transaction. So a jq program, a slow disk or slow standard input does not keep the transaction open. If a line is at
// fault, the others are written all the same and rolled back, so that one run reports every line that a free run would
// reject.
func (r *run) strictly(ctx context.Context) error {
	checked := &spool{}
	defer checked.close()
	if err := r.check(ctx, checked); err != nil {
		r.undone = true
		return err
	}
	if err := r.checkCollections(ctx); err != nil {
		r.undone = true
		return err
	}
	phase := "writing"
	if r.counts.rejected() > 0 && r.Strict {
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
		if r.counts.rejected() > 0 && r.Strict {
			return errRejected
		}
		if err := r.prune(ctx, write); err != nil {
			return err
		}
		if err := r.checkReplacements(ctx, write); err != nil {
			return err
		}
		if r.DryRun {
			return errDryRun
		}
		return r.audit(ctx, tx)
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	if err != nil {
		r.undone = true
		if errors.Is(err, errRejected) {
			return nil
		}
		return err
	}
	return r.finish(ctx)
}

// finish does the work that follows the commit.
func (r *run) finish(ctx context.Context) error {
	return errors.Join(r.writeCollections(ctx), r.forgetVideos(ctx), r.fanOutAll(ctx))
}

// check decodes all inputs, reports faults and keeps the sound lines.
func (r *run) check(ctx context.Context, sound *spool) error {
	source := newInputReader(r.Inputs, r.program != nil, r.Columns)
	defer source.close()
	r.Progress.Begin("checking", source.size)
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

// fanOutChunk is the number of videos that one transaction of FanOut updates.
const fanOutChunk = 2_000

// fanOut updates some of the videos that show what the run changed, if any remain.
func (r *run) fanOut(ctx context.Context) error {
	if !r.stale {
		return nil
	}
	return r.patiently(ctx, func() (err error) {
		r.stale, err = r.catalogue.FanOut(ctx, fanOutChunk)
		return err
	})
}

// fanOutAll updates all of them, and those that an interrupted earlier run left.
func (r *run) fanOutAll(ctx context.Context) error {
	for r.stale = true; r.stale; {
		if err := r.fanOut(ctx); err != nil {
			return err
		}
	}
	return nil
}

// patiently retries, for a few seconds, a call that an engine cannot serve at the moment.
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
