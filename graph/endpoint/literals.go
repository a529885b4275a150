package endpoint

import (
	stdjson "encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/event"
)

// Events that stand in a query would lose digits: the parser's library makes of their numbers what a processor
// counts with. So variables of the endpoint's own take their places when the query is kept, and each request
// fills them with the JSON that stood there. Defaults of a query's own variables are left to the library.

// eventType is the scalar that events are of.
const eventType = "EventBody"

// setAside puts variables into the places of the events in a validated query. Their names are no names.
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

// eventsAside fills in the variables that setAside has put into the arguments of a field.
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

// appendLiteral writes a value of a query as JSON, its numbers as they stand.
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
	return append(text, value.Raw...), nil // numbers, truths and null are written alike in both
}

func appendVariable(text []byte, value *ast.Value, variables map[string]any) ([]byte, error) {
	given, err := value.Value(variables)
	if err != nil {
		return nil, err
	}
	written, err := stdjson.Marshal(given)
	return append(text, written...), err
}
