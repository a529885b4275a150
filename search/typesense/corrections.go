package typesense

import (
	"context"

	"github.com/filmstrip/filmstrip/search"
)

// Corrections implements search.Reader.
func (x *Index) Corrections(ctx context.Context, text search.Text) ([][]string, error) {
	return consult(ctx, x, func(ctx context.Context, at *build) ([][]string, error) {
		if at.collection == "" {
			return make([][]string, len(x.analyzer.QueryWithSynonyms(text.Words, text.SynonymGroups))), nil
		}
		q, err := x.ask(ctx, at, text, true)
		if err != nil {
			return nil, err
		}
		corrections := make([][]string, len(q.words))
		for i := range q.words {
			near := q.words[i].near
			corrections[i] = near[:min(len(near), search.MaxCorrections)]
		}
		return corrections, nil
	})
}
