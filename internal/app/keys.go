package app

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// keys returns the secrets for a purpose, made at first need.
func (s *App) keys(ctx context.Context, purpose string) ([]account.Key, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	first := account.Key{ID: rand.Text(), Secret: secret, CreatedAt: time.Now()}
	if err := s.stores.Accounts.AddKey(ctx, purpose, first, true); err != nil {
		return nil, err
	}
	return s.stores.Accounts.Keys(ctx, purpose)
}

// FirstSecret is the oldest of some keys, nil where there are none: for what another key would make anew.
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

// PersonKeys is the purpose of the keys that pseudonyms are made with.
const PersonKeys = "person"
