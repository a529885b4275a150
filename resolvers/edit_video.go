package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/store"
)

func (m mutation) CreateVideo(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindVideo, input, origin)
}

func (m mutation) UpdateVideo(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindVideo, id, version, input)
}

// RetireVideo hides a video. Its twin has to be seen, or whoever is sent to it would find nothing.
func (m mutation) RetireVideo(ctx context.Context, id catalogue.ID, version *int, into *catalogue.ID) (*graph.CatalogueItem, error) {
	return m.putDraft(ctx, func(ctx context.Context, tx store.Tx) (*draft, error) {
		stored, err := expectedItem(ctx, tx, catalogue.KindVideo, id, version)
		if err == nil && into != nil {
			err = m.checkTwin(ctx, tx, *into)
		}
		if err != nil {
			return nil, err
		}
		said, err := readLine(catalogue.KindVideo, fields{"id": id, "retired": true, "retiredInto": into})
		return &draft{said: said, stored: stored}, err
	})
}

// checkTwin holds a twin to be one that somebody sees. Who sees a private channel is not asked.
func (m mutation) checkTwin(ctx context.Context, tx store.Tx, id catalogue.ID) error {
	twin, err := itemOf(ctx, tx, catalogue.KindVideo, id)
	if err != nil {
		return err
	}
	video, isThere := twin.(*catalogue.Video)
	switch {
	case !isThere:
		return invalidField("into", "there is no %s", nameOfItem(catalogue.KindVideo, id))
	case video.Retired:
		return invalidField("into", "the %s is retired itself", nameOfItem(catalogue.KindVideo, id))
	case video.AvailableUntil != nil && *video.AvailableUntil < m.today():
		return invalidField("into", "the %s was available until %s", nameOfItem(catalogue.KindVideo, id), *video.AvailableUntil)
	}
	return nil
}

// RestoreVideo shows a retired video again.
func (m mutation) RestoreVideo(ctx context.Context, id catalogue.ID, version *int) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindVideo, id, version, fields{"retired": false, "retiredInto": nil})
}

// DeleteVideo also takes the video out of collections, which lie apart: where that fails, nothing shows the video
// all the same, and calling again makes it good, although the video is not there any more.
func (m mutation) DeleteVideo(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	deleted, err := m.deleteItem(ctx, catalogue.KindVideo, id, version)
	if code := fault.CodeOf(err); m.shelves == nil || code != "" && code != fault.NotFound {
		return deleted, err
	}
	if forgetting := m.shelves.ForgetVideos(ctx, []catalogue.ID{id}); forgetting != nil {
		return deleted, forgetting
	}
	return deleted, err
}
