package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Document30 returns Document in OpenAPI 3.0.4, for tools that do not read OpenAPI 3.1. It describes the same requests
// and responses.
func Document30(base string, routes []Route) ([]byte, error) {
	text, err := Document(base, routes)
	if err != nil {
		return nil, err
	}
	var document node
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	document["openapi"] = "3.0.4"
	information := document["info"].(node)
	information["description"] = information["summary"].(string) + ".\n\n" + information["description"].(string)
	delete(information, "summary") // unknown to OpenAPI 3.0, as identifier
	information["license"] = node{"name": information["license"].(node)["name"], "url": "https://www.apache.org/licenses/LICENSE-2.0"}
	schemas := document["components"].(node)["schemas"].(node)
	c := converter{}
	if c.originals, err = readSchemas(); err != nil {
		return nil, err
	}
	for name, schema := range schemas {
		schemas[name] = c.schema(schema.(node))
	}
	c.schemas(document["paths"])
	for _, kind := range []string{"responses", "headers", "parameters"} {
		c.schemas(document["components"].(node)[kind])
	}
	return json.Marshal(document)
}

// converter converts schemas of JSON Schema 2020-12 to the dialect of OpenAPI 3.0.
type converter struct {
	originals node // the schemas of the document in JSON Schema 2020-12
}

// schemas replaces all schemas within a part of a document that is no schema itself.
func (c converter) schemas(part any) {
	switch part := part.(type) {
	case node:
		for name, inner := range part {
			switch name {
			case "schema":
				part[name] = c.schema(inner.(node))
			case "example": // may contain any name
			default:
				c.schemas(inner)
			}
		}
	case []any:
		for _, inner := range part {
			c.schemas(inner)
		}
	}
}

// schema returns a schema in the dialect of OpenAPI 3.0: nullable instead of the type null, one example, enum instead of
// const, flags for exclusive bounds, and no keyword beside $ref. It changes the given schema.
func (c converter) schema(schema node) node {
	for name, value := range schema {
		switch name {
		case "properties":
			for property, inner := range value.(node) {
				value.(node)[property] = c.schema(inner.(node))
			}
		case "items", "additionalProperties", "not":
			if inner, ok := value.(node); ok {
				schema[name] = c.schema(inner)
			}
		case "anyOf", "oneOf", "allOf":
			for i, inner := range value.([]any) {
				value.([]any)[i] = c.schema(inner.(node))
			}
		case "const":
			delete(schema, name)
			schema["enum"] = []any{value}
		case "examples":
			delete(schema, name)
			schema["example"] = value.([]any)[0]
		case "exclusiveMinimum":
			schema["minimum"], schema[name] = value, true
		case "exclusiveMaximum":
			schema["maximum"], schema[name] = value, true
		}
	}
	c.allowNull(schema)
	return separateReference(schema)
}

// allowNull replaces the type null.
func (c converter) allowNull(schema node) {
	if types, ok := schema["type"].([]any); ok {
		others := slices.DeleteFunc(slices.Clone(types), func(one any) bool { return one == "null" })
		null := len(others) < len(types)
		if schema["type"] = others[0]; len(others) > 1 {
			separateTypes(schema, others, null)
		} else if null {
			schema["nullable"] = true
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		schemas, _ := schema[keyword].([]any)
		others := slices.DeleteFunc(schemas, func(one any) bool { return one.(node)["type"] == "null" })
		if len(others) == len(schemas) {
			continue
		}
		if schema[keyword] = others; len(others) == 1 {
			delete(schema, keyword)
		}
		if schema["nullable"] = true; len(others) == 1 {
			c.inline(schema, others[0].(node))
		}
	}
}

// separateTypes replaces several types by one schema for each, which allows null if null is true.
func separateTypes(schema node, types []any, null bool) {
	var schemas []any
	for _, one := range types {
		of := node{"type": one}
		if null {
			of["nullable"] = true
		}
		if one == "array" {
			of["items"] = schema["items"]
		}
		schemas = append(schemas, of)
	}
	delete(schema, "type")
	delete(schema, "items")
	schema["anyOf"] = schemas
}

// inline adds the keywords of another schema, or of the one it refers to, to a schema that allows null. A reference would
// not allow null, because that belongs to the type of what it refers to.
func (c converter) inline(schema, other node) {
	if target, ok := other["$ref"].(string); ok {
		copied, _ := json.Marshal(c.originals[strings.TrimPrefix(target, "#/components/schemas/")]) // comes from JSON
		_ = json.Unmarshal(copied, &other)
		delete(other, "$ref")
		other = c.schema(other)
	}
	for keyword, value := range other {
		if schema[keyword] == nil {
			schema[keyword] = value
		}
	}
}

// separateReference moves a reference with keywords beside it, which OpenAPI 3.0 ignores, into allOf.
func separateReference(schema node) node {
	if schema["$ref"] == nil || len(schema) == 1 {
		return schema
	}
	separate := maps.Clone(schema)
	delete(separate, "$ref")
	separate["allOf"] = []any{node{"$ref": schema["$ref"]}}
	return separate
}
