// Package rest is the HAL facade: each endpoint of the API is one internal GraphQL operation, whose result is the document
// or its elements (rest/hal).
//
// The way of a request: a route of the table (routes.go) reads its parameters (parameters.go), its endpoint runs an operation
// and has a page written from the result (rest/hal), and one place writes the reply (reply.go). internal/httpserver stands in
// front of the routes.
package rest
