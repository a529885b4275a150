package resolvers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/store"
)

// What operators do with things of the catalogue, of whatever kind. What they say of one is an import line:
// so both mean the same, field by field, and one reader knows what is wrong with it. The right to operate is
// asked for by the schema.

// fields are what a mutation says of a thing, by the names of import lines; null is a nil.
type fields = map[string]any

// operatorSource is where things come from that an operator adds without saying so. No import brings any of
// this source unless it says so, so that none prunes them.
const operatorSource = "operator"

// draft is one thing as a mutation finds it, and what is said of it.
type draft struct {
	said *importline.Record
	// stored is nil where the thing is new.
	stored catalogue.Item
}

// createItem adds a thing. The error is of code Conflict where there is one with its ID.
func (r *resolver) createItem(ctx context.Context, kind catalogue.Kind, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	named, err := nameNew(input, or(origin))
	if err != nil {
		return nil, err
	}
	said, err := readLine(kind, named)
	if err != nil {
		return nil, err
	}
	return r.putDraft(ctx, func(ctx context.Context, tx store.Tx) (*draft, error) {
		stored, err := itemOf(ctx, tx, kind, said.ID)
		if err == nil && stored != nil {
			err = fault.Errorf(fault.Conflict, "the %s is there already", nameOfItem(kind, said.ID))
		}
		return &draft{said: said}, err
	})
}

// nameNew adds to what is said of a new thing what it is called.
func nameNew(input fields, origin graph.OriginInput) (fields, error) {
	if origin.Source == nil {
		source := operatorSource
		origin.Source = &source
	}
	if origin.ID == nil && origin.Reference == nil {
		id, err := newItemID()
		if err != nil {
			return nil, err
		}
		origin.ID = &id
	}
	named := with(input, "source", *origin.Source)
	if origin.ID != nil {
		named["id"] = *origin.ID
	}
	if origin.Reference != nil {
		named["ref"] = *origin.Reference
	}
	return named, nil
}

func newItemID() (catalogue.ID, error) {
	var random [catalogue.IDLength / 2]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	return catalogue.ID(hex.EncodeToString(random[:])), nil
}

// putItem adds a thing whose ID follows from what it says, or lays that over what there is.
func (r *resolver) putItem(ctx context.Context, kind catalogue.Kind, input fields, version *int) (*graph.CatalogueItem, error) {
	said, err := readLine(kind, with(input, "source", operatorSource))
	if err != nil {
		return nil, err
	}
	return r.putDraft(ctx, func(ctx context.Context, tx store.Tx) (*draft, error) {
		stored, err := itemOf(ctx, tx, kind, said.ID)
		switch {
		case err != nil:
			return nil, err
		case stored == nil && version != nil:
			return nil, noSuchItem(kind, said.ID)
		case stored == nil:
			return &draft{said: said}, nil
		}
		if err := checkItemVersion(stored, version); err != nil {
			return nil, err
		}
		said, err = readLine(kind, ofSourceOf(stored, input))
		return &draft{said: said, stored: stored}, err
	})
}

// updateItem lays what is said over a thing. The error is of code NotFound where there is none, of code Conflict
// where version is another than the thing's.
func (r *resolver) updateItem(ctx context.Context, kind catalogue.Kind, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.putDraft(ctx, func(ctx context.Context, tx store.Tx) (*draft, error) {
		stored, err := expectedItem(ctx, tx, kind, id, version)
		if err != nil {
			return nil, err
		}
		said, err := readLine(kind, with(ofSourceOf(stored, input), "id", id))
		return &draft{said: said, stored: stored}, err
	})
}

// ofSourceOf makes references in what is said those of the thing's own source.
func ofSourceOf(stored catalogue.Item, input fields) fields {
	if source := stored.Head().Source; source != "" {
		return with(input, "source", source)
	}
	return input
}

// with is what is said and one field more.
func with(input fields, name string, value any) fields {
	more := make(fields, len(input)+4)
	for field, said := range input {
		more[field] = said
	}
	more[name] = value
	return more
}

// readLine reads what is said of a thing as an import line.
func readLine(kind catalogue.Kind, said fields) (*importline.Record, error) {
	line, err := json.Marshal(with(with(said, "format", importline.Format), "kind", kind))
	if err != nil {
		return nil, err
	}
	record := importline.Decode(line)
	return record, faulty(record.Faults)
}

// faulty is an error that lists faults of fields; nil where there are none.
func faulty(faults fault.FieldErrors) error { return (&changes{faults: faults}).err() }

// putDraft stores what find makes a draft of, in the transaction in which it finds it, and tells the trail.
func (r *resolver) putDraft(ctx context.Context, find func(ctx context.Context, tx store.Tx) (*draft, error)) (*graph.CatalogueItem, error) {
	var after catalogue.Item
	shows := false // videos show something of what is changed
	err := r.editCatalogue(ctx, func(ctx context.Context, tx store.Tx, note notes) error {
		found, err := find(ctx, tx)
		if err != nil {
			return err
		}
		item, faults := found.said.Apply(found.stored)
		if err := faulty(faults); err != nil {
			return err
		}
		after = item
		outcomes, err := tx.Put(ctx, []catalogue.Item{item})
		switch {
		case err != nil:
			return err
		case outcomes[0].Status == store.Rejected:
			return faulty(outcomes[0].Faults)
		case outcomes[0].Status == store.Unchanged:
			return nil
		}
		shows = found.stored != nil && catalogue.Holds(item.Kind()) && catalogue.ShownBy(found.stored, item) != catalogue.ShownNowhere
		return note(ctx, found.stored, item)
	})
	if err != nil {
		return nil, err
	}
	if shows {
		r.carry(ctx)
	}
	return shownItem(after)
}

// carryFor is how long a mutation waits at most for the videos that show something of what it changed.
const carryFor = 10 * time.Second

// carry brings a change to the videos that show something of it, so that whoever reads one after the mutation's
// answer meets it. What is left after carryFor, or where the store fails, the follower of the log does: the change
// itself is stored.
func (r *resolver) carry(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, carryFor)
	defer cancel()
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = r.catalogue.FanOut(ctx, carryAtOnce); err != nil {
			return
		}
	}
}

// carryAtOnce is of how many videos in one transaction, during which nobody else writes.
const carryAtOnce = 1_000

// deleteItem removes a thing, with errors as those of updateItem, and of code Conflict where others refer to it.
func (r *resolver) deleteItem(ctx context.Context, kind catalogue.Kind, id catalogue.ID, version *int) (string, error) {
	err := r.editCatalogue(ctx, func(ctx context.Context, tx store.Tx, note notes) error {
		stored, err := expectedItem(ctx, tx, kind, id, version)
		if err != nil {
			return err
		}
		kept, err := tx.Delete(ctx, kind, []catalogue.ID{id})
		switch {
		case err != nil:
			return err
		case len(kept) > 0:
			return fault.Errorf(fault.Conflict, "the %s is still referred to by others", nameOfItem(kind, id))
		}
		return note(ctx, stored, nil)
	})
	return string(id), err
}

// notes tells the trail of a thing as it was and as it is; nil: it was not there, or is no more.
type notes func(ctx context.Context, before, after catalogue.Item) error

// editCatalogue changes the catalogue in the name of the caller.
func (r *resolver) editCatalogue(ctx context.Context, fn func(ctx context.Context, tx store.Tx, note notes) error) error {
	caller, err := caller(ctx)
	if err != nil {
		return err
	}
	actor := account.Actor{Client: caller.ClientID, User: caller.User}
	if r.catalogue == nil {
		return fault.Errorf(fault.Unavailable, "the catalogue cannot be changed here")
	}
	// What the function returns is told to the caller, however the engine wraps it.
	var refused error
	err = r.catalogue.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		refused = fn(ctx, tx, func(ctx context.Context, before, after catalogue.Item) error {
			return noteEdit(ctx, tx, actor, before, after)
		})
		return refused
	})
	if known := (*fault.Error)(nil); errors.As(refused, &known) {
		return known
	}
	return err
}

// itemOf returns the thing of a kind with an ID, nil where there is none.
func itemOf(ctx context.Context, tx store.Tx, kind catalogue.Kind, id catalogue.ID) (catalogue.Item, error) {
	found, err := tx.Items(ctx, kind, []catalogue.ID{id})
	if err != nil {
		return nil, err
	}
	return found[id], nil
}

// expectedItem returns a thing as whoever changes it knows it.
func expectedItem(ctx context.Context, tx store.Tx, kind catalogue.Kind, id catalogue.ID, version *int) (catalogue.Item, error) {
	stored, err := itemOf(ctx, tx, kind, id)
	switch {
	case err != nil:
		return nil, err
	case stored == nil:
		return nil, noSuchItem(kind, id)
	}
	return stored, checkItemVersion(stored, version)
}

func checkItemVersion(stored catalogue.Item, version *int) error {
	head := stored.Head()
	if version == nil || int64(*version) == head.Version {
		return nil
	}
	return fault.Errorf(fault.Conflict, "the %s has the version %d by now, not %d", nameOfItem(stored.Kind(), head.ID), head.Version, *version)
}

func noSuchItem(kind catalogue.Kind, id catalogue.ID) error {
	return fault.Errorf(fault.NotFound, "there is no %s", nameOfItem(kind, id))
}

// nameOfItem is how messages call a thing.
func nameOfItem(kind catalogue.Kind, id catalogue.ID) string {
	return fmt.Sprintf("%s %q", kind, catalogue.Shorten(string(id)))
}
