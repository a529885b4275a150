package endpoint

import (
	"context"

	"github.com/maypok86/otter/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// parsed keeps queries that have been parsed and validated. What is used least goes first.
type parsed struct {
	documents *otter.Cache[string, *ast.QueryDocument]
}

const (
	// maxParsedLength bounds the text of all queries that are kept, in bytes. What is made of a text
	// takes about twenty times its room.
	maxParsedLength = 2 << 20
	// parsedOverhead is what keeping a query costs beside its text.
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

// Add implements graphql.Cache. The document is still its caller's alone.
func (p parsed) Add(_ context.Context, query string, document *ast.QueryDocument) {
	setAside(document)
	p.documents.Set(query, document)
}
