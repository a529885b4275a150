// Package jsonobject reads JSON objects field by field, strictly (RFC 7493: UTF-8, no name twice in an object), and collects
// what is wrong with them, each fault under the path of its field: "assets[3].videoId: is required". The bodies of requests
// and the lines of imports are read with it.
package jsonobject

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/fault"
)

// Member is one member of an object: its name without escapes, and its value within the text that was split.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Split splits a text that must be one JSON object into its members, in their order. It checks everything below them too.
func Split(text []byte) ([]Member, *fault.FieldError) {
	decoder := take(text)
	defer decoders.Put(decoder)
	if kind := decoder.PeekKind(); kind != '{' {
		return nil, notOne(decoder, text, "an object")
	}
	members := make([]Member, 0, 24)
	_, err := decoder.ReadToken()
	for err == nil && decoder.PeekKind() != '}' {
		var name, value jsontext.Value
		if name, err = decoder.ReadValue(); err != nil {
			break
		}
		m := Member{Name: Unquote(name)}
		if value, err = decoder.ReadValue(); err == nil {
			m.Value = valueIn(text, decoder, value)
			members = append(members, m)
		}
	}
	return members, end(decoder, err)
}

// Join returns the object with these members.
func Join(members []Member) jsontext.Value {
	object := jsontext.Value{'{'}
	for i, m := range members {
		if i > 0 {
			object = append(object, ',')
		}
		object, _ = jsontext.AppendQuote(object, m.Name)
		object = append(append(object, ':'), m.Value...)
	}
	return append(object, '}')
}

// List splits a text that must be one JSON list of at most so many elements. It only finds their bounds: they may hold
// invalid UTF-8 and duplicate names.
func List(text []byte, most int) ([]jsontext.Value, *fault.FieldError) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if kind := decoder.PeekKind(); kind != '[' {
		return nil, notOne(decoder, text, "a list")
	}
	var elements []jsontext.Value
	_, err := decoder.ReadToken()
	for err == nil && decoder.PeekKind() != ']' {
		if len(elements) == most {
			return nil, &fault.FieldError{Problem: fmt.Sprintf("has more than %d elements", most)}
		}
		var element jsontext.Value
		if element, err = decoder.ReadValue(); err == nil {
			elements = append(elements, valueIn(text, decoder, element))
		}
	}
	return elements, end(decoder, err)
}

var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

func take(text []byte) *jsontext.Decoder {
	decoder := decoders.Get().(*jsontext.Decoder)
	decoder.Reset(bytes.NewBuffer(text))
	return decoder
}

// valueIn returns the value that the decoder read last as a part of the text: the decoder's own is valid only until the next
// read.
func valueIn(text []byte, decoder *jsontext.Decoder, value jsontext.Value) jsontext.Value {
	end := int(decoder.InputOffset())
	return text[end-len(value) : end]
}

// notOne returns the error for a text that does not start like what is expected.
func notOne(decoder *jsontext.Decoder, text []byte, what string) *fault.FieldError {
	if len(bytes.TrimSpace(text)) == 0 {
		return &fault.FieldError{Problem: "is empty, and not " + what}
	}
	value, err := decoder.ReadValue()
	if err != nil {
		return syntaxFault(err)
	}
	return &fault.FieldError{Problem: printable(value) + " is not " + what}
}

// end returns err, else reads the end of the value and of the text.
func end(decoder *jsontext.Decoder, err error) *fault.FieldError {
	if err == nil {
		_, err = decoder.ReadToken()
	}
	if err != nil {
		return syntaxFault(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return &fault.FieldError{Problem: "is followed by something else"}
	}
	return nil
}

// syntaxFault returns an error of the decoder as a fault of the field where it occurred.
func syntaxFault(err error) *fault.FieldError {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !ok:
		return &fault.FieldError{Problem: "is not valid JSON: " + err.Error()}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &fault.FieldError{Field: pathOf(syntactic.JSONPointer), Problem: "is given twice"}
	}
	return &fault.FieldError{Field: pathOf(syntactic.JSONPointer), Problem: fmt.Sprintf("is not valid JSON: %s (byte %d)",
		strings.TrimPrefix(syntactic.Err.Error(), "jsontext: "), syntactic.ByteOffset+1)}
}

// maxPathDepth is the maximum number of path steps that a fault shows.
const maxPathDepth = 8

// pathOf formats a JSON pointer the way faults name fields: "/attachments/1/link" becomes "attachments[1].link".
func pathOf(pointer jsontext.Pointer) string {
	var path strings.Builder
	var depth int
	for token := range pointer.Tokens() {
		if depth++; depth > maxPathDepth {
			path.WriteString("…")
			break
		}
		switch {
		case depth > 1 && strings.Trim(token, "0123456789") == "":
			path.WriteString("[" + token + "]")
		case depth > 1:
			path.WriteString("." + fault.Shorten(token))
		default:
			path.WriteString(fault.Shorten(token))
		}
	}
	return path.String()
}

// Unquote returns the text of a valid JSON string.
func Unquote(value jsontext.Value) string {
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	text, _ := jsontext.AppendUnquote(nil, value)
	return string(text)
}

// Quote quotes and shortens a text for a message.
func Quote(text string) string { return strconv.Quote(fault.Shorten(text)) }

// printable shows the start of any text in a message, on one line.
func printable(text []byte) string {
	return strings.Map(func(char rune) rune {
		if unicode.IsControl(char) {
			return utf8.RuneError
		}
		return char
	}, fault.Shorten(strings.ToValidUTF8(string(text), string(utf8.RuneError))))
}

// Describe shows a value in a message, in a few words.
func Describe(value jsontext.Value) string {
	switch value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return Quote(Unquote(value))
	}
	return fault.Shorten(string(value))
}
