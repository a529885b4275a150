package importline

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/jsonobject"
)

// scope is the state of decoding one line.
type scope struct {
	jsonobject.Reader
	// source is the source of the line's references.
	source string
	// references are the references of the line that are not ids.
	references []reference
}

// The functions below decode one JSON value, which is not null, into a value of a field. If that fails, they record a
// fault and return the zero value.

var (
	text    = (*scope).Text
	boolean = (*scope).Boolean
	whole   = (*scope).Whole
)

// parsed returns a reader from a function that parses texts.
func parsed[V any](parse func(string) (V, error)) func(*scope, jsontext.Value) V {
	return func(s *scope, value jsontext.Value) (v V) {
		if value.Kind() != '"' {
			s.Expected("a text", value)
			return v
		}
		v, err := parse(jsonobject.Unquote(value))
		if err != nil {
			s.Fault("%s", problemOf(err))
		}
		return v
	}
}

// problemOf returns the message of an error of package catalogue, which contains the value, shortened.
func problemOf(err error) string {
	var e *fault.Error
	if errors.As(err, &e) && len(e.Message) <= maxProblemLength {
		return e.Message
	}
	return strings.ToValidUTF8(err.Error()[:min(len(err.Error()), maxProblemLength)], "") + "…"
}

const maxProblemLength = 400

// orEmpty is parsed for fields that may be the empty text.
func orEmpty[V ~string](parse func(string) (V, error)) func(*scope, jsontext.Value) V {
	read := parsed(parse)
	return func(s *scope, value jsontext.Value) V {
		if string(value) == `""` {
			return ""
		}
		return read(s, value)
	}
}

// among parses a value of a closed list, in any case.
func among[V ~string](listed []V) func(string) (V, error) {
	return func(text string) (V, error) {
		for _, v := range listed {
			if strings.EqualFold(string(v), text) {
				return v, nil
			}
		}
		return "", fault.InvalidRequest("%s", fault.NotOneOf(text, listed))
	}
}

// maybe returns a reader of fields that can be nil.
func maybe[V any](read func(*scope, jsontext.Value) V) func(*scope, jsontext.Value) *V {
	return func(s *scope, value jsontext.Value) *V {
		v := read(s, value)
		return &v
	}
}

// duration decodes an ISO 8601 duration or a number of seconds.
func duration(s *scope, value jsontext.Value) catalogue.Duration {
	if value.Kind() != '0' {
		return parsed(catalogue.ParseDuration)(s, value)
	}
	seconds, err := strconv.ParseFloat(string(value), 64)
	if err != nil || seconds < 0 || seconds > float64(catalogue.MaxDuration/catalogue.Second) {
		s.Expected("a number of seconds", value)
		return 0
	}
	d, err := catalogue.ParseDuration("PT" + strconv.FormatFloat(seconds, 'f', 9, 64) + "S")
	if err != nil {
		s.Fault("%s", problemOf(err))
	}
	return d
}

// seconds decodes a time within a video, as duration does.
func seconds(s *scope, value jsontext.Value) catalogue.Millis {
	return catalogue.Millis(duration(s, value))
}

// listOrEmpty returns a reader of lists of scalars or small structs, in which duplicates count once; an empty list is
// not nil.
func listOrEmpty[V comparable](read func(*scope, jsontext.Value) V) func(*scope, jsontext.Value) []V {
	return func(s *scope, value jsontext.Value) []V {
		list := []V{}
		s.Each(value, catalogue.MaxListLength, func(element jsontext.Value) {
			if v := read(s, element); !slices.Contains(list, v) {
				list = append(list, v)
			}
		})
		return list
	}
}

// list is listOrEmpty for fields in which a missing list and an empty one are equal: both are nil, so that two
// spellings of one item have the same content.
func list[V comparable](read func(*scope, jsontext.Value) V) func(*scope, jsontext.Value) []V {
	readList := listOrEmpty(read)
	return func(s *scope, value jsontext.Value) []V {
		if list := readList(s, value); len(list) > 0 {
			return list
		}
		return nil
	}
}

// object decodes a nested object by its table.
func object[T any](fields *table) func(*scope, jsontext.Value) T {
	return func(s *scope, value jsontext.Value) T {
		v, _ := readObject[T](s, fields, value)
		return v
	}
}

// readObject decodes a nested object by its table, and returns which fields were present.
func readObject[T any](s *scope, fields *table, value jsontext.Value) (v T, present fieldSet) {
	if value.Kind() != '{' {
		s.Expected("an object", value)
		return v, 0
	}
	members, wrong := jsonobject.Split(value)
	if wrong != nil {
		s.Add(wrong)
		return v, 0
	}
	present = fields.read(s, &v, members)
	for _, name := range fields.missing(present) {
		s.Enter(name)
		s.Fault("is required")
		s.Leave()
	}
	return v, present
}

// objects returns a reader of lists of nested objects; an empty list is nil.
func objects[T any](fields *table, most int) func(*scope, jsontext.Value) []T {
	read := object[T](fields)
	return func(s *scope, value jsontext.Value) (list []T) {
		s.Each(value, most, func(element jsontext.Value) { list = append(list, read(s, element)) })
		return list
	}
}

// referenceTo decodes a reference to another item: its id, its reference in the line's source, or {"source": …, "ref":
// …}.
func referenceTo(kind catalogue.Kind) func(*scope, jsontext.Value) catalogue.ID {
	return func(s *scope, value jsontext.Value) catalogue.ID {
		source, ref := s.source, ""
		switch value.Kind() {
		case '"':
			if ref = jsonobject.Unquote(value); catalogue.ID(ref).Valid() {
				return catalogue.ID(ref)
			}
		case '{':
			sound := s.Sound()
			named := object[foreign](foreignFields)(s, value)
			if !sound() {
				return ""
			}
			source, ref = cmp.Or(named.source, s.source), named.ref
		default:
			s.Expected("an id, a reference or {\"source\": …, \"ref\": …}", value)
			return ""
		}
		if strings.TrimSpace(ref) == "" || len(ref) > MaxReferenceLength || len(source) > MaxSourceLength {
			s.Fault("%s is not a reference", jsonobject.Quote(ref))
			return ""
		}
		id := catalogue.DeriveID(kind, source, ref)
		s.references = append(s.references, reference{id, kind, source, ref})
		return id
	}
}

// foreign is a reference to an item of another source.
type foreign struct{ source, ref string }

var foreignFields = newTable(
	at("source", optional, func(f *foreign) *string { return &f.source }, text),
	at("ref", required, func(f *foreign) *string { return &f.ref }, text),
)
