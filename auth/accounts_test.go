package auth_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

var _ auth.Accounts = store.Accounts(nil)

// accounts is a real store that can be told to fail, and to lose a client or a key, which its port cannot.
type accounts struct {
	*sqlite.Accounts
	mu      sync.Mutex
	failure error
	lost    string
	// swept gets the instants of DropGrants once they are done.
	swept chan time.Time
}

func newAccounts(t testing.TB, clients ...*account.LegacyClient) *accounts {
	t.Helper()
	opened, err := sqlite.OpenAccounts(context.Background(), filepath.Join(t.TempDir(), "accounts.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	a := &accounts{Accounts: opened, swept: make(chan time.Time, 16)}
	for _, client := range clients {
		a.put(t, client)
	}
	return a
}

// put adds a client or replaces the one with its ID.
func (a *accounts) put(t testing.TB, client *account.LegacyClient) {
	t.Helper()
	if err := a.PutClient(context.Background(), client); err != nil {
		t.Fatal(err)
	}
}

// lose makes a client or a key disappear.
func (a *accounts) lose(t testing.TB, id string) {
	t.Helper()
	a.mu.Lock()
	a.lost = id
	a.mu.Unlock()
	a.put(t, &account.LegacyClient{ID: "successor"}) // the version grows
}

// addKey adds a key that signs from now on.
func (a *accounts) addKey(t testing.TB, now time.Time) account.Key {
	t.Helper()
	key, err := auth.NewSigningKey(now)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AddKey(context.Background(), "signing", key, false); err != nil {
		t.Fatal(err)
	}
	return key
}

// key is the one key of a store that was not given another.
func (a *accounts) key(t testing.TB) account.Key {
	t.Helper()
	keys, err := a.Accounts.Keys(context.Background(), "signing")
	if err != nil || len(keys) != 1 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	return keys[0]
}

// fail makes every call fail from now on; nil: none.
func (a *accounts) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = err
}

func (a *accounts) state() (lost string, failure error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lost, a.failure
}

func (a *accounts) Clients(ctx context.Context) ([]*account.LegacyClient, error) {
	lost, failure := a.state()
	if failure != nil {
		return nil, failure
	}
	clients, err := a.Accounts.Clients(ctx)
	return slices.DeleteFunc(clients, func(c *account.LegacyClient) bool { return c.ID == lost }), err
}

func (a *accounts) Version(ctx context.Context) (int64, error) {
	if _, failure := a.state(); failure != nil {
		return 0, failure
	}
	return a.Accounts.Version(ctx)
}

func (a *accounts) Keys(ctx context.Context, purpose string) ([]account.Key, error) {
	lost, failure := a.state()
	if failure != nil {
		return nil, failure
	}
	keys, err := a.Accounts.Keys(ctx, purpose)
	return slices.DeleteFunc(keys, func(k account.Key) bool { return k.ID == lost }), err
}

func (a *accounts) PutGrant(ctx context.Context, grant account.Grant) error {
	if _, failure := a.state(); failure != nil {
		return failure
	}
	return a.Accounts.PutGrant(ctx, grant)
}

func (a *accounts) RotateGrant(ctx context.Context, old [32]byte, clientID string, next account.Grant, now time.Time) (account.Grant, error) {
	if _, failure := a.state(); failure != nil {
		return account.Grant{}, failure
	}
	return a.Accounts.RotateGrant(ctx, old, clientID, next, now)
}

func (a *accounts) DropGrants(ctx context.Context, expiredBefore time.Time) error {
	err := a.Accounts.DropGrants(ctx, expiredBefore)
	a.swept <- expiredBefore
	return err
}
