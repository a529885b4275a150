// Package rest is the HAL facade: each endpoint of the API is one internal GraphQL operation, whose result is the document
// or its elements (rest/hal).
//
// A request takes these steps: a route of the table (routes.go) reads its parameters (parameters.go), its endpoint runs an
// operation and writes a page from the result (rest/hal), and serve writes the reply (reply.go). The middleware in
// internal/httpserver precedes the routes.
package rest
