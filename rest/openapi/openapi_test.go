package openapi

import (
	"maps"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// small makes the tables describe a few routes, and returns these routes.
func small(t *testing.T) []Route {
	t.Helper()
	allDescriptions, allTexts := describedRoutes, parameterTexts
	t.Cleanup(func() { describedRoutes, parameterTexts = allDescriptions, allTexts })
	describedRoutes, parameterTexts = maps.Clone(allDescriptions), maps.Clone(allTexts)
	var routes []Route
	for key := range describedRoutes {
		method, path, _ := strings.Cut(key, " ")
		route := Route{Method: method, Path: path}
		for _, name := range describedRoutes[key].required {
			route.Parameters = append(route.Parameters, Parameter{Name: name, Schema: Text})
		}
		routes = append(routes, route)
	}
	return routes
}

// TestDescriptionAndRoutesBelongTogether proves that a route, a description or a reference without its counterpart is
// an error.
func TestDescriptionAndRoutesBelongTogether(t *testing.T) {
	tag := func() description { return describedRoutes["GET /v1/tags"] }
	for name, test := range map[string]struct {
		change func(routes []Route) []Route
		fault  string
	}{
		"nothing":                  {func(routes []Route) []Route { return routes }, ""},
		"a route is not described": {func(routes []Route) []Route { return append(routes, Route{Method: "GET", Path: "/v1/more"}) }, "GET /v1/more"},
		"a route is gone": {func(routes []Route) []Route {
			describedRoutes["GET /v1/gone"] = description{id: "gone"}
			return routes
		}, "GET /v1/gone"},
		"two operations have one name": {func(routes []Route) []Route {
			other := tag()
			other.id = "getVideo"
			describedRoutes["GET /v1/tags"] = other
			return routes
		}, "getVideo"},
		"a reference leads nowhere": {func(routes []Route) []Route {
			other := tag()
			other.answers = []answerOf{halAnswer("Tags.", "Nothing")}
			describedRoutes["GET /v1/tags"] = other
			return routes
		}, "#/components/schemas/Nothing"},
		"a schema is unused": {func(routes []Route) []Route {
			other := tag()
			other.answers = []answerOf{halAnswer("Tags.", "Tag")}
			describedRoutes["GET /v1/tags"] = other
			return routes
		}, "schema Tags"},
		"a parameter is not described": {func(routes []Route) []Route {
			routes[0].Parameters = append(routes[0].Parameters, Parameter{Name: "undescribed", Schema: Text})
			return routes
		}, "undescribed"},
		"a parameter takes an unknown list": {func(routes []Route) []Route {
			describedRoutes["GET /v1/more"] = description{id: "more"}
			parameterTexts["/v1/more type"] = parameterText{text: "One of them."}
			type unlisted string
			return append(routes, Route{Method: "GET", Path: "/v1/more", Parameters: []Parameter{{Name: "type", Schema: Listed[unlisted]()}}})
		}, "GET /v1/more takes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Document("", test.change(small(t)))
			if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("got the error %v, want one that names %q", err, test.fault)
			}
		})
	}
}

// TestListedSchemas proves that the enumerations of parameters are those of the catalogue.
func TestListedSchemas(t *testing.T) {
	if got := Listed[catalogue.VideoType]()["enum"].([]string); len(got) != len(catalogue.VideoTypes()) {
		t.Errorf("got %v", got)
	}
}
