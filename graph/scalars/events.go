package scalars

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// MarshalEventBody writes the value as it is.
func MarshalEventBody(body event.Body) graphql.Marshaler { return MarshalJSON([]byte(body)) }

// UnmarshalEventBody takes any JSON value. The facade hands over the bytes that the client sent.
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

// MarshalMonth writes YYYY-MM.
func MarshalMonth(month usage.Month) graphql.Marshaler { return plain(month.String()) }

// UnmarshalMonth reads YYYY-MM.
func UnmarshalMonth(v any) (usage.Month, error) { return parse(v, usage.ParseMonth) }

// MarshalCount writes a whole number.
func MarshalCount(n int64) graphql.Marshaler { return graphql.MarshalInt64(n) }

// UnmarshalCount refuses: counts are never sent in.
func UnmarshalCount(any) (int64, error) { return 0, fault.InvalidRequest("counts cannot be set") }

// MarshalEventKind writes a kind's name.
func MarshalEventKind(kind event.Kind) graphql.Marshaler { return plain(kind.String()) }

// UnmarshalEventKind reads a kind's name.
func UnmarshalEventKind(v any) (event.Kind, error) { return parse(v, event.ParseKind) }
