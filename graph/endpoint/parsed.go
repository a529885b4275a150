package endpoint

import (
	"context"

	"github.com/maypok86/otter/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// parsed caches queries that have been parsed and validated, the most frequent ones.
type parsed struct {
	// It is an interface because each package that imports a struct with a generic field compiles the field's methods again.
	documents interface {
		GetIfPresent(query string) (*ast.QueryDocument, bool)
		Set(query string, document *ast.QueryDocument) (*ast.QueryDocument, bool)
	}
}

const (
	// maxParsedLength bounds the text of all cached queries, in bytes. A parsed query takes about twenty times the
	// memory of its text.
	maxParsedLength = 2 << 20
	// parsedOverhead is the weight of a cached query beside its text, in bytes.
	parsedOverhead = 100
)

func newParsed() parsed {
	return parsed{documents: otter.Must(&otter.Options[string, *ast.QueryDocument]{
		MaximumWeight: maxParsedLength,
		Weigher:       func(query string, _ *ast.QueryDocument) uint32 { return uint32(len(query) + parsedOverhead) },
	})}
}

// Get implements graphql.Cache.
func (p parsed) Get(_ context.Context, query string) (*ast.QueryDocument, bool) {
	return p.documents.GetIfPresent(query)
}

// Add implements graphql.Cache.
func (p parsed) Add(_ context.Context, query string, document *ast.QueryDocument) {
	p.documents.Set(query, document)
}
