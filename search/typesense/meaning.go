package typesense

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/typesense/typesense-go/v3/typesense/api"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// A document has one vector field for each passage, because Typesense searches one vector a field. The number of
// dimensions, which the schema of a field contains, is known when the first document with vectors is written; the fields
// are added then.

// vectors are the vectors of a document's passages. Typesense only compares directions, so integers serve.
type vectors struct {
	Vector0 search.Vector `json:"vector_0,omitempty"`
	Vector1 search.Vector `json:"vector_1,omitempty"`
	Vector2 search.Vector `json:"vector_2,omitempty"`
	Vector3 search.Vector `json:"vector_3,omitempty"`
	Vector4 search.Vector `json:"vector_4,omitempty"`
	Vector5 search.Vector `json:"vector_5,omitempty"`
	Vector6 search.Vector `json:"vector_6,omitempty"`
	Vector7 search.Vector `json:"vector_7,omitempty"`
	// VectorsSum is a fingerprint of the vectors; "": there are none. It is stored only.
	VectorsSum string `json:"vectors_sum,omitempty"`
}

func vectorField(passage int) string { return fmt.Sprintf("vector_%d", passage) }

// setVectors sets the vectors that have the given number of dimensions.
func (made *document) setVectors(all []search.Vector, dimensions int) {
	v := &made.vectors
	fields := [catalogue.MaxPassages]*search.Vector{
		&v.Vector0, &v.Vector1, &v.Vector2, &v.Vector3, &v.Vector4, &v.Vector5, &v.Vector6, &v.Vector7,
	}
	passage := 0
	for _, vector := range all {
		if len(vector) == dimensions && passage < len(fields) && slices.ContainsFunc(vector, func(c int8) bool { return c != 0 }) {
			*fields[passage] = vector
			passage++
		}
	}
	if passage > 0 {
		v.VectorsSum = digest(fmt.Sprint(all), 8)
	}
}

// acceptVectors adds the vector fields to the collection, unless it has them.
func (w *writer) acceptVectors(ctx context.Context, d *search.Document) error {
	if len(d.Vectors) == 0 || w.state.Dimensions > 0 {
		return nil
	}
	dimensions, yes := len(d.Vectors[0]), true
	update := api.CollectionUpdateSchema{}
	for passage := range catalogue.MaxPassages {
		update.Fields = append(update.Fields, api.Field{Name: vectorField(passage), Type: "float[]", NumDim: &dimensions, Optional: &yes})
	}
	err := w.index.server.write(ctx, func(ctx context.Context) (*http.Response, error) {
		return w.index.server.api.UpdateCollection(ctx, w.state.Collection, update)
	})
	if err != nil && !strings.Contains(err.Error(), "already part of the schema") { // an earlier attempt added them
		return err
	}
	w.state.Dimensions = dimensions
	return nil
}

// nearest contains the documents nearest to the meaning of a query.
type nearest struct {
	ids          []catalogue.ID
	similarities map[catalogue.ID]float32
	greatest     float32
}

// flatSearch is the number of documents that a filter lets through below which Typesense compares all of them: its graph of
// vectors loses results if a filter excludes most of its nodes.
const flatSearch = 10_000

// nearest finds the documents nearest to the meaning of a query, among those that match visible. It takes one request for a
// query and build; pages and filters use the same result. It returns nil if the query has no meaning, or one of another
// model.
func (x *Index) nearest(ctx context.Context, at *build, query *search.Query, visible string) (*nearest, error) {
	m := query.Meaning
	if m == nil {
		return nil, nil
	}
	found := &nearest{similarities: map[catalogue.ID]float32{}}
	if len(m.Vector) != at.state.Dimensions || len(m.Vector) == 0 {
		return found, nil
	}
	components := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(m.Vector), "[]")), ",")
	key := fmt.Sprint(m.Least, components, visible)
	if known, ok := x.near.get(at, key); ok {
		return known, nil
	}
	var r round
	for passage := range catalogue.MaxPassages {
		r.ask(searchRequest{
			Q: "*", FilterBy: visible, IncludeFields: "id", PerPage: search.MaxNearest,
			VectorQuery: fmt.Sprintf("%s:([%s], k:%d, flat_search_cutoff:%d)", vectorField(passage), components, search.MaxNearest, flatSearch),
		}, func(answer *searchAnswer) error {
			hits, err := readHits(answer)
			for i := range hits {
				if similarity := 1 - answer.Hits[i].VectorDistance; similarity >= m.Least {
					found.similarities[hits[i].video] = max(similarity, found.similarities[hits[i].video])
				}
			}
			return err
		})
	}
	if err := x.run(ctx, at, &r); err != nil {
		return nil, err
	}
	found.cut()
	x.near.put(at, key, found)
	return found, nil
}

// cut keeps the search.MaxNearest nearest documents.
func (n *nearest) cut() {
	all := slices.SortedFunc(maps.Keys(n.similarities), func(a, b catalogue.ID) int {
		return cmp.Or(cmp.Compare(n.similarities[b], n.similarities[a]), cmp.Compare(a, b))
	})
	n.ids = all[:min(len(all), search.MaxNearest)]
	for _, id := range all[len(n.ids):] {
		delete(n.similarities, id)
	}
	for _, similarity := range n.similarities {
		n.greatest = max(n.greatest, similarity)
	}
}
