package sqlite

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// shared is a file as the database of package sqlstore.
type shared struct{ *database }

var _ sqlstore.CatalogueDatabase = shared{}

// Read implements sqlstore.Database.
func (d shared) Read(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.read(ctx, func(s *session) error { return fn(ctx, s) })
}

// ReadSnapshot implements sqlstore.Database.
func (d shared) ReadSnapshot(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.readSnapshot(ctx, func(s *session) error { return fn(ctx, s) })
}

// ReadLagging implements sqlstore.CatalogueDatabase.
func (d shared) ReadLagging(ctx context.Context, gather func(c sqlstore.Conn)) error {
	return d.read(ctx, func(s *session) error { gather(s); return nil })
}

// ReadTogether implements sqlstore.CatalogueDatabase.
func (d shared) ReadTogether(ctx context.Context, gather func(c sqlstore.Conn)) error {
	return d.readSnapshot(ctx, func(s *session) error { gather(s); return nil })
}

// Change implements sqlstore.CatalogueDatabase.
func (d shared) Change(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn, head store.Position) error) error {
	return d.write(ctx, func(s *session) error {
		head, err := s.number(ctx, sqlstore.SelectHead)
		if err != nil {
			return err
		}
		return fn(ctx, s, head)
	})
}

// Learn implements sqlstore.CatalogueDatabase.
func (shared) Learn(store.Position) {}

// Write implements sqlstore.Database. fn runs once.
func (d shared) Write(ctx context.Context, fn func(ctx context.Context, c sqlstore.Conn) error) error {
	return d.write(ctx, func(s *session) error { return fn(ctx, s) })
}

// Now implements sqlstore.Database.
func (d shared) Now() time.Time { return d.now() }
