package auth_test

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/store"
)

var _ auth.Accounts = store.Accounts(nil)

// accounts is a store of accounts in memory that can be told to fail.
type accounts struct {
	mu      sync.Mutex
	version int64
	failure error
	clients map[string]*account.Client
	keys    []account.Key
	grants  map[[32]byte]*storedGrant
}

type storedGrant struct {
	account.Grant
	replaced bool
}

func newAccounts(clients ...*account.Client) *accounts {
	a := &accounts{clients: map[string]*account.Client{}, grants: map[[32]byte]*storedGrant{}}
	for _, client := range clients {
		a.put(client)
	}
	return a
}

// put adds a client or replaces the one with its ID.
func (a *accounts) put(client *account.Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version++
	a.clients[client.ID] = client
}

// remove deletes a client.
func (a *accounts) remove(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version++
	delete(a.clients, id)
}

// fail makes every call fail from now on; nil: none.
func (a *accounts) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = err
}

// families counts the families of refresh tokens that can still be used.
func (a *accounts) families() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	live := map[string]bool{}
	for _, grant := range a.grants {
		if !grant.replaced {
			live[grant.Family] = true
		}
	}
	return len(live)
}

func (a *accounts) Version(context.Context) (int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.version, a.failure
}

func (a *accounts) Clients(context.Context) ([]*account.Client, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []*account.Client
	for _, client := range a.clients {
		all = append(all, client)
	}
	slices.SortFunc(all, func(x, y *account.Client) int { return cmp.Compare(x.ID, y.ID) })
	return all, a.failure
}

func (a *accounts) Keys(_ context.Context, purpose string) ([]account.Key, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if purpose != "signing" {
		return nil, a.failure
	}
	return slices.Clone(a.keys), a.failure
}

func (a *accounts) AddKey(_ context.Context, _ string, key account.Key, onlyFirst bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if onlyFirst && len(a.keys) > 0 || a.failure != nil {
		return a.failure
	}
	a.version++
	a.keys = slices.Insert(a.keys, 0, key)
	return nil
}

func (a *accounts) PutGrant(_ context.Context, grant account.Grant) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failure == nil {
		a.grants[grant.Hash] = &storedGrant{Grant: grant}
	}
	return a.failure
}

func (a *accounts) RotateGrant(_ context.Context, old [32]byte, clientID string, next account.Grant, now time.Time) (account.Grant, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	grant := a.grants[old]
	switch {
	case a.failure != nil:
		return account.Grant{}, a.failure
	case grant == nil || grant.ClientID != clientID || !now.Before(grant.Expires):
		return account.Grant{}, account.ErrGrantUnknown
	case grant.replaced:
		for _, member := range a.grants {
			if member.Family == grant.Family {
				member.replaced = true
			}
		}
		return account.Grant{}, account.ErrGrantReused
	}
	grant.replaced = true
	renewed := grant.Grant
	renewed.Hash, renewed.Expires = next.Hash, next.Expires
	a.grants[next.Hash] = &storedGrant{Grant: renewed}
	return grant.Grant, nil
}

func (a *accounts) DropGrants(_ context.Context, expiredBefore time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for hash, grant := range a.grants {
		if grant.Expires.Before(expiredBefore) {
			delete(a.grants, hash)
		}
	}
	return a.failure
}
