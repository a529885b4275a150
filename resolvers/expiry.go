package resolvers

import (
	"context"
	"encoding/json"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// ReportAccessExpired is an event, and leaves one note in the trail of the caller's account for each user and
// day. Where no events are taken the note is all.
func (m mutation) ReportAccessExpired(ctx context.Context, key *string) (bool, error) {
	caller, err := caller(ctx)
	if err != nil {
		return false, err
	}
	if caller.Account == nil {
		return false, fault.Errorf(fault.Forbidden, "the client %q has no account", caller.ClientID)
	}
	if m.events == nil {
		err := m.noteExpiry(ctx, caller)
		return err == nil, err
	}
	return m.record(ctx, telling{what: event.AccessExpired, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(event.Event{Kind: event.AccessExpired, At: received, Received: received}, m.noteExpiry(ctx, caller))
	})
}

func (m mutation) noteExpiry(ctx context.Context, caller *account.Caller) error {
	registry, err := m.administered()
	if err != nil {
		return err
	}
	note, err := json.Marshal(expiryNote{Day: m.today(), User: caller.User})
	if err != nil {
		return err
	}
	actor := account.Actor{Client: caller.ClientID, User: caller.User}
	return registry.Note(ctx, actor, caller.Account.Key(), note)
}

// expiryNote is what the trail keeps. Equal ones are one.
type expiryNote struct {
	Day  catalogue.Date `json:"accessExpiredReported"`
	User string         `json:"user,omitempty"`
}
