// Package graph is the executor of schema.graphqls, written by tools/graphgen, and what its code for
// plain objects runs on.
package graph

import (
	"bytes"
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// What the code of plain objects (tools/graphgen) stands on. Such an object is written when it is
// resolved, into one buffer with all plain objects within it; so a panic while writing is one while
// resolving, which is recovered. A value that is null against the schema takes the outermost plain
// object with it.

// written is an answer as JSON.
type written struct{ bytes.Buffer }

// typicalField is about what a field of a document takes, in bytes.
const typicalField = 80

func newWritten(fields int) *written {
	w := &written{}
	w.Grow(typicalField * fields)
	return w
}

// MarshalGQL implements graphql.Marshaler.
func (a *written) MarshalGQL(w io.Writer) { _, _ = w.Write(a.Bytes()) }

// within is the context of what a field holds, which says where errors have come from.
func within(ctx context.Context, object string, field *graphql.CollectedField) context.Context {
	return graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: object, Field: *field, IsMethod: true})
}

// writeName begins the member of an object at a place.
func writeName(out *bytes.Buffer, place int, alias string) {
	if place > 0 {
		out.WriteByte(',')
	}
	out.WriteByte('"')
	out.WriteString(alias) // a name, which needs no escape
	out.WriteString(`":`)
}

// nullAgainstSchema reports the error and returns false.
func nullAgainstSchema(ctx context.Context) bool {
	graphql.AddErrorf(ctx, "the requested element is null which the schema does not allow")
	return false
}
