package editing_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// collectionsPort is a name for the port, whose own name is that of one of its methods.
type collectionsPort = store.Collections

// failingCollections is a store of collections that fails while it is away.
type failingCollections struct {
	collectionsPort
	away bool
}

func (f *failingCollections) ForgetVideos(ctx context.Context, ids []catalogue.ID) error {
	if f.away {
		return fault.Errorf(fault.Unavailable, "away")
	}
	return f.collectionsPort.ForgetVideos(ctx, ids)
}

// TestDeletedVideosLeaveCollections proves that collections lose a deleted video, even if their store failed at first.
func TestDeletedVideosLeaveCollections(t *testing.T) {
	stored, err := sqlite.OpenCollections(t.Context(), filepath.Join(t.TempDir(), "collections.db"), sqlite.WithClock(resolverstest.Now))
	resolverstest.Must(t, err)
	t.Cleanup(func() { resolverstest.Must(t, stored.Close()) })
	collections := &failingCollections{collectionsPort: stored}
	sinking, hidden := resolverstest.IDOf(catalogue.KindVideo, "sinking"), resolverstest.IDOf(catalogue.KindVideo, "secret")
	made, err := stored.Create(t.Context(), &collection.Collection{
		ID: resolverstest.IDOf("collection", "one"), Account: "school", Owner: "ada", Title: "Water",
		Assets: []collection.Asset{{VideoID: hidden}, {VideoID: sinking}}, Anyone: collection.ViewOnly,
	})
	resolverstest.Must(t, err)
	videosOf := func() (ids []catalogue.ID) {
		found, err := stored.Collections(t.Context(), []catalogue.ID{made.ID})
		resolverstest.Must(t, err)
		for _, asset := range found[0].Assets {
			ids = append(ids, asset.VideoID)
		}
		return ids
	}
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t, func(c *endpoint.Config) {
		c.Schema = resolverstest.NewSchema(t, func(c *resolvers.Config) { c.Collections = collections })
	})}
	const remove = `mutation($id: ID!) { deleteVideo(id: $id) }`
	a.Do(t, remove, resolverstest.Object("id", sinking))
	if got := videosOf(); len(got) != 1 || got[0] != hidden {
		t.Errorf("the collection holds %v", got)
	}
	collections.away = true
	a.WantError(t, fault.Unavailable, "away", remove, resolverstest.Object("id", hidden))
	collections.away = false
	a.WantError(t, fault.NotFound, string(hidden), remove, resolverstest.Object("id", hidden))
	if got := videosOf(); len(got) != 0 {
		t.Errorf("the collection holds %v", got)
	}
}
