// Package authz finds the caller of a request and decides which fields, videos and accounts it may ask for.
package authz

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
)

// Caller returns the caller of a root field. The error has the code Unauthenticated without a caller, and Forbidden if
// the caller's token is confined to one video and the field is not open to such tokens.
func Caller(ctx context.Context) (*account.Caller, error) {
	if err := account.Require(ctx, account.Everyone); err != nil {
		return nil, err
	}
	return account.CallerOf(ctx), checkConfined(ctx)
}

// Actor returns the caller as an audit log records it.
func Actor(caller *account.Caller) account.Actor {
	return account.Actor{Client: caller.ClientID, User: caller.User}
}

// Requires implements the directive @requires.
func Requires(ctx context.Context, _ any, next graphql.Resolver, permission account.Permission) (any, error) {
	if err := account.Require(ctx, permission); err != nil {
		return nil, err
	}
	if err := checkConfined(ctx); err != nil {
		return nil, err
	}
	return next(ctx)
}

// openToConfined lists the root fields that a token confined to one video may ask for. Each of them checks that it is
// asked for that video.
var openToConfined = map[string]bool{
	"videoReference": true, "videosById": true, "transcript": true, "captions": true,
	"recordPlayback": true, "recordPlayerInteraction": true,
}

// checkConfined refuses all other root fields to a caller whose token is confined to one video.
func checkConfined(ctx context.Context) error {
	caller := account.CallerOf(ctx)
	if caller == nil || caller.Video == "" {
		return nil
	}
	field := graphql.GetFieldContext(ctx)
	for field.Parent != nil && field.Parent.Field.Field != nil {
		field = field.Parent
	}
	if !openToConfined[field.Field.Name] {
		return errConfined(caller.Video)
	}
	return nil
}

// CheckVideo returns an error with the code Forbidden if the caller's token is confined to another video.
func CheckVideo(caller *account.Caller, video catalogue.ID) error {
	if caller.Video != "" && caller.Video != video {
		return errConfined(caller.Video)
	}
	return nil
}

func errConfined(video catalogue.ID) error {
	return fault.Errorf(fault.Forbidden, "the token is valid for the video %s only", video)
}

// Accounts returns the accounts whose usage and events the caller sees if it asks for those in the list; nil stands for
// all accounts, both in the list and in the result. Operators see all accounts, and clients see their own. A caller
// with a user sees none, because users must not learn what others watch.
func Accounts(ctx context.Context, accounts []string) ([]string, error) {
	caller, err := Caller(ctx)
	switch {
	case err != nil:
		return nil, err
	case caller.Permissions.Has(account.Operate):
		return accounts, nil
	case caller.User != "" || caller.Account == nil:
		return nil, fault.Errorf(fault.Forbidden, "only clients of an account see its usage; tokens of users do not")
	}
	for _, id := range accounts {
		if id != caller.Account.ID {
			return nil, fault.Errorf(fault.Forbidden, "the account %q is not the caller's", fault.Shorten(id))
		}
	}
	if accounts == nil {
		return []string{caller.Account.ID}, nil
	}
	return accounts, nil
}

// RequireOfStaff returns an error with the code Forbidden if the caller belongs to the operator's staff and lacks a
// permission. Customers have rules of their own.
func RequireOfStaff(ctx context.Context, permission account.Permission) error {
	if caller := account.CallerOf(ctx); caller != nil && caller.Permissions.Has(account.Operate) {
		return account.Require(ctx, permission)
	}
	return nil
}

// Account applies the rules of Accounts to one account; nil stands for the caller's own. Operators must name one.
func Account(ctx context.Context, id *string) (string, error) {
	var named []string
	if id != nil {
		named = []string{*id}
	}
	accounts, err := Accounts(ctx, named)
	switch {
	case err != nil:
		return "", err
	case len(accounts) == 0 || accounts[0] == "":
		return "", inputs.Invalid("account", "is required")
	}
	return accounts[0], nil
}
