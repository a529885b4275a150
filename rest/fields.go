package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// field is one member of a JSON object in a body. Members that an endpoint does not name are ignored, as
// clients send what others of their servers know.
type field struct {
	name string
	// read takes a value that is not null; what it returns is of the types that variables hold.
	read func(value json.RawMessage) (any, error)
}

// maxObjectBody is the longest body of an endpoint that takes an object.
const maxObjectBody = 1 << 20

// readObject reads a body that is one JSON object: of the fields, what is there, null where it is null.
func readObject(r *http.Request, fields []field) (map[string]any, error) {
	text, err := readBody(r, maxObjectBody)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, fault.InvalidRequest("the body is not valid UTF-8")
	}
	values, err := anObject(fields)(text)
	var misplaced *fieldError
	switch {
	case errors.As(err, &misplaced):
		return nil, fault.InvalidRequest("%s", misplaced)
	case err != nil:
		return nil, fault.InvalidRequest("the body %s", err)
	}
	return values.(map[string]any), nil
}

// fieldError is what is wrong with the field at a place of the body.
type fieldError struct {
	place string
	err   error
}

func (e *fieldError) Error() string { return e.place + ": " + e.err.Error() }

// within names the place of an error, behind what has been named.
func within(place string, err error) error {
	var inner *fieldError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &inner):
		return &fieldError{place, err}
	case inner.place[0] == '[':
		return &fieldError{place + inner.place, inner.err}
	}
	return &fieldError{place + "." + inner.place, inner.err}
}

// anObject reads an object with these fields into a map.
func anObject(fields []field) func(json.RawMessage) (any, error) {
	return func(value json.RawMessage) (any, error) {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(value, &members); err != nil || members == nil {
			return nil, expected(value, "an object")
		}
		values := map[string]any{}
		for _, field := range fields {
			member, given := members[field.name]
			switch {
			case !given:
			case isNull(member):
				values[field.name] = nil
			default:
				read, err := field.read(member)
				if err != nil {
					return nil, within(field.name, err)
				}
				values[field.name] = read
			}
		}
		return values, nil
	}
}

// aList reads a list, none of whose elements is null.
func aList(read func(json.RawMessage) (any, error)) func(json.RawMessage) (any, error) {
	return func(value json.RawMessage) (any, error) {
		var elements []json.RawMessage
		if err := json.Unmarshal(value, &elements); err != nil {
			return nil, expected(value, "a list")
		}
		values := make([]any, len(elements))
		for i, element := range elements {
			if isNull(element) {
				return nil, &fieldError{fmt.Sprintf("[%d]", i), errors.New("must not be null")}
			}
			read, err := read(element)
			if err != nil {
				return nil, within(fmt.Sprintf("[%d]", i), err)
			}
			values[i] = read
		}
		return values, nil
	}
}

func aText(value json.RawMessage) (any, error)    { return valueOf[string](value, "a text") }
func aBoolean(value json.RawMessage) (any, error) { return valueOf[bool](value, "true or false") }
func aWhole(value json.RawMessage) (any, error)   { return valueOf[int64](value, "a whole number") }
func aNumber(value json.RawMessage) (any, error)  { return valueOf[float64](value, "a number") }

// aChoice reads a text as a value of a list, by the parser of that.
func aChoice[T ~string](parse func(string) (T, error)) func(json.RawMessage) (any, error) {
	return func(value json.RawMessage) (any, error) {
		text, err := valueOf[string](value, "a text")
		if err != nil {
			return nil, err
		}
		parsed, err := parse(text.(string))
		return string(parsed), err
	}
}

func valueOf[T any](value json.RawMessage, what string) (any, error) {
	var decoded T
	if err := json.Unmarshal(value, &decoded); err != nil {
		return nil, expected(value, what)
	}
	return decoded, nil
}

func expected(value json.RawMessage, what string) error {
	if len(bytes.TrimSpace(value)) == 0 {
		return errors.New("is empty, and not " + what)
	}
	return fmt.Errorf("%s is not %s", catalogue.Shorten(string(value)), what)
}

func isNull(value json.RawMessage) bool { return string(bytes.TrimSpace(value)) == "null" }
