package embedded

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/search"
)

// Corrections implements search.Reader.
func (x *Index) Corrections(ctx context.Context, text search.Text) ([][]string, error) {
	v := x.view.Load()
	q := x.ask(text)
	plan, err := v.plan(ctx, q, true)
	if err != nil {
		return nil, err
	}
	corrections := make([][]string, len(q.words))
	for w := range q.words {
		edits := map[string]uint8{}
		for i := range plan.parts {
			p := &v.parts[i]
			for _, t := range plan.parts[i].typos[w] {
				if docs, _ := p.exact.of(int(t.term)); p.alive(docs) > 0 {
					edits[string(p.exact.terms.At(int(t.term)))] = t.edits
				}
			}
		}
		near := slices.SortedFunc(maps.Keys(edits), func(a, b string) int {
			return cmp.Or(cmp.Compare(edits[a], edits[b]), cmp.Compare(a, b))
		})
		corrections[w] = near[:min(len(near), search.MaxCorrections)]
	}
	return corrections, nil
}
