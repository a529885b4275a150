// Package editing lets operators edit the catalogue. An input means the same as an import line with the same fields, and
// is checked by the same code (decision 0026). The schema requires the right to operate.
package editing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// Resolver resolves the fields about items of the catalogue and their editing.
type Resolver struct {
	store store.Catalogue
	// collections loses deleted videos; nil: there are none.
	collections store.Collections
	registry    *registry.Registry
	now         func() time.Time
}

// New makes a resolver. Without a store, the catalogue cannot be edited; collections may be nil. The registry has the names
// of staff.
func New(of store.Catalogue, collections store.Collections, records *registry.Registry, now func() time.Time) *Resolver {
	return &Resolver{store: of, collections: collections, registry: records, now: now}
}

// fields is an input, by the names of import lines; nil stands for null.
type fields = map[string]any

// operatorSource is the source of items that operators create without naming one. Imports do not use it by default,
// so no import prunes these items.
const operatorSource = "operator"

// create adds an item. The error has the code Conflict if one with its ID exists.
func (r *Resolver) create(ctx context.Context, kind catalogue.Kind, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	line, err := readLine(kind, withOrigin(input, values.Or(origin)))
	if err != nil {
		return nil, err
	}
	return r.putItem(ctx, func(ctx context.Context, tx store.Tx) (before, after catalogue.Item, err error) {
		before, err = itemOf(ctx, tx, kind, line.ID)
		switch {
		case err != nil:
			return nil, nil, err
		case before != nil:
			return nil, nil, fault.Errorf(fault.Conflict, "the %s already exists", nameOf(kind, line.ID))
		}
		after, err = apply(line, nil)
		return nil, after, err
	})
}

// withOrigin adds source, ID and reference to the input of a new item.
func withOrigin(input fields, origin graph.OriginInput) fields {
	if origin.Source == nil {
		source := operatorSource
		origin.Source = &source
	}
	if origin.ID == nil && origin.Reference == nil {
		id := catalogue.RandomID()
		origin.ID = &id
	}
	named := with(input, "source", *origin.Source)
	if origin.ID != nil {
		named["id"] = *origin.ID
	}
	if origin.Reference != nil {
		named["ref"] = *origin.Reference
	}
	return named
}

// put adds an item whose ID is derived from the input, or changes the item with this ID.
func (r *Resolver) put(ctx context.Context, kind catalogue.Kind, input fields, version *int) (*graph.CatalogueItem, error) {
	line, err := readLine(kind, with(input, "source", operatorSource))
	if err != nil {
		return nil, err
	}
	return r.putItem(ctx, func(ctx context.Context, tx store.Tx) (before, after catalogue.Item, err error) {
		before, err = itemOf(ctx, tx, kind, line.ID)
		switch {
		case err != nil:
			return nil, nil, err
		case before == nil && version != nil:
			return nil, nil, errNotFound(kind, line.ID)
		case before == nil:
			after, err = apply(line, nil)
			return nil, after, err
		}
		if err := checkVersion(before, version); err != nil {
			return nil, nil, err
		}
		after, err = edited(before, input)
		return before, after, err
	})
}

// update changes an item. The error has the code NotFound if there is none, and Conflict if it has another version.
func (r *Resolver) update(ctx context.Context, kind catalogue.Kind, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.putItem(ctx, func(ctx context.Context, tx store.Tx) (before, after catalogue.Item, err error) {
		if before, err = expected(ctx, tx, kind, id, version); err != nil {
			return nil, nil, err
		}
		after, err = edited(before, input)
		return before, after, err
	})
}

// edited returns a stored item with the fields of an input. References in the input belong to the source of the item.
func edited(stored catalogue.Item, input fields) (catalogue.Item, error) {
	head := stored.Head()
	input = with(input, "id", head.ID)
	if head.Source != "" {
		input["source"] = head.Source
	}
	line, err := readLine(stored.Kind(), input)
	if err != nil {
		return nil, err
	}
	return apply(line, stored)
}

// apply returns a stored item with the fields of a line, or a new item if there is none.
func apply(line *importline.Record, stored catalogue.Item) (catalogue.Item, error) {
	item, faults := line.Edit(stored)
	return item, inputs.Faults(faults).Err()
}

// with returns a copy of an input with one more field.
func with(input fields, name string, value any) fields {
	more := make(fields, len(input)+4)
	maps.Copy(more, input)
	more[name] = value
	return more
}

// readLine reads an input as an import line.
func readLine(kind catalogue.Kind, input fields) (*importline.Record, error) {
	text, err := json.Marshal(with(with(input, "format", importline.Format), "kind", kind))
	if err != nil {
		return nil, err
	}
	line := importline.Decode(text)
	return line, inputs.Faults(line.Faults).Err()
}

// putItem stores the item that change returns, in the same transaction, and records the change in the audit log. change
// also returns the item as it was before, or nil for a new one.
func (r *Resolver) putItem(ctx context.Context, change func(ctx context.Context, tx store.Tx) (before, after catalogue.Item, err error)) (*graph.CatalogueItem, error) {
	var after catalogue.Item
	isShown := false // by videos
	err := r.edit(ctx, func(ctx context.Context, tx store.Tx, note notes) error {
		before, item, err := change(ctx, tx)
		if err != nil {
			return err
		}
		after = item
		outcomes, err := tx.Put(ctx, []catalogue.Item{item})
		switch {
		case err != nil:
			return err
		case outcomes[0].Status == store.Rejected:
			return inputs.Faults(outcomes[0].Faults).Err()
		case outcomes[0].Status == store.Unchanged:
			return nil
		}
		isShown = before != nil && catalogue.Holds(item.Kind()) && catalogue.ShownBy(before, item) != catalogue.ShownNowhere
		return note(ctx, before, item)
	})
	if err != nil {
		return nil, err
	}
	if isShown {
		r.propagate(ctx)
	}
	return shown(after)
}

const (
	// propagateFor is the longest time that a mutation waits for the videos that show the changed item.
	propagateFor = 10 * time.Second
	// propagateAtOnce is the number of videos in one transaction, during which nobody else writes.
	propagateAtOnce = 1_000
)

// propagate updates the videos that show a changed item, so that reads after the mutation's answer see the change. The
// change itself is stored; what remains after propagateFor, or after an error, is left to the projection.
func (r *Resolver) propagate(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, propagateFor)
	defer cancel()
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = r.store.FanOut(ctx, propagateAtOnce); err != nil {
			return
		}
	}
}

// delete removes an item, with the errors of update. The error has the code Conflict if other items refer to it.
func (r *Resolver) delete(ctx context.Context, kind catalogue.Kind, id catalogue.ID, version *int) (string, error) {
	err := r.edit(ctx, func(ctx context.Context, tx store.Tx, note notes) error {
		stored, err := expected(ctx, tx, kind, id, version)
		if err != nil {
			return err
		}
		kept, err := tx.Delete(ctx, kind, []catalogue.ID{id})
		switch {
		case err != nil:
			return err
		case len(kept) > 0:
			return fault.Errorf(fault.Conflict, "other items refer to the %s", nameOf(kind, id))
		}
		return note(ctx, stored, nil)
	})
	return string(id), err
}

// notes records in the audit log an item before and after a change; nil: it did not or does not exist.
type notes func(ctx context.Context, before, after catalogue.Item) error

var errNotChangeable = fault.Errorf(fault.Unavailable, "the catalogue cannot be changed here")

// edit changes the catalogue in the name of the caller.
func (r *Resolver) edit(ctx context.Context, fn func(ctx context.Context, tx store.Tx, note notes) error) error {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return err
	}
	if r.store == nil {
		return errNotChangeable
	}
	var refused error // which the engine may wrap
	err = r.store.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		refused = fn(ctx, tx, func(ctx context.Context, before, after catalogue.Item) error {
			return noteEdit(ctx, tx, authz.Actor(caller), before, after)
		})
		return refused
	})
	if known := (*fault.Error)(nil); errors.As(refused, &known) {
		return known
	}
	return err
}

// itemOf returns the item of a kind with an ID, or nil if there is none.
func itemOf(ctx context.Context, tx store.Tx, kind catalogue.Kind, id catalogue.ID) (catalogue.Item, error) {
	found, err := tx.Items(ctx, kind, []catalogue.ID{id})
	if err != nil {
		return nil, err
	}
	return found[id], nil
}

// expected returns an item if it has the version that the caller expects.
func expected(ctx context.Context, tx store.Tx, kind catalogue.Kind, id catalogue.ID, version *int) (catalogue.Item, error) {
	stored, err := itemOf(ctx, tx, kind, id)
	switch {
	case err != nil:
		return nil, err
	case stored == nil:
		return nil, errNotFound(kind, id)
	}
	return stored, checkVersion(stored, version)
}

func checkVersion(stored catalogue.Item, version *int) error {
	head := stored.Head()
	if version == nil || int64(*version) == head.Version {
		return nil
	}
	return fault.Errorf(fault.Conflict, "the %s has version %d, not %d", nameOf(stored.Kind(), head.ID), head.Version, *version)
}

func errNotFound(kind catalogue.Kind, id catalogue.ID) error {
	return fault.Errorf(fault.NotFound, "there is no %s", nameOf(kind, id))
}

// nameOf returns the name of an item in messages.
func nameOf(kind catalogue.Kind, id catalogue.ID) string {
	return fmt.Sprintf("%s %q", kind, fault.Shorten(string(id)))
}
