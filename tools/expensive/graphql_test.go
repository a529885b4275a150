package main

import (
	"math/rand/v2"
	"testing"
)

// TestQueriesAreBounded writes the longest query of each root field. The query of previewImport, for example, has a list
// of columns, each with a list of values.
func TestQueriesAreBounded(t *testing.T) {
	pools := &pools{
		common: []string{"common"}, rare: []string{"rare"}, texts: []string{"a text"}, every: []string{"id"},
		ids: map[string][]string{"video": {"id"}}, kinds: []string{"video"},
	}
	for _, field := range domain.Query.Fields {
		longestOf := &graphQLRequest{roots: []*root{{field: field, seed: 1, aliases: 100, width: 8, kind: longWord, size: 1989, count: 1000}}}
		sent := longestOf.instantiate(rand.New(rand.NewPCG(1, 1)), pools)
		if len(sent.body) > 4*longest {
			t.Errorf("the query of %s has %d bytes", field.Name, len(sent.body))
		}
	}
}
