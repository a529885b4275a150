// Package inputs checks arguments and applies the inputs of mutations to records.
package inputs

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Faults collects faults of an input, so that a caller learns all of them at once.
type Faults fault.FieldErrors

// Add adds the fault of a field.
func (f *Faults) Add(field, format string, args ...any) {
	*f = append(*f, fault.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// Err returns an error with the code Invalid that lists all faults, or nil if there are none.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	err := fault.InvalidRequest("%s", fault.FieldErrors(f).Error())
	err.Reasons = fault.FieldErrors(f).Reasons()
	return err
}

// Invalid returns an error with the code Invalid for one field.
func Invalid(field, format string, args ...any) error {
	var f Faults
	f.Add(field, format, args...)
	return f.Err()
}

// NotFound returns an error with the code NotFound for a kind of thing with an ID.
func NotFound(kind, id string) error {
	return fault.Errorf(fault.NotFound, "there is no %s %q", kind, id)
}

// Require sets a field that cannot be null, if the input contains it.
func Require[T any](f *Faults, field string, into *T, given graphql.Omittable[*T]) {
	switch value, isSet := given.ValueOK(); {
	case !isSet:
	case value == nil:
		f.Add(field, "cannot be null")
	default:
		*into = *value
	}
}

// Set sets a field if the input contains it; null sets the zero value.
func Set[T any](into *T, given graphql.Omittable[*T]) {
	if value, isSet := given.ValueOK(); isSet {
		*into = values.Or(value)
	}
}

// SetList sets a list if the input contains it; null sets nil.
func SetList[T any](into *[]T, given graphql.Omittable[[]T]) {
	if value, isSet := given.ValueOK(); isSet {
		*into = value
	}
}

// MustBeGiven returns an error with the code Invalid if an argument for which null has a meaning was left out: a
// forgotten variable must not undo a setting.
func MustBeGiven(ctx context.Context, argument string) error {
	given := graphql.GetFieldContext(ctx).Field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)
	if _, ok := given[argument]; ok {
		return nil
	}
	return Invalid(argument, "is required, though it may be null")
}

// CheckText returns an error with the code Invalid if a query has more characters than most.
func CheckText(text string, most int) error {
	if n := utf8.RuneCountInString(text); n > most {
		return fault.InvalidRequest("query has %d characters, at most %d are allowed", n, most)
	}
	return nil
}

// IsBlank reports whether a text has no letter, no digit and no emoji. Such a text counts as no query.
func IsBlank(analyzer *analysis.Analyzer, text string) bool { return len(analyzer.Phrase(text)) == 0 }
