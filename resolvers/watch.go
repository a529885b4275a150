package resolvers

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
)

var errNotLive = fault.Errorf(fault.Unavailable, "this server does not show events as they come")

// Events shows what the caller's accounts are told of use, until the caller leaves or the watch ends. That the
// caller may still watch is for the door to see to.
func (s subscription) Events(ctx context.Context, accounts []string, kinds []event.Kind, videos []string) (<-chan *graph.Event, error) {
	accounts, err := reach(ctx, accounts)
	if err != nil {
		return nil, err
	}
	if values := len(accounts) + len(kinds) + len(videos); values > catalogue.MaxFilterValues {
		return nil, fault.InvalidRequest("%d values are more than the %d that a watch may name", values, catalogue.MaxFilterValues)
	}
	if s.live == nil {
		return nil, errNotLive
	}
	filter := event.Filter{Accounts: accounts, Kinds: kinds, Videos: lowered(videos)}
	shown := make(chan *graph.Event)
	go func() {
		defer close(shown)
		graph.EndWith(ctx, s.live.Watch(ctx, filter, func(e *event.Event) error {
			select {
			case shown <- shownEvent(e):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}))
	}()
	return shown, nil
}

// shownEvent is an event as callers see it. Network addresses are not shown.
func shownEvent(e *event.Event) *graph.Event {
	shown := &graph.Event{
		ID: e.ID.String(), Kind: e.Kind, At: e.At.Time(), ReceivedAt: e.Received.Time(),
		Account: unlessEmpty(e.Account), Client: unlessEmpty(e.Client), User: unlessEmpty(e.User), ExternalUser: unlessEmpty(e.ExternalUser),
		VideoID: unlessEmpty(e.Video), Subtype: unlessEmpty(e.Subtype), TraceID: unlessEmpty(e.Trace), Referer: unlessEmpty(e.Referer),
		Details: jsontext.Value(e.Details), Metadata: jsontext.Value(e.Metadata),
	}
	if e.Kind == event.Playback {
		start, end, counted := inSeconds(e.Start), inSeconds(e.End), inSeconds(e.Counted)
		shown.SegmentStartSeconds, shown.SegmentEndSeconds, shown.CountedSeconds = &start, &end, &counted
	}
	return shown
}

// unlessEmpty is nil for what is not known.
func unlessEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
