package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/store"
)

// RemovedVideos is the same for all callers: what each could see of a video that is gone is not known any more. It
// tells ids alone.
func (q query) RemovedVideos(ctx context.Context, first int, after *string, updatedAsOf *catalogue.Date) (*graph.RemovedVideoConnection, error) {
	if first < 1 || first > catalogue.MaxFeedSize {
		return nil, fault.InvalidRequest("%d videos a page are not between 1 and %d", first, catalogue.MaxFeedSize)
	}
	at := removalCursor{updatedAsOf: updatedAsOf}
	if after != nil {
		var err error
		if at, err = q.cursors.readRemoval(*after); err != nil {
			return nil, err
		}
	}
	query := store.RemovalQuery{After: at.place, Size: first, Today: q.today()}
	if at.updatedAsOf != nil {
		query.From = at.updatedAsOf.Start()
	}
	page, err := q.catalogue.Removals(ctx, query)
	if err != nil {
		return nil, err
	}
	connection := &graph.RemovedVideoConnection{Nodes: make([]*catalogue.Removal, len(page.Removals)), PageInfo: &model.PageInfo{}}
	for i := range page.Removals {
		connection.Nodes[i] = &page.Removals[i]
	}
	if page.More {
		next := q.cursors.writeRemoval(removalCursor{place: page.Next, updatedAsOf: at.updatedAsOf})
		connection.PageInfo = &model.PageInfo{HasNextPage: true, EndCursor: &next}
	}
	return connection, nil
}
