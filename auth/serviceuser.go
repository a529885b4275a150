package auth

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// personalised returns the user that a client calls by an ID, who comes to be at first sight: one for each
// ID and account, whichever client sends it.
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

// userOf returns the user on whose behalf a client may have tokens.
func (s *Service) userOf(ctx context.Context, client *account.Client, id string) (*account.User, error) {
	record, err := s.accounts.Entity(ctx, account.EntityKey{Kind: account.KindUser, ID: id})
	if err != nil {
		return nil, err
	}
	user, _ := record.(*account.User)
	return user, mayHaveTokens(user, client)
}

// mayHaveTokens refuses a user who is gone, disabled, or of another account than the client.
func mayHaveTokens(user *account.User, client *account.Client) error {
	if user == nil || user.Disabled || user.AccountID != client.AccountID {
		return invalidGrant("the user is disabled or gone", nil)
	}
	return nil
}
