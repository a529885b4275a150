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

// Collections is the store of collections, which shares no transaction with the catalogue.
type Collections struct {
	Store store.Collections
	// Owner returns the owner of a new collection: the user of an account, by id or by the account's own name for the
	// user. With both "", the owner is the operator; with account "", the user is named by id; with user "", the
	// account is one of the operator's. faults are faults of the line, in its fields "account" and "owner".
	Owner func(ctx context.Context, account, user string) (owner Owner, faults fault.FieldErrors, err error)
	// Visible returns the videos that an account sees. An import adds no others to a collection of the account's
	// users, because content packages may include such a collection.
	Visible func(ctx context.Context, account string, videos []catalogue.ID) (map[catalogue.ID]bool, error)
}

// Owner is the owner of a collection.
type Owner struct {
	// Account and User are ids. User is "" if the account itself owns it, which is then the operator's.
	Account, User string
	// Name is the displayed name; "" if unknown.
	Name string
	// Service reports whether the account is the operator's.
	Service bool
}

// pendingCollections hold the lines about collections. A run puts them aside as it reads them, checks them against users,
// collections and catalogue before a strict run commits, and writes them after the catalogue.
type pendingCollections struct {
	lines spool
	// drafts are the results so far, in the order of the lines.
	drafts []*draft
	// owners and owned cache lookups of owners, and how many collections users have.
	owners map[ownerName]foundOwner
	owned  map[string]int
	// made are the new collections that earlier lines create, with their owners.
	made map[catalogue.ID]Owner
}

// draft is one line about a collection.
type draft struct {
	// entry has no text, and only the head of its record.
	entry
	rejected bool
	// creates reports whether the collection is not stored yet. Then owner is the user who would own it.
	creates bool
	owner   string
	// parts are the sub-collections that are not stored; other lines must create them.
	parts []catalogue.Link
}

// collectionBatch is the number of collections that are read at once. It is smaller than for other items, because each
// may have collection.MaxAssets videos.
const collectionBatch = 100

// setAside stores a line about a collection for later, and reports whether the entry is such a line. A line that is
// itself at fault is treated like those of other kinds.
func (r *run) setAside(e entry) (bool, error) {
	if e.record.Kind != collection.Kind || len(e.record.Faults) > 0 {
		return false, nil
	}
	if r.Collections == nil {
		r.reject(e, fault.FieldErrors{{Field: "kind", Problem: "collections are not brought in here, which has no store for them"}})
		return true, nil
	}
	head := entry{position: e.position, record: e.record.Head()}
	r.collections.drafts = append(r.collections.drafts, &draft{entry: head})
	return true, r.collections.lines.add(e)
}

// collectionLine is a line about a collection that was read again.
type collectionLine struct {
	*draft
	record *importline.Record
}

// eachPending reads the lines that are not rejected again, in batches; it reports progress for all.
func (r *run) eachPending(ctx context.Context, phase string, visit func(ctx context.Context, batch []collectionLine) error) error {
	lines := &r.collections.lines
	if lines.len() == 0 {
		return nil
	}
	lines.rewind()
	r.Progress.Begin(phase, lines.size())
	var (
		batch []collectionLine
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
			known := r.collections.drafts[place]
			if place++; known.rejected {
				continue
			}
			batch = append(batch, collectionLine{draft: known, record: e.record})
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
	r.refuseLine(collectionLine{draft: d, record: d.entry.record}, faults)
}

// refuseLine rejects a line that was read again.
func (r *run) refuseLine(line collectionLine, faults fault.FieldErrors) {
	line.rejected = true
	r.reject(entry{position: line.position, record: line.record}, faults)
}

// storedCollections reads the stored collections of a batch, by id.
func (r *run) storedCollections(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]*collection.Collection, error) {
	stored := make(map[catalogue.ID]*collection.Collection, len(ids))
	err := r.patiently(ctx, func() error {
		found, err := r.Collections.Store.Collections(ctx, ids)
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

func idsOf(batch []collectionLine) []catalogue.ID {
	var ids []catalogue.ID
	for _, one := range batch {
		ids = append(ids, one.record.ID)
	}
	return ids
}
