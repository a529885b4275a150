package catalogue

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

func (r *Resolver) VideoFeed(ctx context.Context, first int, after *string, updatedAsOf *catalogue.Date) (*model.VideoConnection, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := paging.CheckSize(first, catalogue.MaxFeedSize); err != nil {
		return nil, err
	}
	at := cursor{updatedAsOf: updatedAsOf}
	if after != nil {
		if at, err = r.cursors.read(*after); err != nil {
			return nil, err
		}
	}
	query := store.FeedQuery{After: at.after, Size: first, Access: caller.Access, Today: r.Today()}
	if at.updatedAsOf != nil {
		query.UpdatedFrom = at.updatedAsOf.Start()
	}
	page, err := r.store.Feed(ctx, query)
	if err != nil {
		return nil, err
	}
	cursorAt := func(sequence int64) string {
		return r.cursors.write(cursor{after: sequence, updatedAsOf: at.updatedAsOf})
	}
	connection := &model.VideoConnection{References: &model.References{List: page.Refs}, Cursor: cursorAt}
	if page.More {
		next := cursorAt(page.Next)
		connection.PageInfo = model.PageInfo{HasNextPage: true, EndCursor: &next}
	}
	return connection, nil
}

// Connection resolves the fields of a page of the feed that need the videos themselves.
type Connection struct{ *Resolver }

func (c Connection) Nodes(ctx context.Context, page *model.VideoConnection) ([]*model.Video, error) {
	return c.LoadRefs(ctx, page.References.List)
}

func (c Connection) Edges(ctx context.Context, page *model.VideoConnection) ([]*graph.VideoEdge, error) {
	videos, err := c.LoadRefs(ctx, page.References.List)
	return values.Map(videos, func(video *model.Video) *graph.VideoEdge {
		return &graph.VideoEdge{Cursor: page.Cursor(video.Sequence), Node: video}
	}), err
}
