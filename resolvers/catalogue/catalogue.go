// Package catalogue shows videos and what describes them. It decides what a caller sees: videos by the caller's access,
// channels and subjects by the videos in them.
package catalogue

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// Config lists the ports that the catalogue needs.
type Config struct {
	Store store.Catalogue
	// Index counts the videos of channels and subjects.
	Index search.Reader
	// CursorKeys sign the cursors of feeds. The first key signs, all keys verify; each has at least 32 bytes.
	CursorKeys [][]byte
	Now        func() time.Time
}

// Resolver resolves the fields about the catalogue.
type Resolver struct {
	store   store.Catalogue
	index   search.Reader
	cursors cursors
	now     func() time.Time
}

// New makes a resolver.
func New(config Config) *Resolver {
	return &Resolver{store: config.Store, index: config.Index, cursors: cursors{keys: config.CursorKeys}, now: config.Now}
}

// Today returns the UTC day of the request.
func (r *Resolver) Today() catalogue.Date { return catalogue.DateOf(r.now()) }

// Directory returns the current directory, for answers that show no video. Answers with videos need a directory that is
// not older than any of them, which LoadVisible returns.
func (r *Resolver) Directory(ctx context.Context) (*catalogue.Directory, error) {
	return r.store.Directory(ctx, 0)
}

// CallerAndDirectory returns the caller and the current directory.
func (r *Resolver) CallerAndDirectory(ctx context.Context) (*account.Caller, *catalogue.Directory, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, nil, err
	}
	directory, err := r.Directory(ctx)
	return caller, directory, err
}

func (r *Resolver) Index(ctx context.Context) (*model.Index, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	index := &model.Index{Anonymous: caller.Anonymous(), User: caller.User}
	if caller.Account != nil {
		index.Products, index.Operator = caller.Account.Products, caller.Account.Operator
	}
	return index, nil
}
