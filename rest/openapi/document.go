package openapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/graph/model"
)

//go:embed schemas/*.json
var schemaFiles embed.FS

// Route is one endpoint of the facade.
type Route struct {
	Method, Path string
	Parameters   []Parameter
	// Defaults are the values of parameters that a request omits, by Parameter.Variable.
	Defaults map[string]any
	// Anonymous reports that the route also answers requests without a token.
	Anonymous bool
	// Deprecated reports that a request to the route can use a deprecated feature.
	Deprecated bool
}

// Parameter is one query parameter of a route.
type Parameter struct {
	Name, Variable string
	// Schema describes each value.
	Schema Schema
	// List reports that the parameter may be repeated.
	List bool
	// Hidden reports that only links from the service use the parameter.
	Hidden bool
}

// Document returns the OpenAPI 3.1 description of the routes and of the endpoints that issue tokens. The document's
// only server has the base address. Document returns an error that names a route or parameter without a description, or a
// description without a route.
func Document(base string, routes []Route) ([]byte, error) {
	document, err := describe(base, routes)
	if err != nil {
		return nil, err
	}
	return json.Marshal(document)
}

// describe builds the document from the route table and describedRoutes.
func describe(base string, routes []Route) (node, error) {
	schemas, err := readSchemas()
	if err != nil {
		return nil, err
	}
	for key := range describedRoutes {
		if !slices.ContainsFunc(routes, func(route Route) bool { return route.Method+" "+route.Path == key }) {
			return nil, fmt.Errorf("there is no route %s, which is described", key)
		}
	}
	paths := node{}
	add := func(method, path string, operation node) {
		item, ok := paths[path].(node)
		if !ok {
			item = node{}
			paths[path] = item
		}
		item[strings.ToLower(method)] = operation
	}
	for _, route := range routes {
		about, ok := describedRoutes[route.Method+" "+route.Path]
		if !ok {
			return nil, fmt.Errorf("nothing describes the route %s %s", route.Method, route.Path)
		}
		operation, err := about.ofRoute(route)
		if err != nil {
			return nil, err
		}
		operation["security"] = securityOf(route)
		add(route.Method, route.Path, operation)
	}
	for key, about := range describedMounts {
		method, path, _ := strings.Cut(key, " ")
		add(method, path, about.ofMount())
	}
	document := node{
		"openapi": "3.1.1",
		"servers": []node{{"url": base}},
		"info":    information,
		"tags":    tags,
		"paths":   paths,
		"components": node{
			"schemas":         schemas,
			"responses":       faultResponses(paths),
			"headers":         commonHeaders,
			"parameters":      commonParameters,
			"securitySchemes": securitySchemes(base),
		},
	}
	if err := addExamples(document); err != nil {
		return nil, err
	}
	return document, nil
}

// readSchemas reads the schemas of all resources by name.
func readSchemas() (node, error) {
	schemas := node{}
	files, err := fs.Glob(schemaFiles, "schemas/*.json")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := schemaFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var some node
		if err := json.Unmarshal(text, &some); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		maps.Copy(schemas, some)
	}
	return schemas, nameLinks(schemas)
}

// nameLinks adds the names of all possible links to the schemas whose links depend most on the caller. The names come
// from the tables that produce the links.
func nameLinks(schemas node) error {
	for name, relations := range map[string][]string{
		"Index": model.IndexRelations(), "Collection": model.CollectionRelations(), "SubCollection": model.CollectionRelations(),
	} {
		schema, _ := schemas[name].(node)
		properties, _ := schema["properties"].(node)
		links, _ := properties["_links"].(node)
		if links == nil || links["properties"] != nil {
			return fmt.Errorf("the schema %s has no links to be named", name)
		}
		named := node{}
		for _, relation := range relations {
			named[relation] = node{"$ref": "#/components/schemas/Link"}
		}
		links["properties"] = named
	}
	return nil
}

// securityOf returns the security requirements of a route.
func securityOf(route Route) []node {
	requirements := []node{{oauthName: []string{}}, {tokenName: []string{}}}
	if route.Anonymous {
		requirements = append(requirements, node{})
	}
	return requirements
}
