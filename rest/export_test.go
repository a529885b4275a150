package rest

import (
	"slices"
	"strings"
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

// Relations lists the address templates by what they lead to.
func Relations() map[string]string {
	addresses := make(map[string]string, len(relations))
	for name, relation := range relations {
		addresses[name] = relation.address
	}
	return addresses
}

// MediaRelation reports whether a relation leads to streams or images, which are no routes of the
// facade but a mount.
func MediaRelation(name string) bool {
	return name == streamRelation || strings.HasPrefix(relations[name].address, "/v1/media/")
}

// SearchParameters lists the names of the search's parameters; those that take lists are true.
func SearchParameters() map[string]bool {
	names := make(map[string]bool, len(searchParameters))
	for _, parameter := range searchParameters {
		names[parameter.name] = parameter.list
	}
	return names
}
