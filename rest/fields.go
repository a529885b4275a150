package rest

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/jsonobject"
)

// reader reads a value other than null as the value of a GraphQL variable, and records in the state what is wrong with it.
type reader func(in *jsonobject.Reader, value jsontext.Value) any

// field is a member of a JSON object in a body. Endpoints ignore members that they do not list.
type field struct {
	name     string
	read     reader
	required bool
	// skips reports whether a value counts as a member that is not listed.
	skips func(jsontext.Value) bool
}

func optional(name string, read reader) field { return field{name: name, read: read} }
func required(name string, read reader) field { return field{name: name, read: read, required: true} }

// maxObjectBody limits the body of an endpoint that takes an object, in bytes.
const maxObjectBody = 1 << 20

// readObject reads a body that is one JSON object. The result holds the fields that are present; null becomes nil.
func readObject(r *http.Request, fields []field) (map[string]any, error) {
	return readObjectOf(r, maxObjectBody, fields)
}

// readObjectOf is readObject for a body of at most so many bytes.
func readObjectOf(r *http.Request, most int, fields []field) (map[string]any, error) {
	text, err := readBody(r, most)
	if err != nil {
		return nil, err
	}
	var in jsonobject.Reader
	values, _ := readFields(&in, fields, text)
	if len(in.Faults) > 0 {
		return nil, invalidBody(in.Faults)
	}
	return values, nil
}

// readOptionalObject is like readObject, but returns an empty object for a request without a body.
func readOptionalObject(r *http.Request, fields []field) (map[string]any, error) {
	if isWithoutBody(r) {
		return map[string]any{}, nil
	}
	return readObject(r, fields)
}

// invalidBody returns the error for the faults of a body.
func invalidBody(faults fault.FieldErrors) error {
	for _, one := range faults {
		if one.Field == "" {
			return fault.InvalidRequest("the body %s", one.Problem)
		}
	}
	invalid := fault.InvalidRequest("%s", faults.Error())
	invalid.Reasons = faults.Reasons()
	return invalid
}

// readFields reads the fields of an object, in their order, and returns its other members too.
func readFields(in *jsonobject.Reader, fields []field, object jsontext.Value) (values map[string]any, others []jsonobject.Member) {
	members, wrong := jsonobject.Split(object)
	if wrong != nil {
		in.Add(wrong)
		return nil, nil
	}
	values = make(map[string]any, len(fields)+1)
	for _, field := range fields {
		i := slices.IndexFunc(members, func(m jsonobject.Member) bool {
			return m.Name == field.name && (field.skips == nil || !field.skips(m.Value))
		})
		in.Enter(field.name)
		switch {
		case field.required && (i < 0 || members[i].Value.Kind() == 'n'):
			in.Fault("is required")
		case i < 0:
		case members[i].Value.Kind() == 'n':
			values[field.name] = nil
		default:
			values[field.name] = field.read(in, members[i].Value)
		}
		in.Leave()
		if i >= 0 {
			members = slices.Delete(members, i, i+1)
		}
	}
	return values, members
}

// anObject reads an object with these fields into a map.
func anObject(fields ...field) reader {
	return func(in *jsonobject.Reader, value jsontext.Value) any {
		if value.Kind() != '{' {
			in.Expected("an object", value)
			return map[string]any{}
		}
		values, _ := readFields(in, fields, value)
		return values
	}
}

// maxElements is the maximum length of a list in a body.
const maxElements = 10_000

// aList reads a list without null elements.
func aList(read reader) reader {
	return func(in *jsonobject.Reader, value jsontext.Value) any {
		values := []any{}
		in.Each(value, maxElements, func(element jsontext.Value) { values = append(values, read(in, element)) })
		return values
	}
}

func aText(in *jsonobject.Reader, value jsontext.Value) any    { return in.Text(value) }
func aBoolean(in *jsonobject.Reader, value jsontext.Value) any { return in.Boolean(value) }
func anInteger(in *jsonobject.Reader, value jsontext.Value) any {
	return int64(in.Whole(value))
}
func aNumber(in *jsonobject.Reader, value jsontext.Value) any { return in.Number(value) }

// aChoice reads a string and converts it with parse.
func aChoice[T ~string](parse func(string) (T, error)) reader {
	return func(in *jsonobject.Reader, value jsontext.Value) any {
		sound := in.Sound()
		parsed, err := parse(in.Text(value))
		if err != nil && sound() {
			in.Fault("%s", err)
		}
		return string(parsed)
	}
}
