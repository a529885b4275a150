package searchtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
)

func (s collectionSuite) order(t *testing.T) {
	at := func(after time.Duration) func(*search.CollectionDocument) {
		return func(d *search.CollectionDocument) { d.UpdatedAt = instant(after) }
	}
	both := func(changes ...func(*search.CollectionDocument)) func(*search.CollectionDocument) {
		return func(d *search.CollectionDocument) {
			for _, change := range changes {
				change(d)
			}
		}
	}
	attached := func(d *search.CollectionDocument) { d.ResourceTypes = catalogue.AttachmentTypes()[:1] }
	standard := func(d *search.CollectionDocument) { d.Default = true }
	st := s.fill(t, collections(
		both(named("beta", "water"), at(0)),
		both(named("Alpha", "water"), at(time.Microsecond), standard),
		both(named("alpha ", "water"), at(0), attached),
		both(named("  ALPHA", "water"), at(time.Second)),
		both(named("Water", ""), at(-time.Hour), standard, attached),
		both(named("alpha", "water"), at(0)),
		both(named("Ärger", "water"), at(0)),
	)...)
	type orders []collection.Order
	for _, test := range []struct {
		text  string
		order orders
		want  []int
	}{
		{"", nil, []int{4, 2, 1, 3, 6, 7, 5}},
		{"water", nil, []int{5, 4, 2, 1, 3, 6, 7}},
		{"water", orders{collection.ByUpdatedAt}, []int{4, 2, 1, 3, 6, 7, 5}},
		{"", orders{collection.ByTitle}, []int{4, 2, 3, 6, 1, 5, 7}},
		{"water", orders{collection.ByTitle}, []int{4, 2, 3, 6, 1, 5, 7}},
		{"", orders{collection.ByDefault}, []int{2, 5, 4, 1, 3, 6, 7}},
		{"water", orders{collection.ByDefault}, []int{5, 2, 4, 1, 3, 6, 7}},
		{"", orders{collection.ByHasAttachment}, []int{3, 5, 4, 2, 1, 6, 7}},
		{"", orders{collection.ByDefault, collection.ByUpdatedAt}, []int{2, 5, 4, 1, 3, 6, 7}},
		{"water", orders{collection.ByDefault, collection.ByUpdatedAt}, []int{2, 5, 4, 1, 3, 6, 7}},
		{"", orders{collection.ByDefault, collection.ByHasAttachment, collection.ByTitle}, []int{5, 2, 3, 4, 6, 1, 7}},
		{"", orders{collection.ByHasAttachment, collection.ByDefault, collection.ByTitle, collection.ByUpdatedAt}, []int{5, 3, 2, 4, 6, 1, 7}},
		{"", orders{collection.ByUpdatedAt, collection.ByTitle}, []int{4, 2, 3, 6, 1, 7, 5}},
		{"", orders{collection.ByTitle, collection.ByTitle, collection.ByHasAttachment}, []int{3, 4, 2, 6, 1, 5, 7}},
	} {
		t.Run(fmt.Sprintf("%q by %v", test.text, test.order), func(t *testing.T) {
			for _, size := range []int{100, 3, 1} {
				st := st.in(t)
				for from := 0; from <= len(test.want); from += size {
					st.wantList(everything(func(q *search.CollectionQuery) {
						q.Text, q.Order, q.Offset, q.Size = test.text, test.order, from, size
					}), test.want[from:min(from+size, len(test.want))]...)
				}
			}
		})
	}
	t.Run("long titles that start alike", func(t *testing.T) {
		long := fmt.Sprintf("%0*d", collection.MaxTitle-1, 0)
		st := s.fill(t, collections(named(long+"b", ""), named(long+"c", ""), named(long+"a", ""))...)
		st.wantList(everything(func(q *search.CollectionQuery) { q.Order = []collection.Order{collection.ByTitle} }), 3, 1, 2)
	})
}

func (s collectionSuite) paging(t *testing.T) {
	const size = 60
	var documents []search.CollectionDocument
	for n := range size {
		documents = append(documents, newCollection(n, func(d *search.CollectionDocument) {
			d.UpdatedAt = instant(time.Duration(n/20) * time.Second) // ties across page boundaries
			d.Title = fmt.Sprint("Collection ", n%7)
		}))
	}
	st := s.fill(t, documents...)
	for _, order := range [][]collection.Order{nil, {collection.ByTitle}, {collection.ByUpdatedAt, collection.ByTitle}} {
		met := map[catalogue.ID]bool{}
		for offset := 0; offset < size; offset += 7 {
			result, err := st.index.Find(t.Context(), everything(func(q *search.CollectionQuery) {
				q.Text, q.Order, q.Offset, q.Size = "collection", order, offset, 7
			}))
			if err != nil {
				t.Fatal(err)
			}
			if result.Total != size {
				t.Errorf("total %d, want %d", result.Total, size)
			}
			for _, ref := range result.Refs {
				met[ref.ID] = true
			}
		}
		if len(met) != size {
			t.Errorf("by %v: %d of %d met", order, len(met), size)
		}
	}
	for _, query := range []search.CollectionQuery{
		everything(func(q *search.CollectionQuery) { q.Size = 0 }),
		everything(func(q *search.CollectionQuery) { q.Offset = size }),
		everything(func(q *search.CollectionQuery) { q.Offset, q.Size = search.MaxWindow-100, 100 }),
	} {
		result, err := st.index.Find(t.Context(), query)
		if err != nil || result.Total != size || len(result.Refs) != 0 {
			t.Errorf("%+v: %+v (%v), want the total alone", query, result, err)
		}
	}
}
