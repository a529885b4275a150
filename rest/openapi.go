package rest

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/internal/httpserver"
)

// OpenAPIPath is where the service describes itself.
const OpenAPIPath = "/openapi.json"

//go:embed openapi/*.json
var schemaFiles embed.FS

// OpenAPI is the description of the facade, and of the endpoints by which callers get tokens, as an OpenAPI 3.1
// document whose server has the base address. anonymous: some routes answer without a token. The error names
// what does not fit together: it is a mistake of ours.
func OpenAPI(base string, anonymous bool) ([]byte, error) {
	document, err := describe(anonymous)
	if err != nil {
		return nil, err
	}
	document["servers"] = []node{{"url": base}}
	return json.Marshal(document)
}

// describe makes the document, without its servers, from the route table and what describedRoutes says of each
// line of it.
func describe(anonymous bool) (node, error) {
	schemas, err := readSchemas()
	if err != nil {
		return nil, err
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
		about, ok := describedRoutes[route.method+" "+route.path]
		if !ok {
			return nil, fmt.Errorf("nothing describes the route %s %s", route.method, route.path)
		}
		operation, err := about.ofRoute(route)
		if err != nil {
			return nil, err
		}
		operation["security"] = securityOf(route, anonymous)
		add(route.method, route.path, operation)
	}
	for key, about := range describedMounts {
		method, path, _ := strings.Cut(key, " ")
		add(method, path, about.ofMount())
	}
	document := node{
		"openapi": "3.1.1",
		"info":    information,
		"tags":    tags,
		"paths":   paths,
		"components": node{
			"schemas":         schemas,
			"responses":       faultResponses(paths),
			"headers":         commonHeaders,
			"parameters":      commonParameters,
			"securitySchemes": node{"token": tokenScheme},
		},
	}
	return document, checkDescription(document)
}

// readSchemas reads the schemas of all resources by their names.
func readSchemas() (node, error) {
	schemas := node{}
	files, err := fs.Glob(schemaFiles, "openapi/*.json")
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
		for name, one := range some {
			if schemas[name] != nil {
				return nil, fmt.Errorf("%s: there is another schema %s", file, name)
			}
			schemas[name] = one
		}
	}
	return schemas, nameLinks(schemas)
}

// nameLinks gives the schemas whose links depend most on the caller the names of all that there can be, from the
// tables that the links are shown from.
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

// checkDescription holds what the parts of a document say of one another: each description belongs to a route, no
// operation has another's name, and each reference leads somewhere.
func checkDescription(document node) error {
	known := map[string]bool{}
	for _, route := range routes {
		known[route.method+" "+route.path] = true
	}
	for key := range describedRoutes {
		if !known[key] {
			return fmt.Errorf("there is no route %s, which is described", key)
		}
	}
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

// checkReferences looks whether each $ref leads to something, and whether each schema is used.
func checkReferences(document node) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	var plain node // with maps alone, whatever the document was made of
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

// securityOf says whether a route needs a token.
func securityOf(route route, anonymous bool) []node {
	token := node{"token": []string{}}
	if anonymous && route.anonymous() != nil {
		return []node{token, {}}
	}
	return []node{token}
}

// describeOn answers OpenAPIPath. The document is the same for everybody but for the base address.
func (f *facade) describeOn() (httpserver.Mount, error) {
	const place = "filmstrip:base"
	text, err := OpenAPI(place, f.Anonymous)
	if err != nil {
		return httpserver.Mount{}, fmt.Errorf("the OpenAPI document: %w", err)
	}
	before, after, _ := strings.Cut(string(text), strconv.Quote(place))
	return httpserver.Mount{Path: OpenAPIPath, Methods: []string{http.MethodGet}, Public: true, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			base, _ := json.Marshal(f.base(r)) // a string always encodes
			f.writePublic(w, r, []byte(before+string(base)+after))
		})}, nil
}

// writePublic writes what is nobody's secret, or that the client has it.
func (f *facade) writePublic(w http.ResponseWriter, r *http.Request, body []byte) {
	header, tag := w.Header(), `W/"`+hashOf(body)+`"`
	header.Set("Cache-Control", "public, max-age=300")
	header.Set("Etag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Type", jsonType)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}
