package endpoint

import (
	stdjson "encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/event"
)

// Numbers of events that a query holds as literals would lose digits, because gqlparser converts them to float64. When
// a query is cached, variables of the endpoint replace these literals, and each request sets them to the literals as
// JSON. Defaults of the query's own variables are left to gqlparser.

// eventType is the scalar for events.
const eventType = "EventBody"

// setAside replaces the literal events of a validated query by variables. A space in their names, which GraphQL forbids,
// keeps them apart from the query's own.
func setAside(document *ast.QueryDocument) {
	aside := 0
	for _, operation := range document.Operations {
		setAsideIn(operation.SelectionSet, &aside)
	}
	for _, fragment := range document.Fragments {
		setAsideIn(fragment.SelectionSet, &aside)
	}
}

func setAsideIn(set ast.SelectionSet, aside *int) {
	for _, one := range set {
		switch one := one.(type) {
		case *ast.Field:
			for _, argument := range one.Arguments {
				if isLiteralEvent(argument.Value) {
					*aside++
					argument.Value = standIn(" event "+strconv.Itoa(*aside), argument.Value)
				}
			}
			setAsideIn(one.SelectionSet, aside)
		case *ast.InlineFragment:
			setAsideIn(one.SelectionSet, aside)
		}
	}
}

func isLiteralEvent(value *ast.Value) bool {
	return value.Definition != nil && value.Definition.Name == eventType && value.Kind != ast.Variable && value.Kind != ast.NullValue
}

func standIn(name string, literal *ast.Value) *ast.Value {
	stands := *literal
	stands.Kind, stands.Raw, stands.Children = ast.Variable, name, nil
	stands.VariableDefinition = &ast.VariableDefinition{Variable: name, DefaultValue: literal}
	return &stands
}

// eventsAside sets the variables that setAside has put into the arguments of a field.
func eventsAside(arguments ast.ArgumentList, variables map[string]any) error {
	for _, argument := range arguments {
		if value := argument.Value; value.Kind == ast.Variable && value.Raw[0] == ' ' {
			text, err := appendLiteral(nil, value.VariableDefinition.DefaultValue, variables)
			if err != nil {
				return err
			}
			variables[value.Raw] = event.Body(text)
		}
	}
	return nil
}

// appendLiteral appends a literal as JSON. Numbers keep their digits.
func appendLiteral(text []byte, value *ast.Value, variables map[string]any) ([]byte, error) {
	var err error
	switch value.Kind {
	case ast.StringValue, ast.BlockValue, ast.EnumValue:
		return jsontext.AppendQuote(text, value.Raw)
	case ast.ListValue:
		text = append(text, '[')
		for i, child := range value.Children {
			if i > 0 {
				text = append(text, ',')
			}
			if text, err = appendLiteral(text, child.Value, variables); err != nil {
				return nil, err
			}
		}
		return append(text, ']'), nil
	case ast.ObjectValue:
		text = append(text, '{')
		for i, child := range value.Children {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(append(append(text, '"'), child.Name...), '"', ':')
			if text, err = appendLiteral(text, child.Value, variables); err != nil {
				return nil, err
			}
		}
		return append(text, '}'), nil
	case ast.Variable:
		return appendVariable(text, value, variables)
	}
	return append(text, value.Raw...), nil // numbers, booleans and null look the same in GraphQL and JSON
}

func appendVariable(text []byte, value *ast.Value, variables map[string]any) ([]byte, error) {
	given, err := value.Value(variables)
	if err != nil {
		return nil, err
	}
	written, err := stdjson.Marshal(given)
	return append(text, written...), err
}
