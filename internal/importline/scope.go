package importline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// scope is the state of decoding one line: the current field, and the faults so far.
type scope struct {
	// source is the source of the line's references.
	source string
	path   []string
	faults fault.FieldErrors
}

func (s *scope) enter(name string) { s.path = append(s.path, name) }
func (s *scope) leave()            { s.path = s.path[:len(s.path)-1] }

// fault records a fault of the current field.
func (s *scope) fault(format string, args ...any) {
	var path strings.Builder
	for i, part := range s.path {
		if i > 0 && !strings.HasPrefix(part, "[") {
			path.WriteByte('.')
		}
		path.WriteString(part)
	}
	s.faultAt(path.String(), format, args...)
}

// sound returns a function that reports whether no fault has been recorded since.
func (s *scope) sound() func() bool {
	before := len(s.faults)
	return func() bool { return len(s.faults) == before }
}

// maxFaults is the maximum number of recorded faults per line.
const maxFaults = 100

func (s *scope) faultAt(field, format string, args ...any) {
	if len(s.faults) == maxFaults {
		return
	}
	s.faults = append(s.faults, fault.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// expected records a value of the wrong type.
func (s *scope) expected(what string, value jsontext.Value) {
	s.fault("%s is not %s", describe(value), what)
}

func describe(value jsontext.Value) string {
	switch value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return quote(unquote(value))
	}
	return catalogue.Shorten(string(value))
}

// member is one member of a JSON object; its value refers to the text that was split.
type member struct {
	name  string
	value jsontext.Value
}

// The errors of split, besides those of the decoder.
var (
	errNotAnObject = errors.New("is not a JSON object")
	errMoreThanOne = errors.New("has more behind its object: expected one object a line")
)

// split splits a text that must consist of one JSON object into its members. It also checks everything below: valid
// UTF-8, and no duplicate names in an object.
func split(text []byte) ([]member, error) {
	decoder := takeDecoder(text)
	defer decoders.Put(decoder)
	if kind := decoder.PeekKind(); kind != '{' {
		if _, err := decoder.ReadToken(); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return nil, errNotAnObject
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	members := make([]member, 0, 24)
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadValue()
		if err != nil {
			return nil, err
		}
		m := member{name: unquote(name)}
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(decoder.InputOffset()) // value is valid only until the next read
		m.value = text[end-len(value) : end]
		members = append(members, m)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errMoreThanOne
	}
	return members, nil
}

// elements calls visit for each element of a JSON array that split has checked, until visit returns false.
func elements(array jsontext.Value, visit func(i int, element jsontext.Value) bool) {
	decoder := takeDecoder(array)
	defer decoders.Put(decoder)
	if _, err := decoder.ReadToken(); err != nil {
		return
	}
	for i := 0; decoder.PeekKind() != ']'; i++ {
		element, err := decoder.ReadValue()
		if err != nil || !visit(i, element) {
			return
		}
	}
}

var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

func takeDecoder(text []byte) *jsontext.Decoder {
	decoder := decoders.Get().(*jsontext.Decoder)
	decoder.Reset(bytes.NewBuffer(text))
	return decoder
}

// unquote returns the text of a valid JSON string.
func unquote(value jsontext.Value) string {
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	text, _ := jsontext.AppendUnquote(nil, value)
	return string(text)
}

// quote quotes a text of the operator for a message.
func quote(text string) string { return strconv.Quote(catalogue.Shorten(text)) }
