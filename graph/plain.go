package graph

import (
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// plainObject is the answer of an object whose fields are all there at once (tools/graphgen).
type plainObject struct {
	fields []graphql.CollectedField
	values []graphql.Marshaler
}

func newPlainObject(fields []graphql.CollectedField) *plainObject {
	return &plainObject{fields: fields, values: make([]graphql.Marshaler, len(fields))}
}

// MarshalGQL implements graphql.Marshaler.
func (o *plainObject) MarshalGQL(w io.Writer) {
	start := `{"`
	for i, value := range o.values {
		_, _ = io.WriteString(w, start)
		_, _ = io.WriteString(w, o.fields[i].Alias) // a name, which needs no escape
		_, _ = io.WriteString(w, `":`)
		value.MarshalGQL(w)
		start = `,"`
	}
	if len(o.values) == 0 {
		_, _ = io.WriteString(w, "{")
	}
	_, _ = io.WriteString(w, "}")
}
