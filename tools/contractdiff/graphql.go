package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// compareGraphQL describes the changes from one schema to another that break clients, one line each.
func compareGraphQL(from, to *ast.Schema) (breaks []string) {
	for _, name := range slices.Sorted(maps.Keys(from.Types)) {
		was, now := from.Types[name], to.Types[name]
		switch {
		case was.BuiltIn:
		case now == nil:
			breaks = append(breaks, "the type "+name+" was removed")
		case was.Kind != now.Kind:
			breaks = append(breaks, fmt.Sprintf("%s was %s and is %s", name, was.Kind, now.Kind))
		default:
			breaks = slices.Concat(breaks, compareType(was, now))
		}
	}
	return breaks
}

func compareType(was, now *ast.Definition) (breaks []string) {
	for _, value := range was.EnumValues {
		if now.EnumValues.ForName(value.Name) == nil {
			breaks = append(breaks, was.Name+": the value "+value.Name+" was removed"+deprecatedBy(value.Directives))
		}
	}
	for _, kind := range []struct {
		was, now []string
		what     string
	}{{was.Types, now.Types, "is no longer a member"}, {was.Interfaces, now.Interfaces, "is no longer implemented"}} {
		for _, name := range kind.was {
			if !slices.Contains(kind.now, name) {
				breaks = append(breaks, was.Name+": "+name+" "+kind.what)
			}
		}
	}
	if was.Kind == ast.InputObject {
		return slices.Concat(breaks, compareInputs(was.Name+".", was.Fields, now.Fields))
	}
	for _, field := range was.Fields {
		if strings.HasPrefix(field.Name, "__") {
			continue
		}
		breaks = slices.Concat(breaks, compareField(was.Name+"."+field.Name, field, now.Fields.ForName(field.Name)))
	}
	return breaks
}

func compareField(place string, was, now *ast.FieldDefinition) (breaks []string) {
	if now == nil {
		return []string{place + " was removed" + deprecatedBy(was.Directives)}
	}
	if !readable(was.Type, now.Type) {
		breaks = append(breaks, fmt.Sprintf("%s was %s and is %s", place, was.Type, now.Type))
	}
	return slices.Concat(breaks, compareInputs(place+": the argument ", argumentsOf(was), argumentsOf(now)))
}

// argumentsOf returns the arguments of a field as fields of an input object, with which they share the compared parts.
func argumentsOf(field *ast.FieldDefinition) (inputs ast.FieldList) {
	for _, a := range field.Arguments {
		inputs = append(inputs, &ast.FieldDefinition{Name: a.Name, Type: a.Type, DefaultValue: a.DefaultValue, Directives: a.Directives})
	}
	return inputs
}

// compareInputs compares arguments, or fields of an input object. prefix precedes their names in messages.
func compareInputs(prefix string, was, now ast.FieldList) (breaks []string) {
	for _, input := range was {
		place := prefix + input.Name
		changed := now.ForName(input.Name)
		switch {
		case changed == nil:
			breaks = append(breaks, place+" was removed"+deprecatedBy(input.Directives))
		case !writable(input.Type, changed.Type, changed.DefaultValue != nil):
			breaks = append(breaks, fmt.Sprintf("%s was %s and is %s", place, input.Type, changed.Type))
		case required(changed) && !required(input):
			breaks = append(breaks, place+" became required")
		}
	}
	for _, input := range now {
		if was.ForName(input.Name) == nil && required(input) {
			breaks = append(breaks, prefix+input.Name+" is new and required")
		}
	}
	return breaks
}

// readable reports whether clients that read the old type can read the new one. The new type may guarantee more than
// the old one, but not less.
func readable(was, now *ast.Type) bool {
	if was.NonNull && !now.NonNull || was.NamedType != now.NamedType || (was.Elem == nil) != (now.Elem == nil) {
		return false
	}
	return was.Elem == nil || readable(was.Elem, now.Elem)
}

// writable reports whether the new type accepts every value of the old one. A default value replaces an omitted one.
func writable(was, now *ast.Type, hasDefault bool) bool {
	if now.NonNull && !was.NonNull && !hasDefault || was.NamedType != now.NamedType || (was.Elem == nil) != (now.Elem == nil) {
		return false
	}
	return was.Elem == nil || writable(was.Elem, now.Elem, false)
}

func required(input *ast.FieldDefinition) bool {
	return input.Type.NonNull && input.DefaultValue == nil
}

func deprecatedBy(directives ast.DirectiveList) string {
	if directives.ForName("deprecated") != nil {
		return " (it was deprecated)"
	}
	return ""
}
