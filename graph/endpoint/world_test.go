package endpoint_test

import "github.com/filmstrip/filmstrip/resolvers/resolverstest"

// Short names for common helpers.
var (
	ask       = resolverstest.RequestBody
	must      = resolverstest.Must
	now       = resolverstest.Now
	newSchema = resolverstest.NewSchema
	floating  = resolverstest.Floating
)
