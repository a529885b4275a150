package typesense

import (
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// listed returns the condition of a state on a day. Retired videos have no other token than retiredTrait.
func (x *Index) listed(state search.ListedState, today catalogue.Date) string {
	has := func(tokens ...string) string { return anyOf(fieldTraits, tokens) }
	switch state {
	case search.ListedLive:
		return x.visible(catalogue.Access{}, today)
	case search.ListedRetired:
		return has(retiredTrait)
	case search.ListedPrivate:
		current := ""
		if ended := endedBefore(today); len(ended) > 0 {
			current = fieldTraits + ":!=[" + strings.Join(ended, ",") + "]"
		}
		return and(has(privateTrait), current)
	case search.ListedExpired:
		return has(endedBefore(today)...)
	case search.ListedIncomplete:
		return has(incompleteTrait)
	default:
		return fieldOrder + ":>=0" // of every document
	}
}

// listedOrder returns the beginning of a sort, or "" for the order of searches.
func listedOrder(of *search.Listing) string {
	switch {
	case of == nil:
		return ""
	case of.Order == search.ListedByUpdate:
		return fieldUpdated + ":desc,"
	case of.Order == search.ListedByTitle:
		return fieldTitle + ":asc,"
	}
	return ""
}
