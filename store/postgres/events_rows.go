package postgres

import (
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// The columns of events after the position, with their types, in the order that rows and statements use.
var (
	eventColumns = []string{
		"received", "at", "starts", "ends", "counted", "id", "kind", "sandbox", "hidden", "continues",
		"account", "client", "user_id", "external_user", "video", "subtype", "trace", "referer", "details", "metadata",
	}
	eventTypes = []string{
		"bigint", "bigint", "bigint", "bigint", "bigint", "uuid", "smallint", "boolean", "boolean", "boolean",
		"bytea", "bytea", "bytea", "bytea", "bytea", "bytea", "bytea", "bytea", "bytea", "bytea",
	}
	eventList = strings.Join(eventColumns, ", ")
)

// Numbers of columns with numbers and with texts.
const (
	eventNumbers = 5
	eventTexts   = 10
)

func numbersOf(e *event.Event) [eventNumbers]int64 {
	return [...]int64{int64(e.Received), int64(e.At), e.Start, e.End, e.Counted}
}

func textsOf(e *event.Event) [eventTexts][]byte {
	return [...][]byte{
		optional(e.Account), optional(e.Client), optional(e.User), optional(e.ExternalUser), optional(e.Video),
		optional(e.Subtype), optional(e.Trace), optional(e.Referer), optional(string(e.Details)), optional(string(e.Metadata)),
	}
}

// eventRow returns an event as a row for COPY.
func eventRow(position int64, e *event.Event) []any {
	row := make([]any, 0, 1+len(eventColumns))
	row = append(row, position)
	for _, number := range numbersOf(e) {
		row = append(row, number)
	}
	row = append(row, [16]byte(e.ID), int16(e.Kind), e.Sandbox, e.Hidden, e.Continues)
	for _, text := range textsOf(e) {
		row = append(row, text)
	}
	return row
}

// eventArrays returns events as arguments for unnest: one array for each column.
func eventArrays(events []*event.Event) []any {
	var (
		numbers   [eventNumbers][]int64
		texts     [eventTexts][][]byte
		ids       = make([][16]byte, len(events))
		kinds     = make([]int16, len(events))
		sandbox   = make([]bool, len(events))
		hidden    = make([]bool, len(events))
		continues = make([]bool, len(events))
	)
	for i, e := range events {
		for column, number := range numbersOf(e) {
			numbers[column] = append(numbers[column], number)
		}
		for column, text := range textsOf(e) {
			texts[column] = append(texts[column], text)
		}
		ids[i], kinds[i], sandbox[i], hidden[i], continues[i] = e.ID, int16(e.Kind), e.Sandbox, e.Hidden, e.Continues
	}
	arrays := make([]any, 0, len(eventColumns))
	for _, column := range numbers {
		arrays = append(arrays, column)
	}
	arrays = append(arrays, ids, kinds, sandbox, hidden, continues)
	for _, column := range texts {
		arrays = append(arrays, column)
	}
	return arrays
}

// scannedEvent scans the position and the other columns of an event, row after row, into the same memory.
type scannedEvent struct {
	event   event.Event
	id      [16]byte
	kind    int16
	counted pgtype.Int8
	texts   [eventTexts]pgtype.DriverBytes
	targets []any
}

// scan returns an event that is valid until the next call.
func (r *scannedEvent) scan(rows pgx.Rows) (*event.Event, error) {
	e := &r.event
	if r.targets == nil {
		r.targets = []any{&e.Position, (*int64)(&e.Received), (*int64)(&e.At), &e.Start, &e.End, &r.counted, &r.id, &r.kind, &e.Sandbox, &e.Hidden, &e.Continues}
		for i := range r.texts {
			r.targets = append(r.targets, &r.texts[i])
		}
	}
	*e = event.Event{}
	if err := rows.Scan(r.targets...); err != nil {
		return e, err
	}
	e.ID, e.Kind = r.id, event.Kind(r.kind)
	if e.Counted = e.Played(); r.counted.Valid {
		e.Counted = r.counted.Int64
	}
	for i, text := range [...]*string{&e.Account, &e.Client, &e.User, &e.ExternalUser, &e.Video, &e.Subtype, &e.Trace, &e.Referer} {
		*text = string(r.texts[i])
	}
	for i, body := range [...]*[]byte{&e.Details, &e.Metadata} {
		if text := r.texts[eventTexts-2+i]; text != nil {
			*body = append([]byte(nil), text...)
		}
	}
	return e, storelogic.CheckStored(e)
}

// run is a sequence of consecutive events with the same address and the same time of receipt.
type run struct {
	// first and last are offsets in a list of events, or positions. Both are inclusive.
	first, last int64
	received    int64
	address     []byte
}

// maxRun is the largest number of events in a run. It bounds how far before an event its run can begin.
const maxRun = 1000

// runsOf returns the runs of the events that have an address. Offsets start at 1.
func runsOf(events []*event.Event) (runs []run) {
	for i, e := range events {
		if e.Address == "" {
			continue
		}
		offset := int64(i) + 1
		if n := len(runs); n > 0 {
			last := &runs[n-1]
			before := events[i-1]
			if last.last == offset-1 && offset-last.first < maxRun && before.Address == e.Address && before.Received == e.Received {
				last.last = offset
				continue
			}
		}
		runs = append(runs, run{offset, offset, int64(e.Received), []byte(e.Address)})
	}
	return runs
}

// runArrays returns runs as arguments for unnest.
func runArrays(runs []run) []any {
	firsts, lasts, received := make([]int64, len(runs)), make([]int64, len(runs)), make([]int64, len(runs))
	addresses := make([][]byte, len(runs))
	for i, r := range runs {
		firsts[i], lasts[i], received[i], addresses[i] = r.first, r.last, r.received, r.address
	}
	return []any{firsts, lasts, received, addresses}
}
