package auth

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// roster is an immutable snapshot of the store at one version, shared by all requests. Its two parts change
// independently, so a revocation does not cause a process to read all records again.
type roster struct {
	version account.RosterVersion
	// edition increases with every change of records.
	edition int64
	records *records
	revoked *revocations
}

// records holds the accounts, clients and keys of one version, and the videos of the collections that content
// packages name.
type records struct {
	*account.Roster
	// bare is the roster without the videos of collections.
	bare *account.Roster
	// origins is the union of the origins that active accounts allow.
	origins map[string]bool
	keys    *keyring
}

func recordsOf(list []account.Entity, keys *keyring) *records {
	bare := account.NewRoster(list)
	r := &records{Roster: bare, bare: bare, origins: map[string]bool{}, keys: keys}
	for _, customer := range r.Accounts {
		if customer.Status != account.Active {
			continue
		}
		for _, origin := range customer.AllowedOrigins {
			r.origins[origin] = true
		}
	}
	return r
}

// storeTimeout bounds one read of the store, so that a read that hangs cannot block every request that waits for
// a refresh.
const storeTimeout = 5 * time.Second

// rosterStore holds the newest roster and renews it.
type rosterStore struct {
	accounts     Accounts
	collections  Collections
	logger       *slog.Logger
	clock        func() time.Time
	publishAhead time.Duration
	current      atomic.Pointer[roster]

	// begun counts the reads of the store that have started; each read holds mu throughout.
	begun atomic.Int64
	mu    sync.Mutex
	// packages is the result of the last successful read of collections; packagesFailing is set while reads fail.
	packages        packageCollections
	packagesFailing bool
	// failed is the error of the last read.
	failed error
}

func openRosterStore(ctx context.Context, config Config) (*rosterStore, error) {
	r := &rosterStore{
		accounts: config.Accounts, collections: config.Collections, logger: config.Logger, clock: config.Clock,
		publishAhead: config.PublishAhead,
	}
	return r, r.refresh(ctx)
}

// now returns the newest roster.
func (r *rosterStore) now() *roster { return r.current.Load() }

// refresh ensures that the roster is no older than this call. Concurrent calls share one read of the store; if the
// version has not changed, that read is one row.
func (r *rosterStore) refresh(ctx context.Context) error {
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

func (r *rosterStore) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// Read the version first: a change in between is then read again, not missed.
	version, err := r.accounts.RosterVersion(ctx)
	if err != nil {
		return fmt.Errorf("auth: reading the version of accounts: %w", err)
	}
	last := r.now()
	next := &roster{version: version}
	if last != nil && last.version.Records == version.Records {
		next.records = last.records
	} else if next.records, err = r.readRecords(ctx); err != nil {
		return err
	}
	if last != nil && last.version.Revoked == version.Revoked {
		next.revoked = last.revoked
	} else if next.revoked, err = r.readRevoked(ctx); err != nil {
		return err
	}
	if err := r.fill(ctx, next, last); err != nil {
		return err
	}
	if last == nil || next.records != last.records || next.revoked != last.revoked {
		r.current.Store(next)
	}
	return nil
}

func (r *rosterStore) readRecords(ctx context.Context) (*records, error) {
	list, _, err := r.accounts.Roster(ctx)
	if err != nil {
		return nil, fmt.Errorf("auth: reading accounts: %w", err)
	}
	keys, err := readKeyring(ctx, r.accounts, r.publishAhead)
	if err != nil {
		return nil, err
	}
	return recordsOf(list, keys), nil
}

func (r *rosterStore) readRevoked(ctx context.Context) (*revocations, error) {
	marks, err := r.accounts.Revoked(ctx, r.clock())
	if err != nil {
		return nil, fmt.Errorf("auth: reading revocations: %w", err)
	}
	revoked := revocationsOf(marks)
	return &revoked, nil
}
