package scalars

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// MarshalEventBody writes the body unchanged.
func MarshalEventBody(body event.Body) graphql.Marshaler { return MarshalJSON([]byte(body)) }

// UnmarshalEventBody accepts any JSON value. The facade passes the bytes that the client sent, which UnmarshalEventBody
// returns unchanged.
func UnmarshalEventBody(v any) (event.Body, error) {
	if body, ok := v.(event.Body); ok {
		return body, nil
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fault.InvalidRequest("the event is no JSON value")
	}
	return body, nil
}

// MarshalMonth writes a month as YYYY-MM.
func MarshalMonth(month usage.Month) graphql.Marshaler { return plain(month.String()) }

// UnmarshalMonth reads a month in the form YYYY-MM.
func UnmarshalMonth(v any) (usage.Month, error) { return parse(v, usage.ParseMonth) }

// MarshalCount writes an integer.
func MarshalCount(n int64) graphql.Marshaler { return graphql.MarshalInt64(n) }

// UnmarshalCount always returns an error: a count is never an input.
func UnmarshalCount(any) (int64, error) { return 0, fault.InvalidRequest("counts cannot be set") }

// MarshalEventKind writes the name of a kind.
func MarshalEventKind(kind event.Kind) graphql.Marshaler { return plain(kind.String()) }

// UnmarshalEventKind reads the name of a kind.
func UnmarshalEventKind(v any) (event.Kind, error) { return parse(v, event.ParseKind) }
