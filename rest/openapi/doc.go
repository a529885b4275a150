// Package openapi describes the facade as an OpenAPI 3.1 document: from the route table, which says what each route reads,
// and from the descriptions here, which say what it means.
//
// A route without a description, and a description without a route, keep the process from starting. routes.go and its
// neighbors describe endpoints by subject; schemas/ holds the JSON Schemas of documents; values.go holds those of parameters.
package openapi
