package rest

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// marked returns the route's parameters, each with its deprecation.
func (r *route) marked() []parameter {
	parameters := slices.Clone(r.parameters)
	for i := range parameters {
		parameters[i].deprecated = deprecation.OfParameter(r.method, r.path, parameters[i].name)
	}
	return parameters
}

// usesDeprecated reports whether a request to the route can use something deprecated.
func (r *route) usesDeprecated() bool {
	return slices.ContainsFunc(r.marked(), func(p parameter) bool { return p.deprecated != nil })
}

// noteDeprecated records the deprecated parameters of a request, even if the request is invalid. A parameter without a value
// counts as not given.
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
