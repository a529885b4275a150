// Package sqlite is the default storage engine. The catalogue, the accounts, the event log, the usage counts, the
// collections, the search log and the jobs have one file each, because a file has one writer at a time. The engine serves
// one machine. Several processes may use the same files concurrently.
package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Catalogue is a store.Catalogue, a store.Leases and a store.Historian in one SQLite file.
type Catalogue struct {
	*database
	*sqlstore.Leases
	*sqlstore.Catalogue
}

var (
	_ store.Catalogue = (*Catalogue)(nil)
	_ store.Leases    = (*Catalogue)(nil)
	_ store.Historian = (*Catalogue)(nil)
)

// OpenCatalogue opens the catalogue in a file, after creating it or bringing its schema up to date (Migrate).
// The folder must exist.
func OpenCatalogue(ctx context.Context, path string, options ...Option) (*Catalogue, error) {
	d, err := open(ctx, path, "catalogue", options)
	if err != nil {
		return nil, err
	}
	return &Catalogue{d, sqlstore.NewLeases(shared{d}), sqlstore.NewCatalogue(shared{d})}, nil
}

// Head implements store.Catalogue. Every page of the feed calls it.
func (c *Catalogue) Head(ctx context.Context) (head store.Position, err error) {
	err = c.read(ctx, func(s *session) error {
		head, err = s.number(ctx, sqlstore.SelectHead)
		return err
	})
	return head, err
}
