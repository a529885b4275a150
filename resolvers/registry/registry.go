// Package registry reads and edits the records of accounts, clients, users, tiers, content packages, policies,
// deprecations, price plans, invoices and royalty terms on behalf of a caller. The schema requires a permission for each kind; the package refuses changes of the
// operator's own records without MANAGE_STAFF.
package registry

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// Registry is a registry that may be missing.
type Registry struct{ store store.Registry }

// New returns the registry in a store; nil: there is none.
func New(of store.Registry) *Registry { return &Registry{store: of} }

// Available reports whether there is a registry.
func (r *Registry) Available() bool { return r.store != nil }

// Store returns the registry, or an error with the code Unavailable if there is none.
func (r *Registry) Store() (store.Registry, error) {
	if r.store == nil {
		return nil, fault.Errorf(fault.Unavailable, "accounts cannot be administered here")
	}
	return r.store, nil
}

// Record returns the record with a key, or the zero R if there is none.
func Record[R account.Entity](ctx context.Context, r *Registry, key account.EntityKey) (found R, err error) {
	records, err := r.Store()
	if err != nil {
		return found, err
	}
	return account.As[R](records.Entity(ctx, key))
}

// View returns the record with a key as view shows it, or nil if there is none.
func View[R interface {
	account.Entity
	comparable
}, V any](ctx context.Context, r *Registry, key account.EntityKey, view func(R) *V) (*V, error) {
	var none R
	record, err := Record[R](ctx, r, key)
	if err != nil || record == none {
		return nil, err
	}
	return view(record), nil
}

// Query selects records of a kind: with an owner, those of this account; with a text, those that have each of its words.
type Query struct {
	Kind        account.Kind
	Owner, Text *string
}

// Page returns a page of the records that a query selects, in the order of their IDs. texts returns what the text of the
// query is looked for in.
func Page[R account.Entity, V any](ctx context.Context, r *Registry, query Query, first int, after *string, texts func(R) []string, view func(R) *V) ([]*V, *model.PageInfo, error) {
	if err := paging.CheckSize(first, paging.MaxSize); err != nil {
		return nil, nil, err
	}
	records, err := r.Store()
	if err != nil {
		return nil, nil, err
	}
	read := func(after string, limit int) ([]account.Entity, error) {
		return records.Entities(ctx, query.Kind, values.Or(query.Owner), after, limit)
	}
	idOf := func(record account.Entity) string { return record.Key().ID }
	var (
		found []account.Entity
		info  *model.PageInfo
	)
	if query.Text != nil {
		matching := paging.Matching(*query.Text)
		found, info, err = paging.Find(first, values.Or(after), read, idOf, func(record account.Entity) bool {
			of, ok := record.(R)
			return ok && matching(append(texts(of), idOf(record))...)
		})
	} else if found, err = read(values.Or(after), first+1); err == nil {
		found, info = paging.Cut(found, first, idOf)
	}
	if err != nil {
		return nil, nil, err
	}
	page := make([]*V, 0, len(found))
	for _, record := range found {
		if record, ok := record.(R); ok {
			page = append(page, view(record))
		}
	}
	return page, info, nil
}

// Edit changes records in the name of the caller. The error has the code Forbidden if the caller is of the operator's
// staff and has lost permissions since the request began.
func (r *Registry) Edit(ctx context.Context, fn func(ctx context.Context, tx store.RegistryTx) error) error {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return err
	}
	records, err := r.Store()
	if err != nil {
		return err
	}
	return records.Edit(ctx, authz.Actor(caller), func(ctx context.Context, tx store.RegistryTx) error {
		guarded := guardedTx{tx, caller}
		if err := guarded.checkCaller(ctx); err != nil {
			return err
		}
		return fn(ctx, guarded)
	})
}

// Create adds a record. The error has the code Conflict if a record with its key exists, or if its key cannot be used
// again. Create also adds the records that the new one links to.
func (r *Registry) Create(ctx context.Context, record account.Entity, linked ...account.Entity) error {
	return r.Edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		found, err := tx.Entity(ctx, record.Key())
		switch {
		case err != nil:
			return err
		case found != nil:
			return fault.Errorf(fault.Conflict, "the %s already exists", NameOf(record.Key()))
		}
		if err := checkUnused(ctx, tx, record.Key()); err != nil {
			return err
		}
		for _, one := range linked {
			if err := tx.Put(ctx, one); err != nil {
				return err
			}
		}
		*record.Head() = account.Meta{} // which an earlier attempt has set
		return tx.Put(ctx, record)
	})
}

// checkUnused refuses the ID of a deleted account or client: events, statements, pseudonyms and idempotency keys are
// stored under it, and would become those of the new one.
func checkUnused(ctx context.Context, tx store.RegistryTx, key account.EntityKey) error {
	if key.Kind != account.KindAccount && key.Kind != account.KindClient {
		return nil
	}
	used, err := tx.Logged(ctx, key)
	if err == nil && used {
		err = fault.Errorf(fault.Conflict, "the %s was deleted; its ID cannot be used again, because usage and statements are stored under it", NameOf(key))
	}
	return err
}

// Update changes a record and returns it. The error has the code NotFound if there is none, and Conflict if it has
// another version.
func Update[R account.Entity](ctx context.Context, r *Registry, key account.EntityKey, version *int, change func(record R) error) (R, error) {
	return UpdateLinked(ctx, r, key, version, func(_ context.Context, _ store.RegistryTx, record R) (func() error, error) {
		return func() error { return nil }, change(record)
	})
}

// UpdateLinked is Update for a change that also puts records that the changed one links to. It runs the function that
// change returns after the record is put, to delete records that it no longer links to.
func UpdateLinked[R account.Entity](
	ctx context.Context, r *Registry, key account.EntityKey, version *int,
	change func(ctx context.Context, tx store.RegistryTx, record R) (after func() error, err error),
) (R, error) {
	var changed R
	err := r.Edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		found, err := expected(ctx, tx, key, version)
		if err != nil {
			return err
		}
		changed, _ = found.(R)
		after, err := change(ctx, tx, changed)
		if err != nil {
			return err
		}
		if err := tx.Put(ctx, changed); err != nil {
			return err
		}
		return after()
	})
	return changed, err
}

// Put changes the record with the key of a new one, or the new one if there is none, and returns it. The error has the
// code Conflict if the record has another version; a new one has version 0.
func Put[R account.Entity](ctx context.Context, r *Registry, version *int, create func() R, change func(ctx context.Context, tx store.RegistryTx, record R) error) (R, error) {
	var changed R
	err := r.Edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		changed = create()
		found, err := tx.Entity(ctx, changed.Key())
		if err != nil {
			return err
		}
		if found, ok := found.(R); ok {
			changed = found
		}
		if err := CheckVersion(changed, version); err != nil {
			return err
		}
		if err := change(ctx, tx, changed); err != nil {
			return err
		}
		return tx.Put(ctx, changed)
	})
	return changed, err
}

// RemovalCheck returns an error if a record may not be removed. It reads through the transaction of the removal.
type RemovalCheck func(ctx context.Context, tx store.RegistryTx, record account.Entity) error

// Remove deletes a record that passes the checks, its dependents (account.Dependents) and the logo of an account, with
// the errors of Update.
func (r *Registry) Remove(ctx context.Context, key account.EntityKey, version *int, checks ...RemovalCheck) error {
	return r.Edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		found, err := expected(ctx, tx, key, version)
		if err != nil {
			return err
		}
		for _, check := range checks {
			if err := check(ctx, tx, found); err != nil {
				return err
			}
		}
		if err := store.DeleteWithDependents(ctx, tx, key); err != nil {
			return err
		}
		if of, ok := found.(*account.Account); ok && of.Logo != nil {
			return tx.Delete(ctx, account.KindLogo.Key(of.Logo.ID))
		}
		return nil
	})
}

// expected returns the record with a key if it has the version that the caller expects.
func expected(ctx context.Context, tx store.RegistryTx, key account.EntityKey, version *int) (account.Entity, error) {
	found, err := tx.Entity(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, NotFound(key)
	}
	return found, CheckVersion(found, version)
}

// CheckVersion returns an error with the code Conflict if a record has another version than the caller expects; nil: any will
// do.
func CheckVersion(record account.Entity, version *int) error {
	if version == nil || int64(*version) == record.Head().Version {
		return nil
	}
	return fault.Errorf(fault.Conflict, "the %s has version %d, not %d", NameOf(record.Key()), record.Head().Version, *version)
}

// NotFound returns an error with the code NotFound for a record.
func NotFound(key account.EntityKey) error {
	return fault.Errorf(fault.NotFound, "there is no %s", NameOf(key))
}

// NameOf returns the name of a record in messages.
func NameOf(key account.EntityKey) string {
	kind := string(key.Kind)
	switch key.Kind {
	case account.KindContentPackage:
		kind = "content package"
	case account.KindStaffMember:
		kind = "staff member"
	case account.KindPricePlan:
		kind = "price plan"
	case account.KindRoyaltyTerms:
		kind = "royalty terms"
	case account.KindSecondFactor:
		kind = "second factor of user"
	case account.KindImportMapping:
		kind = "import mapping"
	}
	return fmt.Sprintf("%s %q", kind, fault.Shorten(key.ID))
}

// NoteOn adds an entry that describes no change to the audit log of a record.
func (r *Registry) NoteOn(ctx context.Context, key account.EntityKey, what any) error {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return err
	}
	records, err := r.Store()
	if err != nil {
		return err
	}
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return records.Note(ctx, authz.Actor(caller), key, body)
}

// Note adds an entry to the audit log of an account, or to that of the caller's account if the account is "" or does not
// exist.
func (r *Registry) Note(ctx context.Context, id string, what any) error {
	if id != "" {
		if err := r.NoteOn(ctx, account.KindAccount.Key(id), what); fault.CodeOf(err) != fault.NotFound {
			return err
		}
	}
	caller, err := authz.Caller(ctx)
	if err != nil || caller.Account == nil {
		return err
	}
	return r.NoteOn(ctx, caller.Account.Key(), what)
}
