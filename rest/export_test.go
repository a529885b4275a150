package rest

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/rest/hal"
)

// What the tests of this package's contract need to know of its inside.

// RouteOf is one route: its method, its path as the router knows it, and the names of the parameters
// that clients may set.
type RouteOf struct {
	Method, Path string
	Parameters   []string
}

// Routes lists the mounted routes.
func Routes() []RouteOf {
	list := make([]RouteOf, len(routes))
	for i, route := range routes {
		list[i] = RouteOf{Method: route.method, Path: route.path}
		for _, parameter := range route.parameters {
			if !parameter.hidden {
				list[i].Parameters = append(list[i].Parameters, parameter.name)
			}
		}
		slices.Sort(list[i].Parameters)
	}
	return list
}

// MediaRelation reports whether a relation leads to streams or images, which other mounts than the facade's serve.
func MediaRelation(name string) bool {
	return name == "hlsStream" || strings.HasPrefix(hal.Address(name, ""), "/v1/media/")
}

// SearchParameters lists the names of the search's parameters; those that take lists are true.
func SearchParameters() map[string]bool {
	names := make(map[string]bool, len(searchParameters))
	for _, parameter := range searchParameters {
		names[parameter.name] = parameter.list
	}
	return names
}
