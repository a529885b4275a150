// Package scalars teaches the executor to read and write the nouns that are scalars and enums of the
// schema, so that the nouns need not know the executor.
package scalars

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/model"
)

// MarshalID writes an ID.
func MarshalID(id catalogue.ID) graphql.Marshaler { return plain(id) }

// UnmarshalID reads an ID; any text is one, those that are not well formed name nothing.
func UnmarshalID(v any) (catalogue.ID, error) {
	text, err := text(v)
	return catalogue.ID(text), err
}

// MarshalReference writes a Ref in its text form.
func MarshalReference(ref catalogue.Ref) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		var buffer [catalogue.IDLength + 24]byte
		b, _ := ref.AppendText(append(buffer[:0], '"'))
		_, _ = w.Write(append(b, '"'))
	})
}

// MarshalReferences writes a list of Refs in their text form.
func MarshalReferences(refs *model.References) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(refs.JSON()) })
}

// UnmarshalReferences refuses: references are never sent in.
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

// MarshalDuration writes ISO 8601.
func MarshalDuration(d catalogue.Duration) graphql.Marshaler { return plain(d.String()) }

// UnmarshalDuration reads ISO 8601.
func UnmarshalDuration(v any) (catalogue.Duration, error) { return parse(v, catalogue.ParseDuration) }

// MarshalDate writes YYYY-MM-DD.
func MarshalDate(d catalogue.Date) graphql.Marshaler { return plain(d.String()) }

// UnmarshalDate reads YYYY-MM-DD.
func UnmarshalDate(v any) (catalogue.Date, error) { return parse(v, catalogue.ParseDate) }

// MarshalDateTime writes ISO 8601 in UTC with microseconds.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	return plain(t.UTC().Format(catalogue.TimestampFormat))
}

// UnmarshalDateTime reads RFC 3339.
func UnmarshalDateTime(v any) (time.Time, error) {
	return parse(v, func(text string) (time.Time, error) {
		t, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return t, fault.InvalidRequest("%q is not a valid timestamp", text)
		}
		return t, nil
	})
}

// LinkWriter writes the links of a resource as one JSON value. The facade brings one that knows
// addresses; without one, the names of the relations are written.
type LinkWriter interface {
	WriteLinks(ctx context.Context, w io.Writer, links model.Links) error
}

type linkWriterKey struct{}

// WithLinkWriter returns a context whose answers show links as the writer writes them.
func WithLinkWriter(ctx context.Context, writer LinkWriter) context.Context {
	return context.WithValue(ctx, linkWriterKey{}, writer)
}

// MarshalLinks writes links through the context's LinkWriter, or the names of those relations that
// the caller may follow.
func MarshalLinks(links model.Links) graphql.ContextMarshaler {
	return graphql.ContextWriterFunc(func(ctx context.Context, w io.Writer) error {
		if writer, ok := ctx.Value(linkWriterKey{}).(LinkWriter); ok {
			return writer.WriteLinks(ctx, w, links)
		}
		return writeNames(ctx, w, links)
	})
}

func writeNames(ctx context.Context, w io.Writer, links model.Links) error {
	var rights account.Permissions
	if caller := account.CallerOf(ctx); caller != nil {
		rights = caller.Permissions
	}
	b, separator := []byte{'['}, ""
	for _, link := range links.List {
		if rights.Has(link.Permission) {
			b = append(append(append(append(b, separator...), '"'), link.Rel...), '"')
			separator = ","
		}
	}
	_, err := w.Write(append(b, ']'))
	return err
}

// UnmarshalLinks refuses: links are never sent in.
func UnmarshalLinks(context.Context, any) (model.Links, error) {
	return model.Links{}, fault.InvalidRequest("links cannot be set")
}

// MarshalFacetMap writes the facets of a document.
func MarshalFacetMap(facets *model.Facets) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(facets.JSON()) })
}

// UnmarshalFacetMap refuses: facets are never sent in.
func UnmarshalFacetMap(any) (*model.Facets, error) {
	return nil, fault.InvalidRequest("facets cannot be set")
}

// MarshalJSON writes a value that is JSON already; an empty one is null.
func MarshalJSON(value jsontext.Value) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		if len(value) == 0 {
			value = jsontext.Value("null")
		}
		_, _ = w.Write(value)
	})
}

// UnmarshalJSON refuses: no field takes any JSON.
func UnmarshalJSON(any) (jsontext.Value, error) {
	return nil, fault.InvalidRequest("JSON cannot be set")
}

// plain writes a text in which there is hardly ever anything that JSON would escape. Where there is,
// because a caller's own text stands where an ID would, it is escaped.
func plain[T ~string](value T) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		if !isPlain(string(value)) {
			graphql.MarshalString(strings.ToValidUTF8(string(value), "\uFFFD")).MarshalGQL(w)
			return
		}
		if out, ok := w.(*bytes.Buffer); ok { // which takes it without a copy on the heap
			out.WriteByte('"')
			out.WriteString(string(value))
			out.WriteByte('"')
			return
		}
		var buffer [64]byte
		_, _ = w.Write(append(append(append(buffer[:0], '"'), value...), '"'))
	})
}

// isPlain reports whether a text stands in JSON as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			return !strings.ContainsFunc(text, needsEscape)
		case c < ' ' || c == '"' || c == '\\':
			return false
		}
	}
	return true
}

// needsEscape also holds for bytes that are no UTF-8.
func needsEscape(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError }

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
