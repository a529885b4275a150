package endpoint

import (
	"context"
	"math"
	"strings"

	"github.com/99designs/gqlgen/complexity"
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// limits refuses operations that are too deep or too large, and introspection where it is off. It measures each
// selection once, however often fragments are used, and sets the literal events; only then does it compute the
// complexity, which expands fragments.
type limits struct {
	schema            graphql.ExecutableSchema
	complexity, depth int
	introspection     bool
}

// ExtensionName implements graphql.HandlerExtension.
func (limits) ExtensionName() string { return "Limits" }

// Validate implements graphql.HandlerExtension.
func (limits) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (l limits) MutateOperationContext(ctx context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	m := measuring{fragments: map[*ast.FragmentDefinition]extent{}, variables: operation.Variables}
	found := m.selection(operation.Operation.SelectionSet)
	switch {
	case m.fault != nil:
		return m.fault
	case found.schemaDepth > 0 && !l.introspection:
		return coded(codeValidation, "introspection is switched off")
	case found.depth > l.depth:
		return tooDeep(found.depth, l.depth)
	case found.schemaDepth > maxIntrospectionDepth:
		return tooDeep(found.schemaDepth, maxIntrospectionDepth)
	case found.fields > l.complexity:
		return tooComplex(found.fields, l.complexity)
	}
	weight := added(complexity.Calculate(ctx, l.schema, operation.Operation, operation.Variables), rootFields(operation.Operation.SelectionSet)*rootWeight)
	if weight > l.complexity {
		return tooComplex(weight, l.complexity)
	}
	return nil
}

func tooDeep(depth, limit int) *gqlerror.Error {
	return coded(codeDepth, "the operation is %d fields deep, at most %d are allowed", depth, limit)
}

func tooComplex(weight, limit int) *gqlerror.Error {
	return coded(codeComplexity, "the operation has a complexity of %d, at most %d are allowed: ask for fewer fields or smaller pages", weight, limit)
}

// extent is the size of a selection.
type extent struct {
	// depth is the nesting of fields, without those of introspection.
	depth int
	// schemaDepth is the nesting of introspection fields; 0: there are none.
	schemaDepth int
	// fields is the number of fields with every fragment expanded. The complexity is never lower.
	fields int
}

const (
	// introspectionWeight is the weight of an introspection field, which gqlgen's complexity leaves out.
	introspectionWeight = 20_000
	// rootWeight is added for each field of Query or Mutation, because each may read the store.
	rootWeight = 500
	// maxIntrospectionDepth is the depth of GraphiQL's query. Types nest in lists and non-nulls, so introspection goes
	// deeper than any query for the catalogue.
	maxIntrospectionDepth = 15
)

// rootFields counts the root fields of an operation, including those of fragments.
func rootFields(selection ast.SelectionSet) (count int) {
	for _, selected := range selection {
		switch selected := selected.(type) {
		case *ast.Field:
			count++
		case *ast.InlineFragment:
			count += rootFields(selected.SelectionSet)
		case *ast.FragmentSpread:
			count += rootFields(selected.Definition.SelectionSet)
		}
	}
	return count
}

// measuring measures each fragment once. Validation has refused fragments that contain themselves.
type measuring struct {
	fragments map[*ast.FragmentDefinition]extent
	variables map[string]any
	fault     *gqlerror.Error
}

func (m *measuring) selection(selection ast.SelectionSet) (sum extent) {
	for _, selected := range selection {
		switch selected := selected.(type) {
		case *ast.Field:
			sum = sum.and(m.field(selected))
		case *ast.InlineFragment:
			sum = sum.and(m.selection(selected.SelectionSet))
		case *ast.FragmentSpread:
			sum = sum.and(m.fragment(selected.Definition))
		}
	}
	return sum
}

func (m *measuring) field(field *ast.Field) extent {
	e := m.selection(field.SelectionSet)
	e.depth, e.fields = e.depth+1, added(e.fields, 1)
	if strings.HasPrefix(field.Name, "__") && len(field.SelectionSet) > 0 { // not __typename
		e = extent{schemaDepth: e.depth, fields: added(e.fields, introspectionWeight)}
	}
	return e
}

func (m *measuring) fragment(definition *ast.FragmentDefinition) extent {
	if known, ok := m.fragments[definition]; ok {
		return known
	}
	e := m.selection(definition.SelectionSet)
	m.fragments[definition] = e
	return e
}

func (e extent) and(other extent) extent {
	return extent{
		depth: max(e.depth, other.depth), schemaDepth: max(e.schemaDepth, other.schemaDepth),
		fields: added(e.fields, other.fields),
	}
}

// added returns a+b, or the largest int on overflow, which 64 fragments that each double the size reach.
func added(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// namesakes returns the most frequent response name or fragment of a query, and its count.
func namesakes(document *ast.QueryDocument) (name string, count int) {
	counts := map[string]int{}
	for _, operation := range document.Operations {
		countNames(operation.SelectionSet, 1, counts)
	}
	for _, fragment := range document.Fragments {
		countNames(fragment.SelectionSet, 1, counts)
	}
	for one, n := range counts {
		if n > count || n == count && one < name {
			name, count = one, n
		}
	}
	return name, count
}

// countNames counts fields and uses of fragments by name. Validation compares selections once more for each inline
// fragment around them, so they count that often.
func countNames(selection ast.SelectionSet, times int, counts map[string]int) {
	for _, selected := range selection {
		switch selected := selected.(type) {
		case *ast.Field:
			counts[selected.Alias] += times
			countNames(selected.SelectionSet, times, counts)
		case *ast.InlineFragment:
			countNames(selected.SelectionSet, times+1, counts)
		case *ast.FragmentSpread:
			counts["..."+selected.Name] += times
		}
	}
}
