package event

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/fault"
)

// DecodePlaybackBatch reads a list of up to MaxBatch events as DecodePlayback does, each with the captureTime
// at which it happened: all of them, or none. The error has a reason for each element that is wrong, in their
// order, "[3].segmentStartSeconds: problem"; a list that is none, is empty or too long has no reasons.
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

// reading is a batch as far as it has been read.
type reading struct {
	events []Event
	// wrong has the first fault of each element that has any.
	wrong []string
	n     int
}

// elementLength is about what the shortest useful element of a batch has, in bytes.
const elementLength = 100

// list reads the elements one by one. This reader only finds where each begins and ends; what is within, and
// whether it is UTF-8, the reader of the element judges, so that one that is wrong leaves the others readable.
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

// element reads one event of the batch. What is too long is not taken apart: its members would take many times its
// room.
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

// within is a fault of an element of a batch.
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

// batchSyntax is the error where a batch stops being JSON: what follows cannot be read.
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
