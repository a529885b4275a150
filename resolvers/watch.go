package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/graph"
)

func (s subscription) Events(context.Context, []string, []event.Kind, []string) (<-chan *graph.Event, error) {
	return nil, errNoEvents
}
