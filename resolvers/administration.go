package resolvers

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/store"
)

// What the fields of all records that operators administer have in common. The right to operate is
// asked for by the schema.

// maxRecords is the most records, or entries of the trail, that a page holds.
const maxRecords = 200

// administered returns the registry, or an error of code Unavailable where this schema has none.
func (r *resolver) administered() (store.Registry, error) {
	if r.registry == nil {
		return nil, fault.Errorf(fault.Unavailable, "accounts cannot be administered here")
	}
	return r.registry, nil
}

// edit changes records in the name of the caller.
func (r *resolver) edit(ctx context.Context, fn func(ctx context.Context, tx store.RegistryTx) error) error {
	caller, err := caller(ctx)
	if err != nil {
		return err
	}
	registry, err := r.administered()
	if err != nil {
		return err
	}
	return registry.Edit(ctx, account.Actor{Client: caller.ClientID, User: caller.User}, fn)
}

// recordOf returns the record with a key, the zero R where there is none.
func recordOf[R account.Entity](ctx context.Context, r *resolver, key account.EntityKey) (found R, err error) {
	registry, err := r.administered()
	if err != nil {
		return found, err
	}
	record, err := registry.Entity(ctx, key)
	if err != nil || record == nil {
		return found, err
	}
	found, _ = record.(R)
	return found, nil
}

// shownRecord is recordOf as operators see it, nil where there is none.
func shownRecord[R interface {
	account.Entity
	comparable
}, V any](ctx context.Context, r *resolver, key account.EntityKey, view func(R) *V) (*V, error) {
	var none R
	record, err := recordOf[R](ctx, r, key)
	if err != nil || record == none {
		return nil, err
	}
	return view(record), nil
}

// shownPage is a page of the records of a kind, those of one account where owner is set.
func shownPage[R account.Entity, V any](ctx context.Context, r *resolver, kind account.Kind, owner *string, first int, after *string, view func(R) *V) ([]*V, *model.PageInfo, error) {
	if err := checkPage(first); err != nil {
		return nil, nil, err
	}
	registry, err := r.administered()
	if err != nil {
		return nil, nil, err
	}
	records, err := registry.Entities(ctx, kind, or(owner), or(after), first+1)
	if err != nil {
		return nil, nil, err
	}
	info := &model.PageInfo{}
	if len(records) > first {
		records = records[:first]
		last := records[first-1].Key().ID
		info.HasNextPage, info.EndCursor = true, &last
	}
	page := make([]*V, 0, len(records))
	for _, record := range records {
		if record, ok := record.(R); ok {
			page = append(page, view(record))
		}
	}
	return page, info, nil
}

func checkPage(first int) error {
	if first < 1 || first > maxRecords {
		return fault.InvalidRequest("%d records a page are not between 1 and %d", first, maxRecords)
	}
	return nil
}

// create adds a record. The error is of code Conflict where there is one with its key, or where its key may not be
// given again.
func (r *resolver) create(ctx context.Context, record account.Entity) error {
	return r.edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		found, err := tx.Entity(ctx, record.Key())
		switch {
		case err != nil:
			return err
		case found != nil:
			return fault.Errorf(fault.Conflict, "the %s is there already", nameOf(record.Key()))
		}
		if err := unused(ctx, tx, record.Key()); err != nil {
			return err
		}
		*record.Head() = account.Meta{} // of an attempt before
		return tx.Put(ctx, record)
	})
}

// unused refuses the id of an account or a client that has gone: events, bills, names of pupils and keys of
// repetitions are kept under it, and would be those of whoever has it next.
func unused(ctx context.Context, tx store.RegistryTx, key account.EntityKey) error {
	if key.Kind != account.KindAccount && key.Kind != account.KindClient {
		return nil
	}
	told, err := tx.Told(ctx, key)
	if err == nil && told {
		err = fault.Errorf(fault.Conflict, "the %s was there before: an id is given once, as use and bills are kept under it", nameOf(key))
	}
	return err
}

// update lays a change over a record and returns what came of it. The error is of code NotFound where
// there is none, of code Conflict where version is another than the record's.
func update[R account.Entity](ctx context.Context, r *resolver, key account.EntityKey, version *int, change func(record R) error) (R, error) {
	var changed R
	err := r.edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		found, err := expected(ctx, tx, key, version)
		if err != nil {
			return err
		}
		changed, _ = found.(R)
		if err := change(changed); err != nil {
			return err
		}
		return tx.Put(ctx, changed)
	})
	return changed, err
}

// remove deletes a record, with errors as those of update.
func (r *resolver) remove(ctx context.Context, key account.EntityKey, version *int) error {
	return r.edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		if _, err := expected(ctx, tx, key, version); err != nil {
			return err
		}
		return tx.Delete(ctx, key)
	})
}

// expected returns the record with a key as whoever changes it knows it.
func expected(ctx context.Context, tx store.RegistryTx, key account.EntityKey, version *int) (account.Entity, error) {
	found, err := tx.Entity(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, fault.Errorf(fault.NotFound, "there is no %s", nameOf(key))
	}
	return found, checkVersion(found, version)
}

func checkVersion(record account.Entity, version *int) error {
	if version == nil || int64(*version) == record.Head().Version {
		return nil
	}
	return fault.Errorf(fault.Conflict, "the %s has the version %d by now, not %d", nameOf(record.Key()), record.Head().Version, *version)
}

// nameOf is how messages call a record.
func nameOf(key account.EntityKey) string {
	kind := string(key.Kind)
	if key.Kind == account.KindContentPackage {
		kind = "content package"
	}
	return fmt.Sprintf("%s %q", kind, catalogue.Shorten(key.ID))
}

// changes gathers faults of an update that the record itself could not tell.
type changes struct{ faults fault.FieldErrors }

// must sets a field that cannot be without a value.
func must[T any](c *changes, field string, into *T, given graphql.Omittable[*T]) {
	switch value, isSet := given.ValueOK(); {
	case !isSet:
	case value == nil:
		c.add(field, "cannot be null")
	default:
		*into = *value
	}
}

// may sets a field whose zero value is that of null.
func may[T any](into *T, given graphql.Omittable[*T]) {
	if value, isSet := given.ValueOK(); isSet {
		*into = or(value)
	}
}

// mayList sets a list, which null makes nil.
func mayList[T any](into *[]T, given graphql.Omittable[[]T]) {
	if value, isSet := given.ValueOK(); isSet {
		*into = value
	}
}

func (c *changes) add(field, format string, args ...any) {
	c.faults = append(c.faults, fault.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// err is nil where no fault was gathered.
func (c *changes) err() error {
	if c.faults == nil {
		return nil
	}
	problem := fault.InvalidRequest("%s", c.faults.Error())
	for _, one := range c.faults {
		problem.Reasons = append(problem.Reasons, one.Error())
	}
	return problem
}

// invalidField is the error of one fault of what was sent.
func invalidField(field, format string, args ...any) error {
	var c changes
	c.add(field, format, args...)
	return c.err()
}

// mustBeGiven refuses an argument that null says something with, where it was left out: a variable that was
// forgotten must not undo what holds.
func mustBeGiven(ctx context.Context, argument string) error {
	given := graphql.GetFieldContext(ctx).Field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)
	if _, ok := given[argument]; ok {
		return nil
	}
	return invalidField(argument, "is required, though it may be null")
}

// or is the value that a pointer leads to, the zero value for nil.
func or[T any](value *T) (zero T) {
	if value == nil {
		return zero
	}
	return *value
}

// unlessZero is nil for the zero value.
func unlessZero[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// list is never nil: null is no list.
func list[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}
