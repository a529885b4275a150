package graph

import (
	"context"
	"reflect"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/filmstrip/filmstrip/fault"
)

// ExactEnums is an extension of executors. It refuses a variable whose value differs from that of an enum in case, which
// gqlparser accepts. Fields may rely on it, because gqlgen does not check the enums that are strings of the domain.
type ExactEnums struct{ schema *ast.Schema }

// ExtensionName implements graphql.HandlerExtension.
func (*ExactEnums) ExtensionName() string { return "ExactEnums" }

// Validate implements graphql.HandlerExtension.
func (e *ExactEnums) Validate(schema graphql.ExecutableSchema) error {
	e.schema = schema.Schema()
	return nil
}

// MutateOperationContext implements graphql.OperationContextMutator.
func (e *ExactEnums) MutateOperationContext(_ context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	for _, one := range operation.Operation.VariableDefinitions {
		path := ast.Path{ast.PathName("variable"), ast.PathName(one.Variable)}
		if problem := e.check(path, one.Type, reflect.ValueOf(operation.Variables[one.Variable])); problem != nil {
			errcode.Set(problem, errcode.ValidationFailed)
			return problem
		}
	}
	return nil
}

// check checks a value that gqlparser has accepted.
func (e *ExactEnums) check(path ast.Path, of *ast.Type, value reflect.Value) (problem *gqlerror.Error) {
	if value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	switch kind := e.schema.Types[of.NamedType]; {
	case of.Elem != nil && value.Kind() == reflect.Slice:
		for i := 0; i < value.Len() && problem == nil; i++ {
			problem = e.check(append(path, ast.PathIndex(i)), of.Elem, value.Index(i))
		}
	case of.Elem != nil || !value.IsValid(): // null or absent
	case kind.Kind == ast.InputObject:
		for i := 0; i < len(kind.Fields) && problem == nil; i++ {
			field := kind.Fields[i]
			problem = e.check(append(path, ast.PathName(field.Name)), field.Type, value.MapIndex(reflect.ValueOf(field.Name)))
		}
	case kind.Kind == ast.Enum && kind.EnumValues.ForName(value.String()) == nil:
		problem = gqlerror.ErrorPathf(path, "%s is not a valid %s", value, kind.Name)
	}
	return problem
}

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
