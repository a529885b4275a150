package auth_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// The store provides everything that the service needs.
var _ auth.Accounts = interface {
	store.Registry
	store.SignIns
	store.Keys
}(nil)

// accounts is a SQLite store whose calls can be made to fail, and that counts the calls of its methods.
type accounts struct {
	*sqlite.Accounts
	path     string
	mu       sync.Mutex
	failure  error
	failOnly string
	read     map[string]int
	// meanwhile, if not nil, runs before a grant is stored and receives the grant.
	meanwhile func(account.Grant)
	// begun contains the creation times of clients that differ from the store's.
	begun map[string]time.Time
	// swept receives the time of each Sweep once the sweep is done.
	swept chan time.Time
}

// newAccounts returns a store that contains only the key of ID tokens, because generating one takes long.
func newAccounts(t testing.TB) *accounts {
	t.Helper()
	a := newStore(t)
	if err := a.AddKey(context.Background(), "identity", identityKey(), true); err != nil {
		t.Fatal(err)
	}
	return a
}

func newStore(t testing.TB) *accounts {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "accounts.db"))
}

// reopen opens the store a second time, as another process does.
func (a *accounts) reopen(t testing.TB) *accounts {
	t.Helper()
	return openStore(t, a.path)
}

func openStore(t testing.TB, path string) *accounts {
	t.Helper()
	opened, err := sqlite.OpenAccounts(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return &accounts{Accounts: opened, path: path, read: map[string]int{}, swept: make(chan time.Time, 16)}
}

var identityKey = sync.OnceValue(func() account.Key {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		panic(err)
	}
	return account.Key{ID: "an-identity-key-of-all-the-tests-in-this-ro", Secret: secret, CreatedAt: begin}
})

// put adds entities, or replaces those with the same keys.
func (a *accounts) put(t testing.TB, records ...account.Entity) {
	t.Helper()
	if err := authtest.Put(context.Background(), a, records...); err != nil {
		t.Fatal(err)
	}
}

// remove deletes an entity.
func (a *accounts) remove(t testing.TB, kind account.Kind, id string) {
	t.Helper()
	err := a.Edit(context.Background(), account.Actor{}, func(ctx context.Context, tx store.RegistryTx) error {
		return tx.Delete(ctx, account.EntityKey{Kind: kind, ID: id})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// replace deletes a client and adds another, created at now.
func (a *accounts) replace(t testing.TB, client *account.Client, now time.Time) {
	t.Helper()
	a.remove(t, account.KindClient, client.ID)
	a.mu.Lock()
	a.begun = map[string]time.Time{client.ID: now}
	a.mu.Unlock()
	a.put(t, client)
}

// user returns the stored user with an ID.
func (a *accounts) user(t testing.TB, id string) *account.User {
	t.Helper()
	record, err := a.Accounts.Entity(context.Background(), account.EntityKey{Kind: account.KindUser, ID: id})
	if err != nil || record == nil {
		t.Fatalf("%v, %v", record, err)
	}
	return record.(*account.User)
}

// disable disables or enables a user.
func (a *accounts) disable(t testing.TB, id string, disabled bool) {
	t.Helper()
	user := a.user(t, id)
	user.Disabled = disabled
	a.put(t, user)
}

// addKey adds a key for access tokens.
func (a *accounts) addKey(t testing.TB, now time.Time) account.Key {
	t.Helper()
	key := foreignKey(now)
	if err := a.AddKey(context.Background(), "signing", key, false); err != nil {
		t.Fatal(err)
	}
	return key
}

// foreignKey returns a new key that no service knows.
func foreignKey(now time.Time) account.Key {
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed)
	return account.Key{ID: rand.Text(), Secret: seed, CreatedAt: now}
}

// keys returns the keys for a purpose, newest first.
func (a *accounts) keys(t testing.TB, purpose string) []account.Key {
	t.Helper()
	keys, err := a.Accounts.Keys(context.Background(), purpose)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// key returns the key for access tokens. The store must contain exactly one.
func (a *accounts) key(t testing.TB) account.Key {
	t.Helper()
	keys := a.keys(t, "signing")
	if len(keys) != 1 {
		t.Fatalf("%d keys", len(keys))
	}
	return keys[0]
}

// fail makes every later call, or every later call of one method, return err. A nil err ends the failures.
func (a *accounts) fail(err error, only ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure, a.failOnly = err, ""
	if len(only) > 0 {
		a.failOnly = only[0]
	}
}

// reads returns how often a method was called.
func (a *accounts) reads(method string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.read[method]
}

func (a *accounts) call(method string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read[method]++
	if a.failOnly != "" && a.failOnly != method {
		return nil
	}
	return a.failure
}

func (a *accounts) Roster(ctx context.Context) ([]account.Entity, account.RosterVersion, error) {
	if err := a.call("Roster"); err != nil {
		return nil, account.RosterVersion{}, err
	}
	records, version, err := a.Accounts.Roster(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, record := range records {
		if at, ok := a.begun[record.Key().ID]; ok && record.Key().Kind == account.KindClient {
			record.Head().CreatedAt = at
		}
	}
	return records, version, err
}

func (a *accounts) RosterVersion(ctx context.Context) (account.RosterVersion, error) {
	if err := a.call("RosterVersion"); err != nil {
		return account.RosterVersion{}, err
	}
	return a.Accounts.RosterVersion(ctx)
}

func (a *accounts) Entity(ctx context.Context, key account.EntityKey) (account.Entity, error) {
	if err := a.call("Record"); err != nil {
		return nil, err
	}
	return a.Accounts.Entity(ctx, key)
}

func (a *accounts) EnsureUser(ctx context.Context, user *account.User, profile bool) (*account.User, error) {
	if err := a.call("EnsureUser"); err != nil {
		return nil, err
	}
	return a.Accounts.EnsureUser(ctx, user, profile)
}

func (a *accounts) Keys(ctx context.Context, purpose string) ([]account.Key, error) {
	if err := a.call("Keys"); err != nil {
		return nil, err
	}
	return a.Accounts.Keys(context.WithoutCancel(ctx), purpose)
}

// DropKeys, like Keys, lets a sweep end whose service is closed.
func (a *accounts) DropKeys(ctx context.Context, purpose string, ids []string) error {
	return a.Accounts.DropKeys(context.WithoutCancel(ctx), purpose, ids)
}

func (a *accounts) RedeemCode(ctx context.Context, hash [32]byte, now time.Time, fresh account.Grant, check func(account.Code) error) (account.Code, error) {
	if err := a.call("RedeemCode"); err != nil {
		return account.Code{}, err
	}
	return a.Accounts.RedeemCode(ctx, hash, now, fresh, check)
}

func (a *accounts) PutGrant(ctx context.Context, grant account.Grant) error {
	if err := a.call("PutGrant"); err != nil {
		return err
	}
	if a.meanwhile != nil {
		a.meanwhile(grant)
	}
	return a.Accounts.PutGrant(ctx, grant)
}

func (a *accounts) Grant(ctx context.Context, hash [32]byte, now time.Time) (account.Grant, error) {
	if err := a.call("Grant"); err != nil {
		return account.Grant{}, err
	}
	return a.Accounts.Grant(ctx, hash, now)
}

func (a *accounts) RotateGrant(ctx context.Context, old [32]byte, clientID string, next account.Grant, now, notBefore time.Time) (grant, successor account.Grant, err error) {
	if err := a.call("RotateGrant"); err != nil {
		return account.Grant{}, account.Grant{}, err
	}
	return a.Accounts.RotateGrant(ctx, old, clientID, next, now, notBefore)
}

func (a *accounts) DropGrants(ctx context.Context, of account.GrantFilter) error {
	if err := a.call("DropGrants"); err != nil {
		return err
	}
	return a.Accounts.DropGrants(ctx, of)
}

func (a *accounts) Revoke(ctx context.Context, marks []string, until time.Time) error {
	if err := a.call("Revoke"); err != nil {
		return err
	}
	return a.Accounts.Revoke(ctx, marks, until)
}

func (a *accounts) Revoked(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	if err := a.call("Revoked"); err != nil {
		return nil, err
	}
	return a.Accounts.Revoked(ctx, now)
}

func (a *accounts) Sweep(ctx context.Context, expiredBefore time.Time) error {
	err := a.Accounts.Sweep(ctx, expiredBefore)
	a.swept <- expiredBefore
	return err
}
