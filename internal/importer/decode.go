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

// MaxLineLength is the maximum size in bytes of a line, a CSV record or an output of a jq program.
const MaxLineLength = 16 << 20

// position is where a line comes from.
type position struct {
	file         string
	line, output int
}

// line is one line of an input, or a problem with it.
type line struct {
	position
	text []byte
	// foreign lines are input of the jq program.
	foreign bool
	// problem is set if there is no text.
	problem string
	// fields are those of a CSV record that does not have as many as the header, until the next one is read.
	fields []string
}

// entry is a decoded import line. If the line could not be read, its record has only faults.
type entry struct {
	position
	text   []byte
	record *importline.Record
}

// lines is the input of decode: lines in pieces of bounded size.
type lines interface {
	// next returns the next lines, none with io.EOF, and how many bytes of the input have been read.
	next() (piece []line, read int64, err error)
}

// A piece ends at the first of these bounds. They keep pieces in flight small, and the cost of handing them over
// negligible.
const (
	pieceLines = 256
	pieceBytes = 256 << 10
	// A foreign record can yield many lines.
	foreignPieceLines = 8
)

// decode reads all lines, decodes them on all processors and passes them to sink, in order, on the caller's goroutine.
func (r *run) decode(ctx context.Context, source lines, sink func(ctx context.Context, entries []entry, read int64) error) error {
	workers := runtime.GOMAXPROCS(0)
	work, inOrder := make(chan piece, workers), make(chan piece, 2*workers)

	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(work)
		defer close(inOrder)
		return readPieces(groupCtx, source, inOrder, work)
	})
	for range workers {
		group.Go(func() error {
			for p := range work {
				p.decoded <- r.entries(groupCtx, p.lines)
			}
			return nil
		})
	}
	if err := sinkPieces(ctx, groupCtx, inOrder, sink); err != nil {
		group.Go(func() error { return err }) // cancels the others
	}
	return group.Wait()
}

// piece is a number of lines that one worker decodes.
type piece struct {
	lines   []line
	read    int64 // bytes of the file up to its end
	decoded chan []entry
}

// readPieces sends the pieces of a file to both queues until the file or ctx ends.
func readPieces(ctx context.Context, source lines, queues ...chan<- piece) error {
	for {
		lines, read, err := source.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		p := piece{lines: lines, read: read, decoded: make(chan []entry, 1)}
		for _, queue := range queues {
			select {
			case queue <- p:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// sinkPieces hands decoded pieces on in the order of the file, until decoding fails.
func sinkPieces(ctx, decoding context.Context, inOrder <-chan piece, sink func(ctx context.Context, entries []entry, read int64) error) error {
	for p := range inOrder {
		select {
		case entries := <-p.decoded:
			if err := decoding.Err(); err != nil {
				return err // entries may have faults that only result from the cancellation
			}
			if err := sink(ctx, entries, p.read); err != nil {
				return err
			}
		case <-decoding.Done():
			return decoding.Err()
		}
	}
	return nil
}

// entries decodes the lines of one piece, and runs the jq program on foreign ones.
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

// reject counts and reports a rejected line.
func (r *run) reject(e entry, faults fault.FieldErrors) {
	r.counts.of(e.record.Kind).Rejected++
	for _, problem := range faults {
		r.Report(Fault{
			File: e.file, Line: e.line, Output: e.output,
			Kind: e.record.Kind, ID: e.record.ID,
			Field: problem.Field, Problem: e.record.AsWritten(problem.Problem),
		})
	}
}
