// Package accounts administers accounts, clients, users, tiers, content packages and policies, and shows users their
// profiles.
package accounts

import (
	"cmp"
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/store"
)

// Config lists the ports that accounts need. A field whose port is nil returns an error with the code Unavailable.
type Config struct {
	Registry *registry.Registry
	SignIns  store.SignIns
	// Catalogue and Collections hold what content packages, accounts and profiles name.
	Catalogue   store.Catalogue
	Collections store.Collections
	// Searches holds what accounts searched for, which is deleted with them.
	Searches store.SearchLog
	// Counts holds the usage of accounts, which is charged before they are deleted.
	Counts store.Usage
	// AccessLifetime is the lifetime of access tokens, for which those of disabled users are refused; 0: a day.
	AccessLifetime time.Duration
	// HashPassword returns the hash under which a password is stored. The error has the code Invalid if the password is
	// not acceptable.
	HashPassword func(ctx context.Context, password string) (string, error)
	// CheckProvider returns the problem with an identity provider of an account, or "".
	CheckProvider func(ctx context.Context, of string, provider *account.IdentityProvider) string
	// LimitCodes is called before a code of a user's second factor is checked. An error refuses the code. nil: no limit.
	LimitCodes func(ctx context.Context, user string) error
	Now        func() time.Time
}

// Resolver resolves the fields about accounts.
type Resolver struct{ Config }

// New makes a resolver.
func New(config Config) *Resolver {
	config.AccessLifetime = cmp.Or(config.AccessLifetime, 24*time.Hour)
	return &Resolver{config}
}

func (r *Resolver) today() catalogue.Date { return catalogue.DateOf(r.Now()) }

// directory returns the current directory, or an error with the code Unavailable if there is no catalogue.
func (r *Resolver) directory(ctx context.Context) (*catalogue.Directory, error) {
	if r.Catalogue == nil {
		return nil, fault.Errorf(fault.Unavailable, "ids of the catalogue cannot be checked here")
	}
	return r.Catalogue.Directory(ctx, 0)
}
