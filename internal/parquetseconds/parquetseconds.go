// Package parquetseconds declares columns of Parquet files that store milliseconds and that readers see as seconds. Tags
// of a struct cannot declare decimals for optional columns.
package parquetseconds

import (
	"slices"

	"github.com/parquet-go/parquet-go"
)

// SchemaOf returns the schema of the rows of a struct, in which the named columns are decimals with three fractional
// digits.
func SchemaOf(name string, row any, columns ...string) *parquet.Schema {
	return parquet.NewSchema(name, rows{parquet.SchemaOf(row), columns})
}

type rows struct {
	parquet.Node
	columns []string
}

// Fields implements parquet.Node.
func (r rows) Fields() []parquet.Field {
	fields := r.Node.Fields()
	for i, field := range fields {
		if slices.Contains(r.columns, field.Name()) {
			fields[i] = seconds{field}
		}
	}
	return fields
}

type seconds struct{ parquet.Field }

// Type implements parquet.Node.
func (seconds) Type() parquet.Type { return parquet.Decimal(3, 18, parquet.Int64Type).Type() }
