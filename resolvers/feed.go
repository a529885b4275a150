package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/store"
)

func (q query) VideoFeed(ctx context.Context, first int, after *string, updatedAsOf *catalogue.Date) (*model.VideoConnection, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if first < 1 || first > catalogue.MaxFeedSize {
		return nil, fault.InvalidRequest("%d videos a page are not between 1 and %d", first, catalogue.MaxFeedSize)
	}
	at := cursor{updatedAsOf: updatedAsOf}
	if after != nil {
		if at, err = q.cursors.read(*after); err != nil {
			return nil, err
		}
	}
	query := store.FeedQuery{After: at.after, Size: first, Access: caller.Access, Today: q.today()}
	if at.updatedAsOf != nil {
		query.UpdatedFrom = at.updatedAsOf.Start()
	}
	page, err := q.catalogue.Feed(ctx, query)
	if err != nil {
		return nil, err
	}
	cursorAt := func(sequence int64) string {
		return q.cursors.write(cursor{after: sequence, updatedAsOf: at.updatedAsOf})
	}
	connection := &model.VideoConnection{References: &model.References{List: page.Refs}, Cursor: cursorAt}
	if page.More {
		next := cursorAt(page.Next)
		connection.PageInfo = model.PageInfo{HasNextPage: true, EndCursor: &next}
	}
	return connection, nil
}

type videoConnection struct{ *resolver }

func (c videoConnection) Nodes(ctx context.Context, page *model.VideoConnection) ([]*model.Video, error) {
	return c.loadRefs(ctx, page.References.List)
}

func (c videoConnection) Edges(ctx context.Context, page *model.VideoConnection) ([]*graph.VideoEdge, error) {
	videos, err := c.loadRefs(ctx, page.References.List)
	if err != nil {
		return nil, err
	}
	edges := make([]*graph.VideoEdge, len(videos))
	for i, video := range videos {
		edges[i] = &graph.VideoEdge{Cursor: page.Cursor(video.Sequence()), Node: video}
	}
	return edges, nil
}
