package app

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/store"
)

// RotateKeys returns the function that rotates the keys of these accounts (resolvers.Config).
func RotateKeys(keys store.Keys) func(ctx context.Context, now time.Time, withdraw bool) error {
	return func(ctx context.Context, now time.Time, withdraw bool) error {
		return auth.RotateKeys(ctx, keys, now, withdraw)
	}
}

// keys returns the keys of a purpose, the newest first. The first call for a purpose creates one.
func (s *App) keys(ctx context.Context, purpose string) ([]account.Key, error) {
	return keysOf(ctx, s.stores.Accounts, purpose)
}

func keysOf(ctx context.Context, accounts store.Accounts, purpose string) ([]account.Key, error) {
	if err := accounts.AddKey(ctx, purpose, account.NewKey(time.Now()), true); err != nil {
		return nil, err
	}
	return accounts.Keys(ctx, purpose)
}

// FirstSecret returns the secret of the oldest key, or nil without keys. Pseudonyms and sealed cookies use it, because
// a newer key would change them.
func FirstSecret(keys []account.Key) []byte {
	if len(keys) == 0 {
		return nil
	}
	return keys[len(keys)-1].Secret
}

func secrets(keys []account.Key) [][]byte {
	list := make([][]byte, len(keys))
	for i, key := range keys {
		list[i] = key.Secret
	}
	return list
}

// SignInKeys is the purpose of the keys that seal the state of sign-ins and invitations.
const SignInKeys = "sign-in"

// SignInKey returns the key that seals invitations, and creates it if no server has run on the store yet.
func SignInKey(ctx context.Context, accounts store.Accounts) ([]byte, error) {
	keys, err := keysOf(ctx, accounts, SignInKeys)
	return FirstSecret(keys), err
}

// PersonKeys is the purpose of the keys that turn user names into pseudonyms.
const PersonKeys = "person"
