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

// label is the API's name for the error of an invalid event.
const label = "Invalid Event"

// problem is one fault of an event: of a field, or of the whole event if field is "".
type problem struct{ field, problem string }

func (f problem) String() string {
	if f.field == "" {
		return "the event " + f.problem
	}
	return f.field + ": " + f.problem
}

// faults lists the faults of one event in the order in which they were found.
type faults []problem

func (f *faults) add(field, format string, args ...any) {
	*f = append(*f, problem{field, fmt.Sprintf(format, args...)})
}

// invalid returns the error for one event.
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

// maxTold is the number of reasons that the message repeats.
const maxTold = 5

// invalidBody returns the error for a body that is neither an event nor a batch.
func invalidBody(format string, args ...any) error {
	return &fault.Error{Code: fault.Invalid, Label: label, Message: fmt.Sprintf(format, args...)}
}

func tooLarge(length, most int) error {
	return invalidBody("the body has %d bytes, at most %d are allowed", length, most)
}

// syntaxFault describes where and why a text is not JSON.
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

// fieldAt formats a JSON pointer as reasons do: a.3.b.
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
