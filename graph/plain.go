package graph

import (
	"bytes"
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
	buffer, ok := w.(*bytes.Buffer) // as the executor's is
	if !ok {
		buffer = &bytes.Buffer{}
		defer func() { _, _ = buffer.WriteTo(w) }()
	}
	buffer.WriteByte('{')
	for i, value := range o.values {
		if i > 0 {
			buffer.WriteByte(',')
		}
		buffer.WriteByte('"')
		buffer.WriteString(o.fields[i].Alias) // a name, which needs no escape
		buffer.WriteString(`":`)
		value.MarshalGQL(buffer)
	}
	buffer.WriteByte('}')
}
