// Package scalars converts the scalars and enums of the schema between domain types and GraphQL, so that the domain
// packages do not depend on the executor.
package scalars

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/model"
)

// MarshalID writes an ID.
func MarshalID(id catalogue.ID) graphql.Marshaler { return plain(id) }

// UnmarshalID reads an ID. It accepts any string; an ID that is not well formed identifies no object.
func UnmarshalID(v any) (catalogue.ID, error) {
	text, err := text(v)
	return catalogue.ID(text), err
}

// MarshalReference writes a Ref in text form.
func MarshalReference(ref catalogue.Ref) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		var buffer [catalogue.IDLength + 24]byte
		b, _ := ref.AppendText(append(buffer[:0], '"'))
		_, _ = w.Write(append(b, '"'))
	})
}

// MarshalReferences writes a list of Refs in text form.
func MarshalReferences(refs *model.References) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		var free []byte
		if buffer, ok := w.(*bytes.Buffer); ok { // the references of a feed page have 35 KB
			free = buffer.AvailableBuffer()
		}
		_, _ = w.Write(refs.AppendJSON(free))
	})
}

// UnmarshalReferences always returns an error: references are never an input.
func UnmarshalReferences(any) (*model.References, error) {
	return nil, fault.InvalidRequest("references cannot be set")
}

// UnmarshalReference reads the text form of a Ref.
func UnmarshalReference(v any) (catalogue.Ref, error) {
	text, err := text(v)
	if err != nil {
		return catalogue.Ref{}, err
	}
	ref, ok := catalogue.ParseRef(text)
	if !ok {
		return catalogue.Ref{}, fault.InvalidRequest("%q is not a reference", text)
	}
	return ref, nil
}

// MarshalDuration writes a duration in ISO 8601 format.
func MarshalDuration(d catalogue.Duration) graphql.Marshaler { return plain(d.String()) }

// UnmarshalDuration reads a duration in ISO 8601 format.
func UnmarshalDuration(v any) (catalogue.Duration, error) { return parse(v, catalogue.ParseDuration) }

// MarshalDate writes a date as YYYY-MM-DD.
func MarshalDate(d catalogue.Date) graphql.Marshaler { return plain(d.String()) }

// UnmarshalDate reads a date in the form YYYY-MM-DD.
func UnmarshalDate(v any) (catalogue.Date, error) { return parse(v, catalogue.ParseDate) }

// MarshalDateTime writes a time in ISO 8601 format, in UTC with microseconds.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	return plain(t.UTC().Format(catalogue.TimestampFormat))
}

// UnmarshalDateTime reads a time in RFC 3339 format.
func UnmarshalDateTime(v any) (time.Time, error) {
	return parse(v, func(text string) (time.Time, error) {
		t, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return t, fault.InvalidRequest("%q is not a valid timestamp", text)
		}
		return t, nil
	})
}

// LinkWriter writes the links of a resource as one JSON value. The facade supplies a LinkWriter that knows addresses.
// Without one, the names of the relations are written.
type LinkWriter interface {
	WriteLinks(ctx context.Context, w io.Writer, links model.Links) error
}

type linkWriterKey struct{}

// WithLinkWriter returns a context in which writer writes the links of answers.
func WithLinkWriter(ctx context.Context, writer LinkWriter) context.Context {
	return context.WithValue(ctx, linkWriterKey{}, writer)
}

// MarshalLinks writes links through the context's LinkWriter. Without one, it writes the names of the relations that
// the caller has permission to follow.
func MarshalLinks(links model.Links) graphql.ContextMarshaler {
	return graphql.ContextWriterFunc(func(ctx context.Context, w io.Writer) error {
		if writer, ok := ctx.Value(linkWriterKey{}).(LinkWriter); ok {
			return writer.WriteLinks(ctx, w, links)
		}
		return writeNames(ctx, w, links)
	})
}

func writeNames(ctx context.Context, w io.Writer, links model.Links) error {
	var permissions account.Permissions
	if caller := account.CallerOf(ctx); caller != nil {
		permissions = caller.Permissions
	}
	b, separator := []byte{'['}, ""
	for _, link := range links.List {
		if permissions.Has(link.Permission) {
			b = append(append(append(append(b, separator...), '"'), link.Rel...), '"')
			separator = ","
		}
	}
	_, err := w.Write(append(b, ']'))
	return err
}

// UnmarshalLinks always returns an error: links are never an input.
func UnmarshalLinks(context.Context, any) (model.Links, error) {
	return model.Links{}, fault.InvalidRequest("links cannot be set")
}

// MarshalFacetMap writes the facets of a search as one JSON object.
func MarshalFacetMap(facets *model.Facets) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(facets.JSON()) })
}

// UnmarshalFacetMap always returns an error: facets are never an input.
func UnmarshalFacetMap(any) (*model.Facets, error) {
	return nil, fault.InvalidRequest("facets cannot be set")
}

// MarshalJSON writes a JSON value unchanged. It writes null for an empty value.
func MarshalJSON(value jsontext.Value) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		if len(value) == 0 {
			value = jsontext.Value("null")
		}
		_, _ = w.Write(value)
	})
}

// UnmarshalJSON reads any value.
func UnmarshalJSON(v any) (jsontext.Value, error) {
	if value, ok := v.(jsontext.Value); ok { // of the façade
		return value, nil
	}
	value, err := json.Marshal(v)
	if err != nil {
		return nil, fault.InvalidRequest("%T is not a JSON value", v)
	}
	return value, nil
}

// plain writes a string, which may contain any bytes, for example in an ID that comes from a caller.
func plain[T ~string](value T) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		var space []byte
		if out, ok := w.(*bytes.Buffer); ok {
			space = out.AvailableBuffer() // so that the text needs no copy on the heap
		}
		quoted, _ := jsontext.AppendQuote(space, value) // the error says that it replaced bytes that are not UTF-8
		_, _ = w.Write(quoted)
	})
}

func text(v any) (string, error) {
	if text, ok := v.(string); ok {
		return text, nil
	}
	return "", fault.InvalidRequest("%s is not a string", fmt.Sprint(v))
}

func parse[T any](v any, parse func(string) (T, error)) (T, error) {
	text, err := text(v)
	if err != nil {
		var zero T
		return zero, err
	}
	return parse(text)
}
