package accounts

import (
	"context"
	"errors"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/secondfactor"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// UserFields resolves the fields of users that are not part of their record.
type UserFields struct{ *Resolver }

// SecondFactor returns the second factor of a user, or nil if there is none.
func (f UserFields) SecondFactor(ctx context.Context, user *graph.User) (*graph.SecondFactor, error) {
	return f.secondFactorOf(ctx, string(user.ID))
}

// Sessions returns the sessions of a user.
func (f UserFields) Sessions(ctx context.Context, user *graph.User) ([]*graph.UserSession, error) {
	signIns, err := f.signIns()
	if err != nil {
		return nil, err
	}
	found, err := signIns.UserSessions(ctx, string(user.ID), f.Now())
	if err != nil {
		return nil, err
	}
	return values.Map(found, func(s account.UserSession) *graph.UserSession {
		return &graph.UserSession{
			StartedAt: s.AuthTime, ExpiresAt: s.Expires, Provider: values.OrNil(s.Provider),
			Clients: values.List(s.Clients), LastUsedAt: values.OrNil(s.LastUsed),
		}
	}), nil
}

func (r *Resolver) secondFactorOf(ctx context.Context, user string) (*graph.SecondFactor, error) {
	return registry.View(ctx, r.Registry, account.KindSecondFactor.Key(user), func(factor *account.SecondFactor) *graph.SecondFactor {
		return &graph.SecondFactor{CreatedAt: factor.CreatedAt, RecoveryCodes: len(factor.RecoveryHashes)}
	})
}

// factorStore changes second factors with the rights of the caller, who is the actor of every change.
type factorStore struct {
	store.Registry
	store.SignIns
	edit func(ctx context.Context, fn func(ctx context.Context, tx store.RegistryTx) error) error
}

// Edit implements secondfactor.Store.
func (f factorStore) Edit(ctx context.Context, _ account.Actor, fn func(ctx context.Context, tx store.RegistryTx) error) error {
	return f.edit(ctx, fn)
}

// ownFactor returns the caller's user, who must have signed in, and the store of their second factor. A program that acts
// for a user could otherwise lock the user out.
func (r *Resolver) ownFactor(ctx context.Context) (*account.User, factorStore, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, factorStore{}, err
	}
	if caller.User == "" || caller.Session == "" {
		return nil, factorStore{}, fault.Errorf(fault.Forbidden, "the token is not of a user who signed in in a browser")
	}
	records, err := r.Registry.Store()
	if err != nil {
		return nil, factorStore{}, err
	}
	signIns, err := r.signIns()
	if err != nil {
		return nil, factorStore{}, err
	}
	user, err := registry.Record[*account.User](ctx, r.Registry, account.KindUser.Key(caller.User))
	switch {
	case err != nil:
		return nil, factorStore{}, err
	case user == nil: // deleted since the token was checked
		return nil, factorStore{}, registry.NotFound(account.KindUser.Key(caller.User))
	case user.PasswordHash == "":
		return nil, factorStore{}, fault.InvalidRequest("the user has no password; the identity provider decides how many factors it asks for")
	}
	return user, factorStore{records, signIns, r.Registry.Edit}, nil
}

// BeginSecondFactorEnrollment returns a new secret.
func (r *Resolver) BeginSecondFactorEnrollment(ctx context.Context) (*graph.SecondFactorEnrollment, error) {
	user, _, err := r.ownFactor(ctx)
	if err != nil {
		return nil, err
	}
	issuer := user.AccountID
	if owner := account.CallerOf(ctx).Account; owner != nil {
		issuer = owner.Name
	}
	secret := secondfactor.NewSecret()
	uri := secondfactor.Address(issuer, user.Username, secret)
	code, err := secondfactor.QRCode(uri)
	if err != nil {
		return nil, err
	}
	return &graph.SecondFactorEnrollment{Secret: secret, URI: uri, QRCode: code}, nil
}

// EnrollSecondFactor stores a second factor and returns its recovery codes.
func (r *Resolver) EnrollSecondFactor(ctx context.Context, secret, code string) ([]string, error) {
	user, stored, err := r.ownFactor(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.limitCodes(ctx, user); err != nil {
		return nil, err
	}
	codes, err := secondfactor.Enroll(ctx, stored, account.Actor{}, user, secret, code, r.Now())
	return codes, wrongCode(err)
}

// RenewRecoveryCodes replaces the recovery codes of the caller's user.
func (r *Resolver) RenewRecoveryCodes(ctx context.Context, code string) ([]string, error) {
	stored, factor, err := r.proveOwnFactor(ctx, code)
	if err != nil {
		return nil, err
	}
	codes, err := secondfactor.RenewRecoveryCodes(ctx, stored, account.Actor{}, factor)
	return codes, wrongCode(err)
}

// RemoveSecondFactor removes the second factor of the caller's user.
func (r *Resolver) RemoveSecondFactor(ctx context.Context, code string) (bool, error) {
	stored, factor, err := r.proveOwnFactor(ctx, code)
	if err != nil {
		return false, err
	}
	err = wrongCode(secondfactor.Remove(ctx, stored, account.Actor{}, factor))
	return err == nil, err
}

// proveOwnFactor uses up a code of the second factor of the caller's user, and returns the factor.
func (r *Resolver) proveOwnFactor(ctx context.Context, code string) (factorStore, *account.SecondFactor, error) {
	user, stored, err := r.ownFactor(ctx)
	if err != nil {
		return stored, nil, err
	}
	factor, err := secondfactor.Of(ctx, stored, user.ID)
	switch {
	case err != nil:
		return stored, nil, err
	case factor == nil:
		return stored, nil, registry.NotFound(account.KindSecondFactor.Key(user.ID))
	}
	if err := r.limitCodes(ctx, user); err != nil {
		return stored, nil, err
	}
	return stored, factor, wrongCode(secondfactor.Use(ctx, stored, account.Actor{}, factor, code, r.Now()))
}

func (r *Resolver) limitCodes(ctx context.Context, user *account.User) error {
	if r.LimitCodes == nil {
		return nil
	}
	return r.LimitCodes(ctx, user.ID)
}

// wrongCode returns secondfactor.ErrWrong as an error of the argument code.
func wrongCode(err error) error {
	if errors.Is(err, secondfactor.ErrWrong) {
		return inputs.Invalid("code", "%s", secondfactor.ErrWrong)
	}
	return err
}

// RemoveUserSecondFactor removes the second factor of another user.
func (r *Resolver) RemoveUserSecondFactor(ctx context.Context, id catalogue.ID) (*graph.User, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if caller.User == string(id) {
		return nil, fault.InvalidRequest("your own second factor is removed with a code (removeSecondFactor); ask a colleague if you have none")
	}
	if err := r.Registry.Remove(ctx, account.KindSecondFactor.Key(string(id)), nil); err != nil {
		return nil, err
	}
	return r.User(ctx, string(id))
}
