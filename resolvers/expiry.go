package resolvers

import (
	"context"
	"encoding/json"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// ReportAccessExpired leaves one note in the trail of the caller's account for each user and day.
func (m mutation) ReportAccessExpired(ctx context.Context, _ *string) (bool, error) {
	caller, err := caller(ctx)
	if err != nil {
		return false, err
	}
	registry, err := m.administered()
	if err != nil {
		return false, err
	}
	if caller.Account == nil {
		return false, catalogue.Errorf(catalogue.Forbidden, "the client %q has no account", caller.ClientID)
	}
	note, err := json.Marshal(expiryNote{Day: m.today(), User: caller.User})
	if err != nil {
		return false, err
	}
	actor := account.Actor{Client: caller.ClientID, User: caller.User}
	if err := registry.Note(ctx, actor, caller.Account.Key(), note); err != nil {
		return false, err
	}
	return true, nil
}

// expiryNote is what the trail keeps. Equal ones are one.
type expiryNote struct {
	Day  catalogue.Date `json:"accessExpiredReported"`
	User string         `json:"user,omitempty"`
}
