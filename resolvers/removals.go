package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
)

func (q query) RemovedVideos(_ context.Context, _ int, _ *string, _ *catalogue.Date) (*graph.RemovedVideoConnection, error) {
	return nil, notYet
}
