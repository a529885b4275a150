package export

import (
	"io"
	"iter"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// Format is the name of a file format.
type Format string

// The formats. docs/exports.md lists the fields of each.
const (
	JSONL   Format = "jsonl"
	CSV     Format = "csv"
	Parquet Format = "parquet"
	XAPI    Format = "xapi"
	Caliper Format = "caliper"
)

// Options are the settings of a file of events.
type Options struct {
	// Base is the public address of the service, without a trailing slash. The identifiers of xAPI and Caliper begin
	// with it. The other formats ignore it.
	Base string
	// Addresses is the maximum age of the network addresses of callers in JSON lines and Parquet. If it is 0, events
	// have no addresses.
	Addresses time.Duration
	// Now returns the current time. The default is time.Now.
	Now func() time.Time
}

// Events writes events in the order in which it receives them. It is not safe for concurrent use.
type Events interface {
	// Write writes events and returns the number of events that the format can express: xAPI and Caliper have no verb
	// for AccessExpired. Write keeps no reference to the events, and clears the addresses that it may not write. After
	// an error, the caller must not call Write again.
	Write(events []event.Event) (written int, err error)
	// Close writes the remaining events, and the end of the file if the format has one. It does not close the
	// underlying writer.
	Close() error
}

// NewEvents starts a file of events. It returns an error with code Invalid if the format does not apply to events, or
// if the format needs a base address and Options has none.
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
		return &addressFilter{&lines{w: w}, options.Addresses, options.Now}, nil
	case Parquet:
		return &addressFilter{newTable(w), options.Addresses, options.Now}, nil
	case XAPI:
		return newStatements(w, names), nil
	case Caliper:
		return newEnvelopes(w, names, options.Now), nil
	}
	return nil, fault.InvalidRequest("events have no format %q", format)
}

// Summary counts the events of an export.
type Summary struct {
	// Exported is the number of events in the file, and Omitted the number of events that the format cannot express.
	Exported, Omitted int64
}

// Copy writes all batches and closes the file. It stops at the first error, returns the counts so far, and does not
// close the file.
func Copy(to Events, batches iter.Seq2[[]event.Event, error]) (Summary, error) {
	var sum Summary
	for events, err := range batches {
		if err != nil {
			return sum, err
		}
		written, err := to.Write(events)
		sum.Exported += int64(written)
		if err != nil {
			return sum, err
		}
		sum.Omitted += int64(len(events) - written)
	}
	return sum, to.Close()
}
