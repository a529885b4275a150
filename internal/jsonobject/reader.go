package jsonobject

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/fault"
)

// Reader is the state of reading one object: the field that is being read, and the faults so far. The zero value is at the
// object itself.
//
// Its methods Text, Boolean, Whole and Number read one value, which is not null. If it has another type, they record a fault
// of the current field and return the zero value.
type Reader struct {
	path []string
	// Faults are at most 100.
	Faults fault.FieldErrors
}

const maxFaults = 100

// Enter makes a field, or "[3]" for an element of a list, the current one, until Leave.
func (r *Reader) Enter(name string) { r.path = append(r.path, name) }

// Leave returns to the object or list that contains the current field.
func (r *Reader) Leave() { r.path = r.path[:len(r.path)-1] }

// Fault records a fault of the current field.
func (r *Reader) Fault(format string, args ...any) {
	var path strings.Builder
	for i, part := range r.path {
		if i > 0 && !strings.HasPrefix(part, "[") {
			path.WriteByte('.')
		}
		path.WriteString(part)
	}
	r.FaultAt(path.String(), format, args...)
}

// Add records a fault of Split for the value of the current field.
func (r *Reader) Add(inner *fault.FieldError) {
	if inner.Field != "" {
		r.Enter(inner.Field)
		defer r.Leave()
	}
	r.Fault("%s", inner.Problem)
}

// FaultAt records a fault of a field with its whole path.
func (r *Reader) FaultAt(field, format string, args ...any) {
	if len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, fault.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
	}
}

// Sound returns a function that reports whether no fault has been recorded since.
func (r *Reader) Sound() func() bool {
	before := len(r.Faults)
	return func() bool { return len(r.Faults) == before }
}

// Expected records a value of the wrong type.
func (r *Reader) Expected(what string, value jsontext.Value) {
	r.Fault("%s is not %s", Describe(value), what)
}

// Text reads a string.
func (r *Reader) Text(value jsontext.Value) string {
	if value.Kind() != '"' {
		r.Expected("a text", value)
		return ""
	}
	return Unquote(value)
}

// Boolean reads true or false.
func (r *Reader) Boolean(value jsontext.Value) bool {
	if kind := value.Kind(); kind != 't' && kind != 'f' {
		r.Expected("true or false", value)
	}
	return value.Kind() == 't'
}

// Whole reads an integer of 32 bits; 18.0 and 1e2 are integers.
func (r *Reader) Whole(value jsontext.Value) int {
	if value.Kind() != '0' {
		r.Expected("a whole number", value)
		return 0
	}
	if n, err := strconv.ParseInt(string(value), 10, 32); err == nil {
		return int(n)
	}
	n, err := strconv.ParseFloat(string(value), 64)
	switch {
	case err != nil, math.Abs(n) > math.MaxInt32:
		r.Expected("a whole number of 32 bits", value)
	case n != math.Trunc(n):
		r.Expected("a whole number", value)
	default:
		return int(n)
	}
	return 0
}

// Number reads a number that fits a float64.
func (r *Reader) Number(value jsontext.Value) float64 {
	n, err := strconv.ParseFloat(string(value), 64)
	if value.Kind() != '0' || err != nil {
		r.Expected("a number", value)
		return 0
	}
	return n
}

// Each visits the elements of a list of at most so many elements, none of them null; each is the current field meanwhile.
func (r *Reader) Each(value jsontext.Value, most int, visit func(element jsontext.Value)) {
	if value.Kind() != '[' {
		r.Expected("a list", value)
		return
	}
	decoder := take(value)
	defer decoders.Put(decoder)
	if _, err := decoder.ReadToken(); err != nil {
		return
	}
	for i := 0; decoder.PeekKind() != ']'; i++ {
		element, err := decoder.ReadValue()
		switch {
		case err != nil: // Split has checked the list
			return
		case i == most:
			r.Fault("has more than %d elements", most)
			return
		}
		r.Enter("[" + strconv.Itoa(i) + "]")
		if element.Kind() == 'n' {
			r.Fault("must not be null")
		} else {
			visit(element)
		}
		r.Leave()
	}
}
