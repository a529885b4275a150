package endpoint

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// endlessNumber returns a number of a query that does not fit int64 or float64, at which gqlparser panics when it
// computes the complexity; nil if there is none.
func endlessNumber(document *ast.QueryDocument) *ast.Value {
	var found numbers
	for _, operation := range document.Operations {
		for _, variable := range operation.VariableDefinitions {
			found.value(variable.DefaultValue)
			found.directives(variable.Directives)
		}
		found.directives(operation.Directives)
		found.selection(operation.SelectionSet)
	}
	for _, fragment := range document.Fragments {
		found.directives(fragment.Directives)
		found.selection(fragment.SelectionSet)
	}
	return found.endless
}

// numbers searches a query for a number that is out of range.
type numbers struct{ endless *ast.Value }

func (n *numbers) selection(set ast.SelectionSet) {
	for _, one := range set {
		switch one := one.(type) {
		case *ast.Field:
			n.arguments(one.Arguments)
			n.directives(one.Directives)
			n.selection(one.SelectionSet)
		case *ast.InlineFragment:
			n.directives(one.Directives)
			n.selection(one.SelectionSet)
		case *ast.FragmentSpread:
			n.directives(one.Directives)
		}
	}
}

func (n *numbers) directives(directives ast.DirectiveList) {
	for _, directive := range directives {
		n.arguments(directive.Arguments)
	}
}

func (n *numbers) arguments(arguments ast.ArgumentList) {
	for _, argument := range arguments {
		n.value(argument.Value)
	}
}

func (n *numbers) value(value *ast.Value) {
	if value == nil {
		return
	}
	var err error
	switch value.Kind {
	case ast.IntValue:
		_, err = strconv.ParseInt(value.Raw, 10, 64)
	case ast.FloatValue:
		_, err = strconv.ParseFloat(value.Raw, 64)
	}
	if err != nil && n.endless == nil {
		n.endless = value
	}
	for _, child := range value.Children {
		n.value(child.Value)
	}
}
