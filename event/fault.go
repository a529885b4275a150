package event

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/fault"
)

// label is the API's name for the error of an invalid event.
const label = "Invalid Event"

// Invalid returns the error for the faults of one event; a fault without a field is one of the whole event.
func Invalid(faults fault.FieldErrors) error {
	faults = slices.Clone(faults)
	for i := range faults {
		if faults[i].Field == "" {
			faults[i].Problem = "the event " + faults[i].Problem
		}
	}
	message := faults[:min(len(faults), maxInMessage)].Error()
	if more := len(faults) - maxInMessage; more > 0 {
		message += fmt.Sprintf("; and %d more", more)
	}
	return &fault.Error{Code: fault.Invalid, Label: label, Message: message, Reasons: faults.Reasons()}
}

// maxInMessage is the number of faults that the message repeats.
const maxInMessage = 5

// InvalidBody returns the error for a body that is neither an event nor a batch.
func InvalidBody(format string, args ...any) error {
	return &fault.Error{Code: fault.Invalid, Label: label, Message: fmt.Sprintf(format, args...)}
}

// InBatch returns the reason for an invalid event of a batch: the first fault of the event with the number i.
func InBatch(i int, faults fault.FieldErrors) string {
	place := "[" + strconv.Itoa(i) + "]"
	if first := faults[0]; first.Field != "" {
		return place + "." + first.Reason()
	}
	return place + ": " + faults[0].Problem
}

// InvalidBatch returns the error for a batch of so many events, with the reasons for those that are invalid.
func InvalidBatch(reasons []string, events int) error {
	return &fault.Error{
		Code: fault.Invalid, Label: label, Reasons: reasons,
		Message: strconv.Itoa(len(reasons)) + " of " + strconv.Itoa(events) + " events are wrong, nothing was stored; the first: " + reasons[0],
	}
}

// maxShown is the number of characters of an invalid value that errors show.
const maxShown = 40

// shortened returns the start of a value for an error, on one line.
func shortened(value []byte) string {
	cut := value[:min(len(value), (maxShown+1)*utf8.UTFMax)]
	return clip(string(cut))
}

// quoted returns a text for an error, quoted and shortened.
func quoted(text string) string { return strconv.Quote(clip(text)) }

// clip shortens a text and replaces control characters.
func clip(text string) string {
	var clipped strings.Builder
	n := 0
	for _, char := range text {
		if n++; n > maxShown {
			return clipped.String() + "…"
		}
		if unicode.IsControl(char) {
			char = utf8.RuneError
		}
		clipped.WriteRune(char)
	}
	return clipped.String()
}
