package event

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/fault"
)

// label is what the API calls an event that is not taken.
const label = "Invalid Event"

// fault is one thing that is wrong with an event; without a field it is the event itself.
type problem struct{ field, problem string }

func (f problem) String() string {
	if f.field == "" {
		return "the event " + f.problem
	}
	return f.field + ": " + f.problem
}

// faults are what is wrong with one event, in the order in which it was found.
type faults []problem

func (f *faults) add(field, format string, args ...any) {
	*f = append(*f, problem{field, fmt.Sprintf(format, args...)})
}

// invalid is the error for one event.
func (f faults) invalid() error {
	reasons := make([]string, len(f))
	for i, one := range f {
		reasons[i] = one.String()
	}
	message := strings.Join(reasons[:min(len(reasons), maxTold)], "; ")
	if more := len(reasons) - maxTold; more > 0 {
		message += fmt.Sprintf("; and %d more", more)
	}
	return &fault.Error{Code: fault.Invalid, Label: label, Message: message, Reasons: reasons}
}

// maxTold is how many reasons the message of an error repeats.
const maxTold = 5

// invalidBody is the error for a body that is no event at all, nor a batch.
func invalidBody(format string, args ...any) error {
	return &fault.Error{Code: fault.Invalid, Label: label, Message: fmt.Sprintf(format, args...)}
}

func tooLarge(length, most int) error {
	return invalidBody("the body has %d bytes, at most %d are allowed", length, most)
}

// syntaxFault says where a text stops being JSON, and why.
func syntaxFault(err error) problem {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF):
		return problem{fieldAt(syntax.JSONPointer), syntaxProblem(syntax)}
	case errors.Is(err, errMore):
		return problem{problem: "is followed by something else"}
	}
	return problem{problem: "is not JSON: it ends too early"}
}

func syntaxProblem(syntax *jsontext.SyntacticError) string {
	if errors.Is(syntax, jsontext.ErrDuplicateName) {
		return "stands there twice"
	}
	return "is not JSON: " + syntax.Err.Error()
}

// fieldAt writes a place as reasons do: a.3.b.
func fieldAt(pointer jsontext.Pointer) string {
	var field strings.Builder
	for name := range pointer.Tokens() {
		if field.Len() > maxShown {
			break
		}
		if field.Len() > 0 {
			field.WriteByte('.')
		}
		field.WriteString(clip(name))
	}
	return field.String()
}

// maxShown is how many characters of an offending value errors show.
const maxShown = 40

// shortened is a value as errors show it: its beginning, on one line, whatever it holds.
func shortened(value []byte) string {
	cut := value[:min(len(value), (maxShown+1)*utf8.UTFMax)]
	return clip(string(cut))
}

// quoted is a text as errors show it.
func quoted(text string) string { return strconv.Quote(clip(text)) }

// clip cuts a text that is long, and makes marks of what cannot be shown.
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
