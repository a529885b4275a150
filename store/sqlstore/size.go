package sqlstore

import (
	"context"

	"github.com/filmstrip/filmstrip/store"
)

// Size implements store.Sizer.
func (a *Accounts) Size(ctx context.Context) (store.Size, error) { return a.db.Size(ctx) }

// Size implements store.Sizer.
func (c *Collections) Size(ctx context.Context) (store.Size, error) { return c.db.Size(ctx) }

// Size implements store.Sizer.
func (l *SearchLog) Size(ctx context.Context) (store.Size, error) { return l.db.Size(ctx) }

// Size implements store.Sizer.
func (j *Jobs) Size(ctx context.Context) (store.Size, error) { return j.db.Size(ctx) }

// Size implements store.Sizer.
func (u *Usage) Size(ctx context.Context) (store.Size, error) { return u.db.Size(ctx) }
