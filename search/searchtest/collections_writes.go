package searchtest

import (
	"context"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// writeSuite returns the tests that videos and collections have in common.
func (s collectionSuite) writeSuite() writeSuite[search.CollectionDocument, search.CollectionIndex] {
	return writeSuite[search.CollectionDocument, search.CollectionIndex]{
		open: s.open, torn: s.torn, document: dated, id: collectionID,
		find: func(ctx context.Context, index search.CollectionIndex, text string) ([]catalogue.Ref, []int, error) {
			result, err := index.Find(ctx, phrase(text))
			if err != nil {
				return nil, nil, err
			}
			return result.Refs, []int{result.Total}, nil
		},
	}
}

func (s collectionSuite) oddStrings(t *testing.T) {
	var documents []search.CollectionDocument
	odd := append([]string{"\x01", "\x02x", "a\x00b", "\xed\xa0\x80", "`ab` && x:=[y]"}, oddStrings...)
	for i, text := range odd {
		documents = append(documents, newCollection(i+1, func(d *search.CollectionDocument) {
			d.Title, d.Description = text+" collection", text
			d.Account, d.Owner = text, text
			d.Subjects = []catalogue.ID{catalogue.ID(text), "shared"}
		}))
	}
	st := s.fill(t, documents...)
	result, err := st.index.Find(t.Context(), phrase("collection"))
	if err != nil || result.Total != len(odd) {
		t.Errorf("%+v (%v), want %d", result, err, len(odd))
	}
	for i, text := range odd {
		if text != "" {
			st.wantList(everything(func(q *search.CollectionQuery) { q.Subjects = []catalogue.ID{catalogue.ID(text)} }), i+1)
		}
		st.wantList(everything(func(q *search.CollectionQuery) { q.Owner = &text }), i+1)
		st.wantList(everything(func(q *search.CollectionQuery) { q.Audience = search.CollectionAudience{Account: text} }), i+1)
		for _, partial := range []bool{false, true} {
			if _, err := st.index.Find(t.Context(), everything(func(q *search.CollectionQuery) { q.Text, q.PartialTitle = text, partial })); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}
