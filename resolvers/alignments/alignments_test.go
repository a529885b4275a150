package alignments_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
)

// countingStore counts the videos whose states are read.
type countingStore struct {
	store.Catalogue
	read int
}

func (s *countingStore) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	s.read += len(ids)
	return s.Catalogue.States(ctx, ids)
}

// TestThemesWithoutVideos proves that a request reads the states of the themes' videos only if it selects them.
func TestThemesWithoutVideos(t *testing.T) {
	counting := &countingStore{}
	handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) {
		c.Schema = resolverstest.NewSchema(t, func(c *resolvers.Config) {
			counting.Catalogue = c.Catalogue
			c.Catalogue = counting
			resolverstest.Must(t, c.Catalogue.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
				_, err := tx.Put(ctx, themes())
				return err
			}))
		})
	})
	for query, read := range map[string]int{
		`{ themes { id title topics { title targets { title } } } }`:                                     0,
		`{ themes { id } theme(provider: "books", id: "` + string(physics) + `") { topics { title } } }`: 0,
		`{ themes { topics { targets { videoIds } } } }`:                                                 2,
		`{ themes { topics { targets { found: references } } } }`:                                        2,
		`{ themes { topics { ...T } } } fragment T on ThemeTopic { targets { videos { id } } }`:          2,
	} {
		counting.read = 0
		w := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(query, nil))
		if w.Code != http.StatusOK || resolverstest.Read(t, w).Errors != nil || counting.read != read {
			t.Errorf("%s: got %d %s after the states of %d videos, want %d", query, w.Code, w.Body, counting.read, read)
		}
	}
}

var physics = resolverstest.IDOf(catalogue.KindTheme, "physics")

// themes returns a provider with a theme of two videos.
func themes() []catalogue.Item {
	provider := resolverstest.IDOf(catalogue.KindProvider, "books")
	return []catalogue.Item{
		&catalogue.Provider{
			Meta: catalogue.Meta{ID: provider, Source: "test", Reference: "books"}, Name: "Books", Slug: "books", Types: []string{"Textbook"},
		},
		&catalogue.Theme{
			Meta: catalogue.Meta{ID: physics, Source: "test", Reference: "physics"}, ProviderID: provider, Type: "Textbook", Title: "Physics",
			Topics: []catalogue.ThemeTopic{{Title: "Fluids", Targets: []catalogue.ThemeTarget{{
				Title: "Say why things float", VideoIDs: []catalogue.ID{resolverstest.Floating, resolverstest.Secret},
			}}}},
		},
	}
}
