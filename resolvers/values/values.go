// Package values converts between the values of the schema and those of the nouns.
package values

import (
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Or returns the value that a pointer points to, or the zero value for nil.
func Or[T any](value *T) (zero T) {
	if value == nil {
		return zero
	}
	return *value
}

// OrNil returns a pointer to a value, or nil for the zero value.
func OrNil[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// List returns an empty list for nil, because null is not a list.
func List[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Map converts each element of a list. The result is not nil.
func Map[S, V any](list []S, convert func(S) V) []V {
	converted := make([]V, len(list))
	for i, one := range list {
		converted[i] = convert(one)
	}
	return converted
}

// Pointers returns pointers to the elements of a list.
func Pointers[T any](list []T) []*T {
	pointers := make([]*T, len(list))
	for i := range list {
		pointers[i] = &list[i]
	}
	return pointers
}

// Distinct returns the elements of a list in their order, each once. It returns nil for nil, and does not change the
// list.
func Distinct[T comparable](list []T) []T { return DistinctBy(list, func(one T) T { return one }) }

// DistinctBy is Distinct for elements with different keys.
func DistinctBy[T any, K comparable](list []T, key func(T) K) []T {
	if len(list) < 2 {
		return list
	}
	met := make(map[K]bool, len(list))
	kept := make([]T, 0, len(list))
	for _, one := range list {
		if k := key(one); !met[k] {
			met[k] = true
			kept = append(kept, one)
		}
	}
	return kept
}

// IDs returns texts as IDs, and nil for nil.
func IDs(texts []string) []catalogue.ID {
	if texts == nil {
		return nil
	}
	return Map(texts, func(text string) catalogue.ID { return catalogue.ID(text) })
}

// Lower returns texts in lower case, and nil for nil.
func Lower(texts []string) []string {
	if texts == nil {
		return nil
	}
	return Map(texts, strings.ToLower)
}
