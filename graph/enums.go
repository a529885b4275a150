package graph

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/fault"
)

// DescribeEnumError returns the message of an error with the values that are valid, if it says of a value that an enum of
// the schema lacks it, as generated enums do ("X is not a valid Visibility"). It returns other messages unchanged.
func DescribeEnumError(schema *ast.Schema, message string) string {
	value, name, found := strings.Cut(message, " is not a valid ")
	enum := schema.Types[name]
	if !found || enum == nil || enum.Kind != ast.Enum {
		return message
	}
	values := make([]string, len(enum.EnumValues))
	for i, one := range enum.EnumValues {
		values[i] = one.Name
	}
	return fault.NotOneOf(value, values)
}
