// Package rest is the HAL facade: each endpoint of the API is one internal GraphQL operation, kept in
// operations/, whose result is the document, or the elements of it.
//
// The way of a request: a route of the table (routes.go) reads its parameters (parameters.go), runs
// an operation (operations.go), and answers with a reply that one place writes (reply.go). Links are
// written by relation (relations.go) into templates that hold nothing of one caller (template.go);
// videos' templates are kept in the cache under the version that they show (documents.go).
package rest
