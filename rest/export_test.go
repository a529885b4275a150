package rest

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/rest/hal"
)

// Exports of internals for the tests of this package's contract.

// RouteOf is a route: its method, its path as the router has it, and the names of the parameters that clients may set.
type RouteOf struct {
	Method, Path string
	Parameters   []string
}

// Routes returns the mounted routes.
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

// MediaRelation reports whether a relation links to streams or images, which other mounts serve.
func MediaRelation(name string) bool {
	return name == "hlsStream" || strings.HasPrefix(hal.Address(name, ""), "/v1/media/")
}

// SearchParameters returns the names of the search parameters. The value is true if the parameter is a list.
func SearchParameters() map[string]bool {
	names := make(map[string]bool, len(searchParameters))
	for _, parameter := range searchParameters {
		names[parameter.name] = parameter.list
	}
	return names
}
