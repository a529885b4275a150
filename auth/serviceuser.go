package auth

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// serviceUser returns the account's user with the given Service-User-Id and creates the user if necessary. All
// clients of an account share its users.
func (s *Service) serviceUser(ctx context.Context, client *account.Client, externalID string) (*account.User, error) {
	user, err := s.accounts.EnsureUser(ctx, &account.User{
		ID: account.NewUserID(), AccountID: client.AccountID, ExternalID: externalID,
	}, false)
	switch {
	case fault.CodeOf(err) == fault.NotFound: // the account has just been deleted, and its clients with it
		return nil, invalidClient()
	case err != nil:
		return nil, err
	}
	return user, mayHaveTokens(user, client)
}

// userOf returns a user on whose behalf the client may have tokens.
func (s *Service) userOf(ctx context.Context, client *account.Client, id string) (*account.User, error) {
	user, err := account.As[*account.User](s.accounts.Entity(ctx, account.KindUser.Key(id)))
	if err != nil {
		return nil, err
	}
	return user, mayHaveTokens(user, client)
}

// mayHaveTokens rejects a user who is deleted, disabled, or belongs to another account than the client.
func mayHaveTokens(user *account.User, client *account.Client) error {
	if user == nil || user.Disabled || user.AccountID != client.AccountID {
		return invalidGrant("the user is disabled or deleted", nil)
	}
	return nil
}
