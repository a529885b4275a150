package importer

import (
	"context"
	"fmt"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/store"
)

// Shelves is where collections go, which lie apart from the catalogue, in a store that shares no transaction with
// it.
type Shelves struct {
	Store store.Collections
	// Owner finds whom a new collection belongs to: the user of an account, by id or by how the account calls
	// them. Both "" stand for the operator, account "" for that of a user who is named by id, user "" for an
	// account of the operator itself. faults are what a line that says so must be told, of its fields "account"
	// and "owner".
	Owner func(ctx context.Context, account, user string) (owner Owner, faults fault.FieldErrors, err error)
	// Visible returns those of the videos that an account sees. A line adds no others to a collection of the
	// account's users, because content packages may include such a collection.
	Visible func(ctx context.Context, account string, videos []catalogue.ID) (map[catalogue.ID]bool, error)
}

// Owner is whom a collection belongs to.
type Owner struct {
	// Account and User are ids; User "": the account itself, which is the operator's.
	Account, User string
	// Name is shown as the owner's, "" where it is not known.
	Name string
	// Service: the account is the operator's.
	Service bool
}

// shelf is what a run knows of the lines about collections. They are put aside as they are met, held against
// users, collections and catalogue before anything of a strict run is committed, and written when the catalogue
// is.
type shelf struct {
	lines spool
	// drafts are what became of the lines so far, in their order.
	drafts []*draft
	// owners and owned remember who was looked up, and how many collections users have.
	owners map[ownerName]foundOwner
	owned  map[string]int
	// made are the new collections that lines before make, with whom they belong to.
	made map[catalogue.ID]Owner
}

func newShelf() *shelf {
	return &shelf{owners: map[ownerName]foundOwner{}, owned: map[string]int{}, made: map[catalogue.ID]Owner{}}
}

// draft is one line about a collection.
type draft struct {
	// entry has no text, and only the head of its record.
	entry
	rejected bool
	// creates: there is no such collection yet. Then owner is the user who would own it.
	creates bool
	owner   string
	// parts are the sub-collections that are not stored: other lines must make them.
	parts []catalogue.Link
}

// collectionBatch is the number of collections that are looked at, or read, at once. It is less than that of other
// things: each may hold collection.MaxAssets videos.
const collectionBatch = 100

// setAside keeps a line about a collection for later, and reports whether the entry is such a line. One that is at
// fault by itself is treated as any other kind's.
func (r *run) setAside(e entry) (bool, error) {
	if e.record.Kind != collection.Kind || len(e.record.Faults) > 0 {
		return false, nil
	}
	if r.Shelves == nil {
		r.reject(e, fault.FieldErrors{{Field: "kind", Problem: "collections are not brought in here, which has no store for them"}})
		return true, nil
	}
	head := entry{position: e.position, record: &importline.Record{Kind: e.record.Kind, ID: e.record.ID}}
	r.shelf.drafts = append(r.shelf.drafts, &draft{entry: head})
	return true, r.shelf.lines.add(e)
}

// shelved is one line about a collection with what is known of it.
type shelved struct {
	*draft
	record *importline.Record
}

// eachShelved reads the lines again that are not rejected, in batches; all of them are counted as read.
func (r *run) eachShelved(ctx context.Context, phase string, visit func(ctx context.Context, batch []shelved) error) error {
	lines := &r.shelf.lines
	if lines.len() == 0 {
		return nil
	}
	lines.rewind()
	r.Progress.Begin(phase, lines.size())
	var (
		batch []shelved
		bytes int
	)
	flush := func(ctx context.Context) error {
		if len(batch) == 0 {
			return nil
		}
		err := visit(ctx, batch)
		batch, bytes = nil, 0
		return err
	}
	place := 0
	err := r.decode(ctx, lines, func(ctx context.Context, entries []entry, read int64) error {
		for _, e := range entries {
			known := r.shelf.drafts[place]
			if place++; known.rejected {
				continue
			}
			batch = append(batch, shelved{draft: known, record: e.record})
			if bytes += len(e.text); len(batch) == collectionBatch || bytes >= maxBatchBytes {
				if err := flush(ctx); err != nil {
					return err
				}
			}
		}
		r.Progress.Advance(read, len(entries))
		return nil
	})
	if err != nil {
		return err
	}
	return flush(ctx)
}

// refuse rejects a line.
func (r *run) refuse(d *draft, faults fault.FieldErrors) {
	d.rejected = true
	r.reject(d.entry, faults)
}

// storedCollections reads what is stored of the batch, by ID.
func (r *run) storedCollections(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]*collection.Collection, error) {
	stored := make(map[catalogue.ID]*collection.Collection, len(ids))
	err := r.patiently(ctx, func() error {
		found, err := r.Shelves.Store.Collections(ctx, ids)
		for _, one := range found {
			stored[one.ID] = one
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("collections: %w", err)
	}
	return stored, nil
}

func idsOf(batch []shelved) []catalogue.ID {
	var ids []catalogue.ID
	for _, one := range batch {
		ids = append(ids, one.record.ID)
	}
	return ids
}
