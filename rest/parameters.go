package rest

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/rest/hal"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

// parameter is a query parameter of a route. Routes ignore parameters that they do not list.
type parameter struct {
	name string
	// list: the parameter may be repeated, and each value may hold several, joined by commas (catalogue.SplitJoined). A value
	// is split only if whole refuses it; nil: every value is split at all commas.
	list  bool
	whole func(value string) bool
	// named lists hold names, which may contain commas. The domain knows the names and therefore splits the values.
	named bool
	// hidden parameters come from links that the service returns, never from a template.
	hidden bool
	// schema describes each value in the OpenAPI document.
	schema openapi.Schema
	// variable is the path of the variable that the parameter sets; "" if it sets more than one.
	variable string
	// deprecated is the parameter's deprecation, or nil.
	deprecated *deprecation.Item
	// read converts the values, none of which is empty, to variables. A parameter that is not a list gets exactly one value. A list
	// of commas alone has no values, so nothing matches it.
	read func(values []string, into hal.Variables) error
}

// readParameters converts the query string of a request to variables. Errors quote the parameter and the value as the client
// wrote them. An empty parameter counts as not given.
func readParameters(r *http.Request, known []parameter, into hal.Variables) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fault.InvalidRequest("the query string is not well formed: %s", err)
	}
	noteDeprecated(r.Context(), query, known)
	parts := joinedParts(r.URL.RawQuery)
	for i := range known {
		given, ok := query[known[i].name]
		if !ok {
			continue
		}
		values, err := known[i].split(given, parts)
		if err != nil {
			return err
		}
		isEmptyList := known[i].list && slices.ContainsFunc(given, func(value string) bool { return strings.Contains(value, ",") })
		if len(values) == 0 && !isEmptyList {
			continue
		}
		if err := known[i].read(values, into); err != nil {
			return nameParameter(known[i].name, err)
		}
	}
	if into[joinedNames] != nil {
		into[joinedNames] = parts
	}
	return nil
}

// joinedParts returns the parts of the values of a well-formed query string that have both literal and encoded commas.
func joinedParts(query string) (parts catalogue.JoinedParts) {
	for pair := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(pair, "=")
		if !strings.Contains(value, ",") || !strings.Contains(value, "%2C") && !strings.Contains(value, "%2c") {
			continue
		}
		var decoded []string
		for part := range strings.SplitSeq(value, ",") {
			one, _ := url.QueryUnescape(part) // each is well formed if all are
			decoded = append(decoded, one)
		}
		if parts == nil {
			parts = catalogue.JoinedParts{}
		}
		parts[strings.TrimSpace(strings.Join(decoded, ","))] = decoded
	}
	return parts
}

// split returns the values of a parameter without empty ones. It splits lists at commas unless they hold names.
func (p *parameter) split(given []string, joined catalogue.JoinedParts) ([]string, error) {
	var values []string
	count := 0
	for _, value := range given {
		if !utf8.ValidString(value) {
			return nil, fault.InvalidRequest("%s: %q is not valid UTF-8", p.name, value)
		}
		if !p.list {
			if strings.TrimSpace(value) != "" {
				values = append(values, value)
			}
			continue
		}
		parts := catalogue.SplitJoined([]string{value}, joined, func(whole string) bool { return p.whole != nil && p.whole(whole) })
		count += len(parts)
		if p.named && len(parts) > 0 {
			parts = []string{strings.TrimSpace(value)}
		}
		values = append(values, parts...)
	}
	switch {
	case !p.list && len(values) > 1:
		return nil, fault.InvalidRequest("%s is given %d times (%q and %q), it takes one value", p.name, len(values), values[0], values[1])
	case count > catalogue.MaxFilterValues:
		return nil, fault.InvalidRequest("%s has %d values, at most %d are allowed", p.name, count, catalogue.MaxFilterValues)
	}
	return values, nil
}

// nameParameter prefixes an error message with the parameter's name.
func nameParameter(name string, err error) error {
	var cause *fault.Error
	if errors.As(err, &cause) {
		named := *cause
		named.Message = name + ": " + cause.Message
		return &named
	}
	return err
}

// nameArgument prefixes an error of the domain about an argument with the name of the parameter that sets it.
func nameArgument(parameters []parameter, err error) error {
	if err == nil {
		return nil // without the allocation of cause
	}
	var cause *fault.Error
	if !errors.As(err, &cause) || cause.Argument == "" {
		return err
	}
	i := slices.IndexFunc(parameters, func(p parameter) bool { return p.variable == cause.Argument })
	if i < 0 {
		return nameParameter(cause.Argument, err)
	}
	return nameParameter(parameters[i].name, err)
}

// The kinds of parameters. Each sets the variable with its path: "size", or "filter.ids".

func put(into hal.Variables, path string, value any) {
	parent, name, nested := strings.Cut(path, ".")
	if !nested {
		into[path] = value
		return
	}
	object, ok := into[parent].(map[string]any)
	if !ok {
		object = map[string]any{}
		into[parent] = object
	}
	object[name] = value
}

// add appends values to a list that other parameters may have started.
func add(into hal.Variables, path string, values []any) {
	parent, name, _ := strings.Cut(path, ".")
	if object, ok := into[parent].(map[string]any); ok {
		if before, ok := object[name].([]any); ok {
			values = slices.Concat(before, values)
		}
	}
	put(into, path, values)
}

func textParameter(name, path string) parameter {
	return parameter{name: name, schema: openapi.Text, variable: path, read: func(values []string, into hal.Variables) error {
		put(into, path, values[0])
		return nil
	}}
}

func textsParameter(name, path string) parameter {
	return parameter{name: name, list: true, schema: openapi.Text, read: func(values []string, into hal.Variables) error {
		add(into, path, hal.Strings(values))
		return nil
	}}
}

// namesParameter reads a list of names, which may contain commas.
func namesParameter(name, path string) parameter {
	return parameter{name: name, list: true, named: true, schema: openapi.Text, read: func(values []string, into hal.Variables) error {
		add(into, path, hal.Strings(values))
		if slices.ContainsFunc(values, func(value string) bool { return strings.Contains(value, ",") }) {
			into[joinedNames] = true
		}
		return nil
	}}
}

// joinedNames marks variables with names that the domain may split (catalogue.WithJoinedNames).
const joinedNames = "joinedNames"

// numberParameter reads an integer within bounds.
func numberParameter(name, path string, lowest, highest int) parameter {
	return parameter{name: name, schema: openapi.Number(lowest, highest), variable: path, read: func(values []string, into hal.Variables) error {
		n, err := strconv.Atoi(values[0])
		if err != nil {
			return fault.InvalidRequest("%q is not a whole number", values[0])
		}
		if n < lowest || n > highest {
			return fault.InvalidRequest("%d is not between %d and %d", n, lowest, highest)
		}
		put(into, path, int64(n))
		return nil
	}}
}

func booleanParameter(name, path string) parameter {
	return parameter{name: name, schema: openapi.Boolean, variable: path, read: func(values []string, into hal.Variables) error {
		switch strings.ToLower(values[0]) {
		case "true", "on", "yes", "1":
			put(into, path, true)
		case "false", "off", "no", "0":
			put(into, path, false)
		default:
			return fault.InvalidRequest("%q is neither true nor false", values[0])
		}
		return nil
	}}
}

func dateParameter(name, path string) parameter {
	return parameter{name: name, schema: openapi.Date, variable: path, read: func(values []string, into hal.Variables) error {
		date, err := catalogue.ParseDate(values[0])
		if err != nil {
			return &fault.Error{Code: fault.Invalid, Label: "Invalid date format", Message: err.Error()}
		}
		put(into, path, date.String())
		return nil
	}}
}

// valuesParameter reads a list of values, each of which parse converts to the value of a variable.
func valuesParameter(name, path string, schema openapi.Schema, parse func(string) (any, error)) parameter {
	isOne := func(value string) bool { _, err := parse(value); return err == nil }
	return parameter{name: name, list: true, whole: isOne, schema: schema, read: func(values []string, into hal.Variables) error {
		parsed := make([]any, len(values))
		for i, value := range values {
			var err error
			if parsed[i], err = parse(value); err != nil {
				return err
			}
		}
		put(into, path, parsed)
		return nil
	}}
}

// enumsParameter reads a list of enum values.
func enumsParameter[T ~string](name, path string, parse func(string) (T, error)) parameter {
	return valuesParameter(name, path, openapi.Listed[T](), func(value string) (any, error) {
		one, err := parse(value)
		return string(one), err
	})
}

// choiceParameter reads a word from a fixed set, in any case, and sets the variable to its value.
func choiceParameter(name, path string, choices map[string]string) parameter {
	return parameter{name: name, schema: openapi.Enum(slices.Sorted(maps.Keys(choices))), variable: path, read: func(values []string, into hal.Variables) error {
		choice, ok := choices[strings.ToUpper(values[0])]
		if !ok {
			return fault.InvalidRequest("%s", fault.NotOneOf(values[0], slices.Sorted(maps.Keys(choices))))
		}
		put(into, path, choice)
		return nil
	}}
}

func durationParameter(name string, read func(into hal.Variables, duration catalogue.Duration)) parameter {
	return parameter{name: name, schema: openapi.Duration, read: func(values []string, into hal.Variables) error {
		duration, err := catalogue.ParseDuration(values[0])
		if err == nil {
			read(into, duration)
		}
		return err
	}}
}

// rangesParameter is a valuesParameter with at most so many values.
func rangesParameter(name, path string, most int, schema openapi.Schema, parse func(string) (any, error)) parameter {
	ranges := valuesParameter(name, path, schema, parse)
	read := ranges.read
	ranges.read = func(values []string, into hal.Variables) error {
		if len(values) > most {
			return fault.InvalidRequest("%d ranges are more than the %d that are allowed", len(values), most)
		}
		return read(values, into)
	}
	return ranges
}

func durationRangesParameter(name, path string, most int) parameter {
	return rangesParameter(name, path, most, openapi.DurationRange, func(value string) (any, error) {
		one, err := catalogue.ParseDurationRange(value)
		return rangeVariable(one), err
	})
}

func rangeVariable(r catalogue.DurationRange) map[string]any {
	variable := map[string]any{"min": r.Min.String()}
	if r.Max != nil {
		variable["max"] = r.Max.String()
	}
	return variable
}

func agesParameter(name, path string, most int) parameter {
	return rangesParameter(name, path, most, openapi.AgeBracket, func(value string) (any, error) {
		bracket, err := catalogue.ParseAgeBracket(value)
		return map[string]any{"from": int64(bracket.From), "to": int64(bracket.To)}, err
	})
}
