package accounts

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// Sessions and tokens end when a user, client or account is disabled, suspended or deleted. Access tokens of clients and
// accounts end without further work, because the roster, which checks every request, no longer contains the client.

const (
	// issueTime is how long it may take to issue a token to a user who has just been disabled.
	issueTime = 5 * time.Second
	// clockSlack is how much longer a revocation lasts than the tokens that it revokes, because clocks differ.
	clockSlack = time.Minute
)

// signIns returns the store of sessions and tokens, or an error with the code Unavailable if there is none.
func (r *Resolver) signIns() (store.SignIns, error) {
	if r.SignIns == nil {
		return nil, fault.Errorf(fault.Unavailable, "tokens cannot be ended here")
	}
	return r.SignIns, nil
}

// endUser ends all sessions and tokens of a user who may not sign in any more.
func (r *Resolver) endUser(ctx context.Context, id string) error {
	return r.endSignIns(ctx, id, issueTime)
}

// endSignIns ends the sign-ins of a user, and the access tokens issued until now or for some time from now.
func (r *Resolver) endSignIns(ctx context.Context, user string, further time.Duration) error {
	signIns, err := r.signIns()
	if err != nil {
		return err
	}
	return EndSignIns(ctx, signIns, user, func() time.Time { return r.Now().Add(further) }, r.AccessLifetime)
}

// EndSignIns ends the sessions and refresh tokens of a user, and the access tokens issued until now, which are valid for a
// lifetime. Sessions end first, because they could issue new tokens. Refresh tokens end before the access tokens, so that none
// issues an access token that is newer than the revocation.
func EndSignIns(ctx context.Context, signIns store.SignIns, user string, now func() time.Time, lifetime time.Duration) error {
	if err := signIns.DropSessions(ctx, "", user); err != nil {
		return err
	}
	if err := signIns.DropGrants(ctx, account.GrantFilter{User: user}); err != nil {
		return err
	}
	before := now()
	return signIns.Revoke(ctx, []string{account.UserMark(user, before)}, before.Add(lifetime+clockSlack))
}

// endClient ends the refresh tokens of a client.
func (r *Resolver) endClient(ctx context.Context, id string) error {
	signIns, err := r.signIns()
	if err != nil {
		return err
	}
	return signIns.DropGrants(ctx, account.GrantFilter{Client: id})
}

// endAccount ends the refresh tokens of all clients of an account.
func (r *Resolver) endAccount(ctx context.Context, id string) error {
	records, err := r.Registry.Store()
	if err != nil {
		return err
	}
	for client, err := range store.Records[*account.Client](ctx, records, account.KindClient, id, "") {
		if err != nil {
			return err
		}
		if err := r.endClient(ctx, client.ID); err != nil {
			return err
		}
	}
	return nil
}
