package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store"
)

// ImportCollections returns the store of imported collections, and who owns and sees what is in them.
func (s *Stores) ImportCollections() *importer.Collections {
	return &importer.Collections{Store: s.Collections, Owner: owners{s.Accounts}.find, Visible: visibility{s}.visible}
}

// owners finds the owners of imported collections.
type owners struct{ accounts store.Accounts }

// find implements importer.Collections.Owner.
func (o owners) find(ctx context.Context, accountID, user string) (importer.Owner, fault.FieldErrors, error) {
	if user == "" {
		return o.operator(ctx, accountID)
	}
	found, faults, err := o.user(ctx, accountID, user)
	if err != nil || faults != nil {
		return importer.Owner{}, faults, err
	}
	of, err := o.account(ctx, found.AccountID)
	if err != nil || of == nil {
		return importer.Owner{}, noAccount(found.AccountID), err
	}
	owner := importer.Owner{Account: of.ID, User: found.ID, Name: found.Name(), Service: of.Operator}
	if of.Operator {
		owner.Name = of.Name
	}
	return owner, nil, nil
}

// operator returns the owner of collections without a user.
func (o owners) operator(ctx context.Context, accountID string) (importer.Owner, fault.FieldErrors, error) {
	if accountID == "" {
		return o.onlyOperator(ctx)
	}
	of, err := o.account(ctx, accountID)
	switch {
	case err != nil:
		return importer.Owner{}, nil, err
	case of == nil:
		return importer.Owner{}, noAccount(accountID), nil
	case !of.Operator:
		return importer.Owner{}, problem("owner", "is required: collections of a customer's account, as %q is, belong to users", accountID), nil
	}
	return operatorOf(of), nil, nil
}

func operatorOf(of *account.Account) importer.Owner {
	return importer.Owner{Account: of.ID, Name: of.Name, Service: true}
}

// onlyOperator returns the operator account if there is exactly one.
func (o owners) onlyOperator(ctx context.Context) (importer.Owner, fault.FieldErrors, error) {
	records, _, err := o.accounts.Roster(ctx)
	if err != nil {
		return importer.Owner{}, nil, err
	}
	var found []*account.Account
	var names []string
	for _, record := range records {
		if of, ok := record.(*account.Account); ok && of.Operator {
			found, names = append(found, of), append(names, of.ID)
		}
	}
	switch len(found) {
	case 0:
		return importer.Owner{}, problem("account", "is required: there is no account of the operator"), nil
	case 1:
		return operatorOf(found[0]), nil, nil
	}
	return importer.Owner{}, problem("account", "is required: the operator has several, %s", strings.Join(names, ", ")), nil
}

// user returns the user with an ID or, within an account, with an external ID.
func (o owners) user(ctx context.Context, accountID, name string) (*account.User, fault.FieldErrors, error) {
	if accountID == "" && !catalogue.ID(name).Valid() {
		return nil, problem("account", "is required: %q is not a user ID, and external IDs belong to one account", fault.Shorten(name)), nil
	}
	if accountID != "" {
		if of, err := o.account(ctx, accountID); err != nil || of == nil {
			return nil, noAccount(accountID), err
		}
	}
	found, err := account.As[*account.User](o.accounts.Entity(ctx, account.KindUser.Key(name)))
	if err == nil && found == nil && accountID != "" {
		found, err = account.As[*account.User](o.accounts.Named(ctx, account.ExternalUserName(accountID, name)))
	}
	switch {
	case err != nil:
		return nil, nil, err
	case found != nil && (accountID == "" || found.AccountID == accountID):
		return found, nil, nil
	case accountID == "":
		return nil, problem("owner", "there is no user %q", name), nil
	}
	return nil, problem("owner", "the account %q has no user %q", accountID, fault.Shorten(name)), nil
}

// visibility decides which videos the accounts that own imported collections see.
type visibility struct{ *Stores }

// visible implements importer.Collections.Visible. It evaluates the current content package of the account.
func (v visibility) visible(ctx context.Context, accountID string, videos []catalogue.ID) (map[catalogue.ID]bool, error) {
	records, _, err := v.Accounts.Roster(ctx)
	if err != nil {
		return nil, err
	}
	roster := account.NewRoster(records)
	of := roster.Accounts[accountID]
	if of == nil {
		return nil, nil
	}
	held, err := v.Collections.Collections(ctx, roster.Collections())
	if err != nil {
		return nil, err
	}
	roster, _ = roster.WithCollections(collection.VideosOf(held))
	access, readable := roster.Access(of)
	if !readable {
		return nil, nil
	}
	states, err := v.Catalogue.States(ctx, videos)
	if err != nil {
		return nil, err
	}
	visible, today := map[catalogue.ID]bool{}, catalogue.DateOf(time.Now())
	for i := range states {
		visible[states[i].ID] = states[i].VisibleTo(access, today)
	}
	return visible, nil
}

// account returns the account with an ID, or nil if there is none.
func (o owners) account(ctx context.Context, id string) (*account.Account, error) {
	return account.As[*account.Account](o.accounts.Entity(ctx, account.KindAccount.Key(id)))
}

func noAccount(id string) fault.FieldErrors {
	return problem("account", "there is no account %q", fault.Shorten(id))
}

func problem(field, format string, args ...any) fault.FieldErrors {
	return fault.FieldErrors{{Field: field, Problem: fmt.Sprintf(format, args...)}}
}
