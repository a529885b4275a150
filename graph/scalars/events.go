package scalars

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// MarshalSeconds writes a number of seconds.
func MarshalSeconds(t event.Milliseconds) graphql.Marshaler {
	return MarshalJSON(event.AppendSeconds(nil, int64(t)))
}

// UnmarshalSeconds reads a number of seconds. The numbers of variables keep their digits; gqlparser has read those of a
// query as float64, whose shortest decimal form counts.
func UnmarshalSeconds(v any) (event.Milliseconds, error) {
	if seconds, ok := v.(event.Milliseconds); ok { // of the façade, which names the field of a wrong number
		return seconds, nil
	}
	text, err := json.Marshal(v)
	switch v.(type) {
	case json.Number, int64, float64:
		if err == nil {
			return event.ParseSeconds(text)
		}
	}
	return 0, fault.InvalidRequest("%s is not a number of seconds", fault.Shorten(string(text)))
}

// MarshalMonth writes a month as YYYY-MM.
func MarshalMonth(month usage.Month) graphql.Marshaler { return plain(month.String()) }

// UnmarshalMonth reads a month in the form YYYY-MM.
func UnmarshalMonth(v any) (usage.Month, error) { return parse(v, usage.ParseMonth) }

// MarshalDecimal writes a decimal as a string.
func MarshalDecimal(d billing.Decimal) graphql.Marshaler { return plain(d.String()) }

// UnmarshalDecimal reads a decimal from a string.
func UnmarshalDecimal(v any) (billing.Decimal, error) { return parse(v, billing.ParseDecimal) }

// MarshalCount writes an integer.
func MarshalCount(n int64) graphql.Marshaler { return graphql.MarshalInt64(n) }

// UnmarshalCount always returns an error: a count is never an input.
func UnmarshalCount(any) (int64, error) { return 0, fault.InvalidRequest("counts cannot be set") }

// MarshalEventKind writes the name of a kind.
func MarshalEventKind(kind event.Kind) graphql.Marshaler { return plain(kind.String()) }

// UnmarshalEventKind reads the name of a kind.
func UnmarshalEventKind(v any) (event.Kind, error) { return parse(v, event.ParseKind) }
