package importer

import (
	"context"
	"errors"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
)

// MaxLineLength is the most bytes that a line, a CSV record or an output of a jq program may have.
const MaxLineLength = 16 << 20

// position says where a line comes from.
type position struct {
	file         string
	line, output int
}

// line is one line of an input, or what is wrong with it.
type line struct {
	position
	text []byte
	// foreign lines are for the jq program.
	foreign bool
	// problem is set where there is no text.
	problem string
}

// entry is one import line, decoded. The record of a line that could not be read has only faults.
type entry struct {
	position
	text   []byte
	record *importline.Record
}

// lines is what decode reads: lines in pieces of bounded size.
type lines interface {
	// next returns the next lines, with io.EOF none, and how much of the input has been read.
	next() (piece []line, read int64, err error)
}

// The least that ends a piece. It is small enough that pieces in flight take little memory and
// large enough that handing them over costs nothing.
const (
	pieceLines = 256
	pieceBytes = 256 << 10
	// A foreign record can become many lines.
	foreignPieceLines = 8
)

// decode reads all lines, decodes them on all processors and hands them to sink, in their order, on
// the caller's goroutine.
func (r *run) decode(ctx context.Context, source lines, sink func(ctx context.Context, entries []entry, read int64) error) error {
	type piece struct {
		lines   []line
		read    int64
		decoded chan []entry
	}
	workers := runtime.GOMAXPROCS(0)
	work, inOrder := make(chan piece, workers), make(chan piece, 2*workers)

	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(work)
		defer close(inOrder)
		for {
			lines, read, err := source.next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			p := piece{lines: lines, read: read, decoded: make(chan []entry, 1)}
			for _, queue := range []chan piece{inOrder, work} {
				select {
				case queue <- p:
				case <-groupCtx.Done():
					return groupCtx.Err()
				}
			}
		}
	})
	for range workers {
		group.Go(func() error {
			for p := range work {
				p.decoded <- r.entries(groupCtx, p.lines)
			}
			return nil
		})
	}
	sinkErr := func() error {
		for p := range inOrder {
			select {
			case entries := <-p.decoded:
				if err := groupCtx.Err(); err != nil {
					return err // entries may hold faults that only say so
				}
				if err := sink(ctx, entries, p.read); err != nil {
					return err
				}
			case <-groupCtx.Done():
				return groupCtx.Err()
			}
		}
		return nil
	}()
	if sinkErr != nil {
		group.Go(func() error { return sinkErr }) // ends the others
	}
	return group.Wait()
}

// entries decodes the lines of one piece, running the jq program over foreign ones.
func (r *run) entries(ctx context.Context, lines []line) []entry {
	entries := make([]entry, 0, len(lines))
	for _, l := range lines {
		switch {
		case l.problem != "":
			entries = append(entries, faulty(l.position, l.problem))
		case l.foreign:
			entries = r.program.translate(ctx, l, entries)
		default:
			entries = append(entries, entry{position: l.position, text: l.text, record: importline.Decode(l.text)})
		}
	}
	return entries
}

func faulty(at position, problem string) entry {
	return entry{position: at, record: &importline.Record{Faults: fault.FieldErrors{{Problem: problem}}}}
}

// reject counts and reports a line that does not go in.
func (r *run) reject(e entry, faults fault.FieldErrors) {
	r.counts.of(e.record.Kind).Rejected++
	for _, problem := range faults {
		r.Report(Fault{
			File: e.file, Line: e.line, Output: e.output,
			Kind: e.record.Kind, ID: e.record.ID,
			Field: problem.Field, Problem: problem.Problem,
		})
	}
}
