package auth

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// roster is who and what counts at one version of the store: immutable, shared by all requests.
type roster struct {
	version int64
	clients map[string]*account.LegacyClient
	keys    *keyring
}

// client returns the client with an ID, nil where there is none or it is disabled.
func (r *roster) client(id string) *account.LegacyClient {
	client := r.clients[id]
	if client == nil || client.Disabled {
		return nil
	}
	return client
}

// storeTimeout bounds one reading of the store, so that one that hangs cannot hold up all requests
// that wait for news.
const storeTimeout = 5 * time.Second

// roll holds the newest roster and renews it.
type roll struct {
	accounts Accounts
	current  atomic.Pointer[roster]

	// begun counts the readings of the store that have begun; mu is held throughout each.
	begun atomic.Int64
	mu    sync.Mutex
	// failed is what the last reading ended with.
	failed error
}

func openRoll(ctx context.Context, accounts Accounts) (*roll, error) {
	r := &roll{accounts: accounts}
	return r, r.refresh(ctx)
}

// now returns the newest roster.
func (r *roll) now() *roster { return r.current.Load() }

// refresh makes sure that the roster is no older than this call. Calls that come together share one
// reading of the store, and where the version is the same that reading is a single number.
func (r *roll) refresh(ctx context.Context) error {
	asked := r.begun.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun.Load() > asked && r.failed == nil {
		return nil // another call read the store after this one asked
	}
	r.begun.Add(1)
	r.failed = r.read(ctx)
	return r.failed
}

func (r *roll) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// The version is read first: a change that comes in between is then read once more, not missed.
	version, err := r.accounts.Version(ctx)
	if err != nil {
		return fmt.Errorf("auth: reading the version of accounts: %w", err)
	}
	if last := r.now(); last != nil && last.version == version {
		return nil
	}
	clients, err := r.accounts.Clients(ctx)
	if err != nil {
		return fmt.Errorf("auth: reading clients: %w", err)
	}
	keys, err := r.accounts.Keys(ctx, signingPurpose)
	if err != nil {
		return fmt.Errorf("auth: reading signing keys: %w", err)
	}
	ring, err := newKeyring(keys)
	if err != nil {
		return err
	}
	next := &roster{version: version, clients: make(map[string]*account.LegacyClient, len(clients)), keys: ring}
	for _, client := range clients {
		next.clients[client.ID] = client
	}
	r.current.Store(next)
	return nil
}
