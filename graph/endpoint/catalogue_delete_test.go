package endpoint_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// kept is another name of the port, whose own is that of one of its methods.
type kept = store.Collections

// forgetful are collections that cannot be reached as long as they are away.
type forgetful struct {
	kept
	away bool
}

func (f *forgetful) ForgetVideos(ctx context.Context, ids []catalogue.ID) error {
	if f.away {
		return fault.Errorf(fault.Unavailable, "away")
	}
	return f.kept.ForgetVideos(ctx, ids)
}

// TestDeletedVideosLeaveCollections, also those that could not be reached at first.
func TestDeletedVideosLeaveCollections(t *testing.T) {
	stored, err := sqlite.OpenCollections(t.Context(), filepath.Join(t.TempDir(), "collections.db"), sqlite.WithClock(now))
	must(t, err)
	t.Cleanup(func() { must(t, stored.Close()) })
	collections := &forgetful{kept: stored}
	sinking, hidden := idOf(catalogue.KindVideo, "sinking"), idOf(catalogue.KindVideo, "secret")
	made, err := stored.Create(t.Context(), &collection.Collection{
		ID: idOf("collection", "one"), Account: "school", Owner: "ada", Title: "Water",
		Assets: []collection.Asset{{VideoID: hidden}, {VideoID: sinking}}, Anyone: collection.ViewOnly,
	})
	must(t, err)
	videosOf := func() (ids []catalogue.ID) {
		found, err := stored.Collections(t.Context(), []catalogue.ID{made.ID})
		must(t, err)
		for _, asset := range found[0].Assets {
			ids = append(ids, asset.VideoID)
		}
		return ids
	}
	a := &administration{handler: newEndpoint(t, func(c *endpoint.Config) {
		c.Schema = newSchema(t, func(c *resolvers.Config) { c.Collections = collections })
	})}
	const remove = `mutation($id: ID!) { deleteVideo(id: $id) }`
	a.do(t, remove, object("id", sinking))
	if got := videosOf(); len(got) != 1 || got[0] != hidden {
		t.Errorf("the collection holds %v", got)
	}
	collections.away = true
	a.refuse(t, fault.Unavailable, "away", remove, object("id", hidden))
	collections.away = false
	a.refuse(t, fault.NotFound, string(hidden), remove, object("id", hidden))
	if got := videosOf(); len(got) != 0 {
		t.Errorf("the collection holds %v", got)
	}
}
