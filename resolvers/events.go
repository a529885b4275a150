package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
)

var errNoEvents = catalogue.Errorf(catalogue.Unavailable, "this server takes no events")

func (m mutation) RecordPlayback(context.Context, event.Body, *string) (bool, error) {
	return false, errNoEvents
}

func (m mutation) RecordPlaybackBatch(context.Context, event.Body, *string) (bool, error) {
	return false, errNoEvents
}

func (m mutation) RecordPlayerInteraction(context.Context, event.Body, *string) (bool, error) {
	return false, errNoEvents
}

func (m mutation) RecordPageRender(context.Context, event.Body, *string) (bool, error) {
	return false, errNoEvents
}

func (m mutation) RecordPlatformInteraction(context.Context, string, bool, event.Body, *string) (bool, error) {
	return false, errNoEvents
}

func (m mutation) RecordSearchCompletions(context.Context, event.Body, *string) (bool, error) {
	return false, errNoEvents
}

func (m mutation) RecordVideoInteraction(context.Context, string, string, event.Body, *string) (bool, error) {
	return false, errNoEvents
}
