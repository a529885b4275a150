package catalogue

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Held is a field that was changed over GraphQL, so imports do not overwrite it.
type Held struct {
	// Field is the field's name in import lines.
	Field string `json:"field"`
	// Imported is the latest value that an import did not apply, in JSON; nil: no import brought another value, or it was
	// larger than MaxHeldValue.
	Imported json.RawMessage `json:"imported,omitempty"`
}

// Holds reports whether imports do not overwrite a field.
func (m *Meta) Holds(field string) bool {
	return slices.ContainsFunc(m.Held, func(held Held) bool { return held.Field == field })
}

// MaxHeldValue is the maximum size of Held.Imported in bytes.
const MaxHeldValue = 4 << 10

var heldMember = []byte(`{"held":`)

// WithoutHeld returns the JSON encoding of an item without its held fields.
func WithoutHeld(body []byte) []byte {
	list, found := bytes.CutPrefix(body, heldMember) // Meta is the first field of every item
	if !found {
		return body
	}
	decoder := json.NewDecoder(bytes.NewReader(list))
	var held json.RawMessage
	if err := decoder.Decode(&held); err != nil {
		return body
	}
	return append([]byte{'{'}, bytes.TrimPrefix(list[decoder.InputOffset():], []byte{','})...)
}
