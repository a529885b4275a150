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

// field is a member of a JSON object in a body. Endpoints ignore members that they do not list.
type field struct {
	name string
	// read converts a value other than null to the type of its GraphQL variable.
	read func(value json.RawMessage) (any, error)
}

// maxObjectBody limits the body of an endpoint that takes an object, in bytes.
const maxObjectBody = 1 << 20

// readObject reads a body that is one JSON object. The result holds the fields that are present; null becomes nil.
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

// fieldError is an error at a place in the body.
type fieldError struct {
	place string
	err   error
}

func (e *fieldError) Error() string { return e.place + ": " + e.err.Error() }

// within prefixes the place of an error with an outer place.
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

// aList reads a list without null elements.
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

func aText(value json.RawMessage) (any, error)     { return valueOf[string](value, "a text") }
func aBoolean(value json.RawMessage) (any, error)  { return valueOf[bool](value, "true or false") }
func anInteger(value json.RawMessage) (any, error) { return valueOf[int64](value, "a whole number") }
func aNumber(value json.RawMessage) (any, error)   { return valueOf[float64](value, "a number") }

// aChoice reads a string and converts it with parse.
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
