// Package openapi describes the facade as an OpenAPI 3.1 document. The route table supplies the parameters of each
// route, and this package supplies their meaning.
//
// The process does not start if a route lacks a description or a description lacks its route. routes.go and its
// neighbors describe endpoints by subject, schemas/ contains the JSON Schemas of documents, and values.go contains the
// schemas of parameters.
package openapi
