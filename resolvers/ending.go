package resolvers

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// What was signed in ends with whoever is disabled, suspended or deleted. Access tokens of clients and
// accounts need nothing: the roster, which every request is held against, does not know them any more.

const (
	// underWay is how long a token may take to be made for a user who has just been disabled.
	underWay = 5 * time.Second
	// revokeSlack is by how much a revocation outlives what it revokes: clocks of processes differ.
	revokeSlack = time.Minute
)

// leftBehind returns where signing in is kept, or an error of code Unavailable.
func (r *resolver) leftBehind() (store.SignIns, error) {
	if r.signIns == nil {
		return nil, fault.Errorf(fault.Unavailable, "tokens cannot be ended here")
	}
	return r.signIns, nil
}

// endUser ends all sessions and tokens of a user who may not come any more.
func (r *resolver) endUser(ctx context.Context, id string) error {
	return r.endSignIns(ctx, id, r.now().Add(underWay))
}

// endSignIns ends a user's sessions and refresh tokens, and the access tokens that were given before an
// instant. The sessions go first: they could give new ones.
func (r *resolver) endSignIns(ctx context.Context, user string, before time.Time) error {
	signIns, err := r.leftBehind()
	if err != nil {
		return err
	}
	if err := signIns.DropSessions(ctx, "", user); err != nil {
		return err
	}
	if err := signIns.DropGrants(ctx, account.GrantFilter{User: user}); err != nil {
		return err
	}
	return signIns.Revoke(ctx, []string{account.UserMark(user, before)}, before.Add(r.accessLifetime+revokeSlack))
}

// endClient ends the refresh tokens of a client.
func (r *resolver) endClient(ctx context.Context, id string) error {
	signIns, err := r.leftBehind()
	if err != nil {
		return err
	}
	return signIns.DropGrants(ctx, account.GrantFilter{Client: id})
}

// endAccount ends the refresh tokens of all clients of an account.
func (r *resolver) endAccount(ctx context.Context, id string) error {
	registry, err := r.administered()
	if err != nil {
		return err
	}
	for after := ""; ; {
		clients, err := registry.Entities(ctx, account.KindClient, id, after, maxRecords)
		if err != nil {
			return err
		}
		for _, client := range clients {
			after = client.Key().ID
			if err := r.endClient(ctx, after); err != nil {
				return err
			}
		}
		if len(clients) < maxRecords {
			return nil
		}
	}
}
