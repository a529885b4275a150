package events

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

var errNotLive = fault.Errorf(fault.Unavailable, "this server does not show events live")

// Events shows the events of the caller's accounts until the context ends or the caller is too slow. The transport must
// end it when the caller loses the right to watch.
func (r *Resolver) Events(ctx context.Context, accounts []string, kinds []event.Kind, videos []string) (<-chan *graph.Event, error) {
	if err := authz.RequireOfStaff(ctx, account.ViewPersons); err != nil {
		return nil, err
	}
	accounts, err := authz.Accounts(ctx, accounts)
	if err != nil {
		return nil, err
	}
	if n := len(accounts) + len(kinds) + len(videos); n > catalogue.MaxFilterValues {
		return nil, fault.InvalidRequest("%d values are more than the %d that a subscription may name", n, catalogue.MaxFilterValues)
	}
	if r.Source == nil {
		return nil, errNotLive
	}
	filter := event.Filter{Accounts: accounts, Kinds: kinds, Videos: values.Lower(videos)}
	shown := make(chan *graph.Event)
	go func() {
		defer close(shown)
		graph.EndWith(ctx, r.Source.Watch(ctx, filter, func(e *event.Event) error {
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

// shownEvent shows an event without its network address.
func shownEvent(e *event.Event) *graph.Event {
	shown := &graph.Event{
		ID: e.ID.String(), Kind: e.Kind, At: e.At.Time(), ReceivedAt: e.Received.Time(),
		Account: values.OrNil(e.Account), Client: values.OrNil(e.Client), User: values.OrNil(e.User), ExternalUser: values.OrNil(e.ExternalUser),
		VideoID: values.OrNil(e.Video), Subtype: values.OrNil(e.Subtype), TraceID: values.OrNil(e.Trace), Referer: values.OrNil(e.Referer),
		Details: jsontext.Value(e.Details), Metadata: jsontext.Value(e.Metadata),
		Continues: e.Continues,
	}
	if e.Kind == event.Playback {
		start, end, counted := seconds(e.Start), seconds(e.End), seconds(e.Counted)
		shown.SegmentStartSeconds, shown.SegmentEndSeconds, shown.CountedSeconds = &start, &end, &counted
	}
	return shown
}

func seconds(milliseconds int64) float64 { return catalogue.Millis(milliseconds).Seconds() }
