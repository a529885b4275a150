package openapi

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
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

// TestDescriptionAndRoutesBelongTogether checks the tables of descriptions, and proves that a route, a description or a
// reference without its counterpart is found.
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
		}, "of GET /v1/more is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := describe("", test.change(small(t)))
			if err == nil {
				err = checkDescription(document)
			}
			if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("got the error %v, want one that names %q", err, test.fault)
			}
		})
	}
}

// checkDescription checks that the document is consistent: operation names are unique, and each reference resolves.
func checkDescription(document node) error {
	named := map[string]bool{}
	for _, table := range []map[string]description{describedRoutes, describedMounts} {
		for key, about := range table {
			if named[about.id] {
				return fmt.Errorf("%s is called %s, as another", key, about.id)
			}
			named[about.id] = true
		}
	}
	return checkReferences(document)
}

// checkReferences checks that each $ref resolves and that each schema is used.
func checkReferences(document node) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	var plain node // contains only maps, whatever types the document has
	if err := json.Unmarshal(text, &plain); err != nil {
		return err
	}
	components := plain["components"].(node)
	used := map[string]bool{}
	if err := eachReference(plain, func(target string) error {
		kind, name, _ := strings.Cut(strings.TrimPrefix(target, "#/components/"), "/")
		if group, ok := components[kind].(node); !ok || group[name] == nil {
			return fmt.Errorf("%s leads nowhere", target)
		}
		used[target] = true
		return nil
	}); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(components["schemas"].(node))) {
		if !used["#/components/schemas/"+name] {
			return fmt.Errorf("nothing uses the schema %s", name)
		}
	}
	return nil
}

func eachReference(part any, visit func(target string) error) error {
	switch part := part.(type) {
	case node:
		if target, ok := part["$ref"].(string); ok {
			if err := visit(target); err != nil {
				return err
			}
		}
		for _, inner := range part {
			if err := eachReference(inner, visit); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range part {
			if err := eachReference(inner, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestSchemasHaveNamesOfTheirOwn checks that no two files define schemas of the same name.
func TestSchemasHaveNamesOfTheirOwn(t *testing.T) {
	files, err := fs.Glob(schemaFiles, "schemas/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("got the files %v and the error %v", files, err)
	}
	fileOf := map[string]string{}
	for _, file := range files {
		text, err := schemaFiles.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var schemas node
		if err := json.Unmarshal(text, &schemas); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for name := range schemas {
			if other := fileOf[name]; other != "" {
				t.Errorf("%s and %s define the schema %s", other, file, name)
			}
			fileOf[name] = file
		}
	}
}

// TestListedSchemas proves that the enumerations of parameters are those of the catalogue.
func TestListedSchemas(t *testing.T) {
	if got := Listed[catalogue.VideoType]()["enum"].([]string); len(got) != len(catalogue.VideoTypes()) {
		t.Errorf("got %v", got)
	}
}
