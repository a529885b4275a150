package editing

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/store"
)

func (r *Resolver) CreateVideo(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindVideo, input, origin)
}

func (r *Resolver) UpdateVideo(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindVideo, id, version, input)
}

// RetireVideo hides a video. Its replacement must be visible, because callers are redirected to it.
func (r *Resolver) RetireVideo(ctx context.Context, id catalogue.ID, version *int, into *catalogue.ID) (*graph.CatalogueItem, error) {
	return r.putItem(ctx, func(ctx context.Context, tx store.Tx) (before, after catalogue.Item, err error) {
		before, err = expected(ctx, tx, catalogue.KindVideo, id, version)
		if err == nil && into != nil {
			err = r.checkReplacement(ctx, tx, *into)
		}
		if err != nil {
			return nil, nil, err
		}
		after, err = edited(before, fields{"retired": true, "retiredInto": into})
		return before, after, err
	})
}

// checkReplacement checks that a replacement is visible to somebody. It may be in a private channel.
func (r *Resolver) checkReplacement(ctx context.Context, tx store.Tx, id catalogue.ID) error {
	item, err := itemOf(ctx, tx, catalogue.KindVideo, id)
	if err != nil {
		return err
	}
	name := nameOf(catalogue.KindVideo, id)
	video, exists := item.(*catalogue.Video)
	switch {
	case !exists:
		return inputs.Invalid("into", "there is no %s", name)
	case video.Retired:
		return inputs.Invalid("into", "the %s is retired itself", name)
	case video.AvailableUntil != nil && *video.AvailableUntil < catalogue.DateOf(r.now()):
		return inputs.Invalid("into", "the %s was available until %s", name, *video.AvailableUntil)
	}
	return nil
}

// RestoreVideo shows a retired video again.
func (r *Resolver) RestoreVideo(ctx context.Context, id catalogue.ID, version *int) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindVideo, id, version, fields{"retired": false, "retiredInto": nil})
}

// DeleteVideo also removes the video from collections, which are stored apart. If that fails, nothing shows the video any
// more, and a repeated call removes it although the video no longer exists.
func (r *Resolver) DeleteVideo(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	deleted, err := r.delete(ctx, catalogue.KindVideo, id, version)
	if code := fault.CodeOf(err); r.collections == nil || code != "" && code != fault.NotFound {
		return deleted, err
	}
	if err := r.collections.ForgetVideos(ctx, []catalogue.ID{id}); err != nil {
		return deleted, err
	}
	return deleted, err
}
