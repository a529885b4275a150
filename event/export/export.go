package export

import (
	"io"
	"iter"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// Format names a form of a file.
type Format string

// The formats. docs/exports.md shows each with its fields.
const (
	JSONL   Format = "jsonl"
	CSV     Format = "csv"
	Parquet Format = "parquet"
	XAPI    Format = "xapi"
	Caliper Format = "caliper"
)

// Options say what a file of events tells.
type Options struct {
	// Base is the public address of the service without a slash at its end. What xAPI and Caliper name begins
	// with it; the other formats do without.
	Base string
	// Addresses is how old the network addresses of callers may be that JSON lines and Parquet tell; 0: they tell
	// none.
	Addresses time.Duration
	// Now is the time; nil: time.Now.
	Now func() time.Time
}

// Events writes events, in the order in which it is given them.
type Events interface {
	// Write adds events and returns how many of them the format could tell: xAPI and Caliper have no word for
	// AccessExpired. It keeps nothing of them, and empties the addresses that it may not tell. After an error
	// there is no going on.
	Write(events []event.Event) (told int, err error)
	// Close writes what is left, and the end of the file where the format has one. The writer below stays open.
	Close() error
}

// NewEvents begins a file of events. The error is of code Invalid where events have no such format, or where
// it needs a base address and has none.
func NewEvents(w io.Writer, format Format, options Options) (Events, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if (format == XAPI || format == Caliper) && options.Base == "" {
		return nil, fault.InvalidRequest("%s needs the base address of the service", format)
	}
	names := names{base: options.Base}
	switch format {
	case JSONL:
		return &young{&lines{w: w}, options.Addresses, options.Now}, nil
	case Parquet:
		return &young{newTable(w), options.Addresses, options.Now}, nil
	case XAPI:
		return newStatements(w, names), nil
	case Caliper:
		return newEnvelopes(w, names, options.Now), nil
	}
	return nil, fault.InvalidRequest("events have no format %q", format)
}

// Summary is what a file came to.
type Summary struct {
	// Told is how many events are in the file, Untold how many the format has no word for.
	Told, Untold int64
}

// Copy writes all batches and closes the file.
func Copy(to Events, batches iter.Seq2[[]event.Event, error]) (Summary, error) {
	var sum Summary
	for events, err := range batches {
		if err != nil {
			return sum, err
		}
		told, err := to.Write(events)
		sum.Told += int64(told)
		if err != nil {
			return sum, err
		}
		sum.Untold += int64(len(events) - told)
	}
	return sum, to.Close()
}
