package endpoint

import (
	"context"
	"reflect"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// deprecated holds the deprecated fields of objects and inputs, and the fields with deprecated values.
type deprecated struct {
	schema *ast.Schema
	items  map[*ast.FieldDefinition]*deprecation.Item
}

func deprecatedIn(schema *ast.Schema) deprecated {
	found := deprecated{schema: schema, items: map[*ast.FieldDefinition]*deprecation.Item{}}
	for name, kind := range schema.Types {
		for _, field := range kind.Fields {
			if item := deprecation.OfField(name, field.Name); item != nil {
				found.items[field] = item
			}
		}
	}
	return found
}

// note records the deprecated items that an operation uses: fields that it selects, and input fields that it sets.
func (d deprecated) note(ctx context.Context, operation *graphql.OperationContext) {
	w := usesOf{deprecated: d, ctx: ctx, variables: operation.Variables, seen: map[string]bool{}}
	w.selection(operation.Operation.SelectionSet)
}

// usesOf searches one operation. It visits each fragment once.
type usesOf struct {
	deprecated
	ctx       context.Context
	variables map[string]any
	seen      map[string]bool // fragments
}

func (w *usesOf) selection(set ast.SelectionSet) {
	for _, one := range set {
		switch one := one.(type) {
		case *ast.Field:
			if w.skipped(one.Directives) || one.Definition == nil {
				continue
			}
			w.value(one.Definition, nil)
			w.arguments(one)
			w.selection(one.SelectionSet)
		case *ast.InlineFragment:
			if !w.skipped(one.Directives) {
				w.selection(one.SelectionSet)
			}
		case *ast.FragmentSpread:
			if !w.skipped(one.Directives) && !w.seen[one.Name] && one.Definition != nil {
				w.seen[one.Name] = true
				w.selection(one.Definition.SelectionSet)
			}
		}
	}
}

// skipped reports whether @skip or @include leaves out a selection.
func (w *usesOf) skipped(directives ast.DirectiveList) bool {
	for _, directive := range directives {
		if directive.Name == "skip" || directive.Name == "include" {
			if when, ok := directive.ArgumentMap(w.variables)["if"].(bool); ok && when == (directive.Name == "skip") {
				return true
			}
		}
	}
	return false
}

func (w *usesOf) arguments(field *ast.Field) {
	if len(field.Arguments) == 0 {
		return
	}
	given := field.ArgumentMap(w.variables)
	for _, argument := range field.Definition.Arguments {
		w.input(argument.Type, given[argument.Name])
	}
}

// input searches an input value.
func (w *usesOf) input(of *ast.Type, value any) {
	if of.Elem != nil {
		for _, one := range elements(value) {
			w.input(of.Elem, one)
		}
	}
	kind := w.schema.Types[of.Name()]
	fields, ok := value.(map[string]any)
	if !ok || kind == nil || kind.Kind != ast.InputObject {
		return
	}
	for _, field := range kind.Fields {
		if given := fields[field.Name]; given != nil {
			w.value(field, given)
			w.input(field.Type, given)
		}
	}
}

// elements returns the elements of a list of any Go type, or nil.
func elements(value any) []any {
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice {
		return nil
	}
	all := make([]any, list.Len())
	for i := range all {
		all[i] = list.Index(i).Interface()
	}
	return all
}

// value records the use of a field with a value.
func (w *usesOf) value(field *ast.FieldDefinition, given any) {
	item := w.items[field]
	if item != nil && (!item.ByValue || holdsName(given)) {
		deprecation.Note(w.ctx, item)
	}
}

// holdsName reports whether a string, or a string in a list, is a deprecated value.
func holdsName(value any) bool {
	text, _ := value.(string)
	return deprecation.IsName(text) || slices.ContainsFunc(elements(value), holdsName)
}
