package rest

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// marked are the route's parameters, each with what is deprecated of it.
func (r *route) marked() []parameter {
	parameters := slices.Clone(r.parameters)
	for i := range parameters {
		parameters[i].deprecated = deprecation.OfParameter(r.method, r.path, parameters[i].name)
	}
	return parameters
}

// usesDeprecated reports whether there is something deprecated that a request to the route can use.
func (r *route) usesDeprecated() bool {
	return slices.ContainsFunc(r.marked(), func(p parameter) bool { return p.deprecated != nil })
}

// noteDeprecated notes which deprecated parameters a request uses, whatever is wrong with it besides. One
// without a value counts as not given.
func noteDeprecated(ctx context.Context, query url.Values, known []parameter) {
	for i := range known {
		if item := known[i].deprecated; item != nil && uses(query[known[i].name], item) {
			deprecation.Note(ctx, item)
		}
	}
}

func uses(given []string, item *deprecation.Item) bool {
	for _, values := range given {
		for value := range strings.SplitSeq(values, ",") {
			if value = strings.TrimSpace(value); value != "" && (!item.ByValue || deprecation.IsName(value)) {
				return true
			}
		}
	}
	return false
}
