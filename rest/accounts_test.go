package rest_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// secret is the client secret of every client.
const secret = "open sesame"

// The clients by name: one with every customer permission, the operator, one whose tier only permits viewing videos,
// one whose tier permits nothing, one whose account teaches history, one that sees the videos of a single channel and
// has allowed origins, and one whose account has expired.
const (
	customer = "customer"
	operator = "operator"
	viewer   = "viewer"
	stranger = "stranger"
	teacher  = "teacher"
	seaside  = "seaside"
	lapsed   = "lapsed"
	pupil    = "pupil" // the customer's client, on behalf of a user
	nobody   = ""      // no token
)

func (w *world) openAccounts(ctx context.Context, directory string) {
	w.accounts = must(sqlite.OpenAccounts(ctx, filepath.Join(directory, "accounts.db"), sqlite.WithClock(w.clock.now)))
	w.closers = append(w.closers, w.accounts.Close)
	check(authtest.Put(ctx, w.accounts, slices.Concat(
		customerWith(customer, func(a *account.Account) { a.Products = []account.Product{"LIBRARY", "CLASSROOM"} }),
		operatorWith(operator, func(a *account.Account) { a.Products = account.Products() }),
		authtest.Customer(viewer, secret, []account.Permission{account.ViewVideos}),
		authtest.Customer(stranger, secret, []account.Permission{}),
		[]account.Entity{&account.ContentPackage{ID: seaside, Name: "Seaside", Rules: []catalogue.AccessRule{
			{Type: catalogue.IncludedChannels, Values: []string{string(idOf("harbour"))}},
		}}},
		customerWith(teacher, func(a *account.Account) { a.Subjects = []catalogue.ID{idOf("history")} }),
		customerWith(seaside, func(a *account.Account) {
			a.ContentPackage, a.AllowedOrigins = seaside, []string{seasideOrigin}
		}),
		[]account.Entity{&account.User{
			ID: pupilID, AccountID: customer, ExternalID: pupil, Email: "ada@customer.example", GivenName: "Ada", FamilyName: "Lovelace",
		}},
		collectionUsers(),
		customerWith(lapsed, func(a *account.Account) { a.AccessExpiresOn = new(catalogue.DateOf(begin) - 1) }),
	)...))
}

// pupilID is the ID of the user behind pupil.
const pupilID = "5f5e5d5c5b5a595857565554"

// seasideOrigin is the allowed origin of the seaside account.
const seasideOrigin = "https://seaside.example"

// operatorWith returns the operator's entities, with change applied to the account.
func operatorWith(id string, change func(*account.Account)) []account.Entity {
	records := authtest.Operator(id, secret)
	change(records[0].(*account.Account))
	return records
}

// customerWith returns the entities of a customer with every permission, with change applied to the account.
func customerWith(id string, change func(*account.Account)) []account.Entity {
	records := authtest.Customer(id, secret, nil)
	change(records[1].(*account.Account))
	return records
}

// sharedIdentityKey is the RSA key of all worlds. Generating one takes longer than most tests.
var sharedIdentityKey struct {
	sync.Mutex
	key account.Key
}

func (w *world) authentication(ctx context.Context, now func() time.Time) *auth.Service {
	sharedIdentityKey.Lock()
	defer sharedIdentityKey.Unlock()
	if key := sharedIdentityKey.key; key.ID != "" {
		check(w.accounts.AddKey(ctx, "identity", key, true))
	}
	service := must(auth.New(ctx, auth.Config{
		Accounts: w.accounts, Collections: w.collections, Issuer: base, Clock: now, Logger: quiet,
		AccessLifetime: 1000 * time.Hour, RefreshLifetime: 2000 * time.Hour,
	}))
	sharedIdentityKey.key = must(w.accounts.Keys(ctx, "identity"))[0]
	w.closers = append(w.closers, service.Close)
	return service
}
