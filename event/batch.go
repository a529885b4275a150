package event

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/fault"
)

// DecodePlaybackBatch decodes a list of up to MaxBatch playback events, each with a captureTime: all of them or none. The
// error has one reason for each invalid element, in their order: "[3].segmentStartSeconds: problem". It has no reasons if
// the body is not a list, or the list is empty or too long.
func DecodePlaybackBatch(body Body, received Instant) ([]Event, error) {
	if len(body) > MaxBatchBody {
		return nil, tooLarge(len(body), MaxBatchBody)
	}
	var read reading
	if err := read.list(body, received); err != nil {
		return nil, err
	}
	if len(read.wrong) > 0 {
		return nil, read.invalid()
	}
	return read.events, nil
}

// reading is a batch while it is decoded.
type reading struct {
	events []Event
	// wrong holds the first fault of each invalid element.
	wrong []string
	n     int
}

// elementLength is the approximate length of the shortest valid element, in bytes.
const elementLength = 100

// list splits the list into elements. It only finds their bounds; element checks their content and encoding, so one
// invalid element leaves the others readable.
func (r *reading) list(body Body, received Instant) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if kind := decoder.PeekKind(); kind != '[' && kind != 0 {
		return invalidBody("the batch must be a list, not %s", shortened(bytes.TrimSpace(body)))
	}
	if _, err := decoder.ReadToken(); err != nil {
		return batchSyntax(err)
	}
	r.events = make([]Event, 0, min(len(body)/elementLength+1, MaxBatch))
	for ; decoder.PeekKind() != ']'; r.n++ {
		if r.n == MaxBatch {
			return invalidBody("the batch has more than %d events", MaxBatch)
		}
		element, err := decoder.ReadValue()
		if err != nil {
			return batchSyntax(err)
		}
		r.element(element, received)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return batchSyntax(err)
	}
	if err := atEnd(decoder); err != nil {
		return batchSyntax(err)
	}
	if r.n == 0 {
		return invalidBody("the batch has no events")
	}
	return nil
}

// element decodes one event of the batch. It does not parse an element that is too long, whose members would take many
// times its size.
func (r *reading) element(text []byte, received Instant) {
	if len(text) > MaxBody {
		long := problem{problem: "has " + strconv.Itoa(len(text)) + " bytes, at most " + strconv.Itoa(MaxBody) + " are allowed"}
		r.wrong = append(r.wrong, long.within(r.n))
		return
	}
	o := openObject(text)
	defer o.close()
	e := o.event(func(o *object) Event { return playback(o, received, true) })
	if len(o.faults) > 0 {
		r.wrong = append(r.wrong, o.faults[0].within(r.n))
		return
	}
	if len(r.wrong) == 0 {
		r.events = append(r.events, e)
	}
}

// within is a fault of one element.
func (f problem) within(n int) string {
	place := "[" + strconv.Itoa(n) + "]"
	if f.field == "" {
		return place + ": " + f.problem
	}
	return place + "." + f.String()
}

func (r *reading) invalid() error {
	return &fault.Error{
		Code: fault.Invalid, Label: label, Reasons: r.wrong,
		Message: strconv.Itoa(len(r.wrong)) + " of " + strconv.Itoa(r.n) + " events are wrong, nothing was stored; the first: " + r.wrong[0],
	}
}

// batchSyntax is the error for a batch that stops being JSON: nothing after that point can be read.
func batchSyntax(err error) error {
	switch {
	case errors.Is(err, errMore):
		return invalidBody("the batch is followed by something else")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return invalidBody("the batch is not JSON: it ends too early")
	}
	one := syntaxFault(err)
	return invalidBody("the batch %s (%s)", one.problem, one.field)
}
