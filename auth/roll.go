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

// roster is who and what counts at one version of the store: immutable, shared by all requests. Its two
// parts change apart: a revocation does not make a process read all records again.
type roster struct {
	version account.RosterVersion
	// edition grows with every change of records.
	edition int64
	records *records
	revoked *revocations
}

// records are the accounts, clients and keys of one version, with what the collections hold that content
// packages name.
type records struct {
	*account.Roster
	// bare is the roster without what collections hold.
	bare *account.Roster
	// origins are those that any account which is not suspended allows.
	origins map[string]bool
	keys    *keyring
}

func recordsOf(list []account.Record, keys *keyring) *records {
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

// storeTimeout bounds one reading of the store, so that one that hangs cannot hold up all requests
// that wait for news.
const storeTimeout = 5 * time.Second

// roll holds the newest roster and renews it.
type roll struct {
	accounts     Accounts
	collections  Collections
	logger       *slog.Logger
	clock        func() time.Time
	publishAhead time.Duration
	current      atomic.Pointer[roster]

	// begun counts the readings of the store that have begun; mu is held throughout each.
	begun atomic.Int64
	mu    sync.Mutex
	// held is what collections held at the last reading that did not fail; heldFailing: the last did.
	held        held
	heldFailing bool
	// failed is what the last reading ended with.
	failed error
}

func openRoll(ctx context.Context, config Config) (*roll, error) {
	r := &roll{
		accounts: config.Accounts, collections: config.Collections, logger: config.Logger, clock: config.Clock,
		publishAhead: config.PublishAhead,
	}
	return r, r.refresh(ctx)
}

// now returns the newest roster.
func (r *roll) now() *roster { return r.current.Load() }

// refresh makes sure that the roster is no older than this call. Calls that come together share one
// reading of the store, and where the version is the same that reading is one row.
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

func (r *roll) readRecords(ctx context.Context) (*records, error) {
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

func (r *roll) readRevoked(ctx context.Context) (*revocations, error) {
	marks, err := r.accounts.Revoked(ctx, r.clock())
	if err != nil {
		return nil, fmt.Errorf("auth: reading revocations: %w", err)
	}
	revoked := revocationsOf(marks)
	return &revoked, nil
}
