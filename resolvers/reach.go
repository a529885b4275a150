package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// reach is whose use a caller sees who asks for that of accounts; nil: everybody's. Operators see all,
// customers their own account's, and nobody who calls on behalf of a user sees any: one pupil does not see
// what others watch.
func reach(ctx context.Context, accounts []string) ([]string, error) {
	caller, err := caller(ctx)
	switch {
	case err != nil:
		return nil, err
	case caller.Permissions.Has(account.Operate):
		return accounts, nil
	case caller.User != "" || caller.Account == nil:
		return nil, fault.Errorf(fault.Forbidden, "what was used is shown to clients of an account, not to its users")
	}
	for _, id := range accounts {
		if id != caller.Account.ID {
			return nil, fault.Errorf(fault.Forbidden, "the account %q is not the caller's", catalogue.Shorten(id))
		}
	}
	if accounts == nil {
		return []string{caller.Account.ID}, nil
	}
	return accounts, nil
}

// reachOne is reach for what is of one account, which operators have to name.
func reachOne(ctx context.Context, id *string) (string, error) {
	var named []string
	if id != nil {
		named = []string{*id}
	}
	accounts, err := reach(ctx, named)
	switch {
	case err != nil:
		return "", err
	case len(accounts) == 0 || accounts[0] == "":
		return "", invalidField("account", "is required")
	}
	return accounts[0], nil
}
