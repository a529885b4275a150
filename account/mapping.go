package account

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Mapping says what import line a record of a table becomes. Columns that no field names are ignored.
type Mapping struct {
	// Kind is the kind of all lines, and Source their source; "": the default of import lines.
	Kind   catalogue.Kind `json:"kind"`
	Source string         `json:"source,omitempty"`
	Fields []ImportField  `json:"fields"`
}

// ImportField is one field of import lines.
type ImportField struct {
	// Field is the name of the field; that of a nested field is a path such as playback.duration.
	Field string `json:"field"`
	// Column is the name of the column that has the value. Where it is empty, and without a column, the value is
	// Constant; without that, lines omit the field.
	Column   string `json:"column,omitempty"`
	Constant string `json:"constant,omitempty"`
	// Separator separates the values of a list; "": there is one value.
	Separator string `json:"separator,omitempty"`
}

// Bounds of a mapping. Lengths are in characters.
const (
	maxImportFields    = 100
	maxImportName      = 200
	maxImportConstant  = 2_000
	maxImportSeparator = 5
)

// Validate checks everything except that the kind has the fields.
func (m *Mapping) Validate() fault.FieldErrors {
	var f faults
	f.Line("kind", string(m.Kind), 1, maxImportName)
	f.Line("source", m.Source, 0, maxImportName)
	f.Length("fields", len(m.Fields), maxImportFields)
	met := map[string]bool{}
	for i, field := range m.Fields {
		at := fmt.Sprintf("fields[%d].", i)
		f.Line(at+"field", field.Field, 1, maxImportName)
		f.Line(at+"column", field.Column, 0, maxImportName)
		f.Text(at+"constant", field.Constant, 0, maxImportConstant)
		f.Text(at+"separator", field.Separator, 0, maxImportSeparator)
		switch {
		case met[field.Field]:
			f.Add(at+"field", "%q occurs twice", fault.Shorten(field.Field))
		case field.Column == "" && field.Constant == "":
			f.Add(at+"column", "is required where there is no constant")
		}
		met[field.Field] = true
	}
	return f.List()
}

// ImportMapping is a Mapping that operators saved under a name.
type ImportMapping struct {
	// ID follows from the name.
	ID string `json:"id"`
	Meta
	Name string `json:"name"`
	Mapping
}

// NewImportMapping returns a mapping with a name and without fields. Names that differ only in case, accents or spaces
// are one name.
func NewImportMapping(name string) *ImportMapping {
	sum := sha256.Sum256([]byte(NameOf(string(KindImportMapping), catalogue.FoldName(name))))
	return &ImportMapping{ID: hex.EncodeToString(sum[:])[:catalogue.IDLength], Name: name}
}

// Key returns the key of the mapping.
func (m *ImportMapping) Key() EntityKey { return EntityKey{KindImportMapping, m.ID} }

// Validate checks everything except that the kind has the fields.
func (m *ImportMapping) Validate() fault.FieldErrors {
	var f faults
	f.id("id", m.ID)
	f.Line("name", m.Name, 1, MaxNameLength)
	f.Append(m.Mapping.Validate())
	return f.List()
}

// Redacted returns the mapping itself, which contains no secrets.
func (m *ImportMapping) Redacted() Entity { return m }
