package storelogic

import (
	"context"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var errOver = errors.New("store: the transaction is over")

// Last contains the last assigned numbers.
type Last struct {
	Position store.Position
	// Number is the last number of an item that is not a video. Sequence is the last sequence of a video.
	Number, Sequence int64
}

// Transaction is the store.Tx of one Write, on top of an engine's open transaction.
type Transaction struct {
	// Last advances as numbers are assigned. Engines that do not track it themselves store it at the end.
	Last

	engine Engine
	now    func() time.Time
	// removed is the time of the last removal; zero: not read yet.
	removed time.Time
	// failed is the first error of a call. Its effects are unknown, so the transaction cannot be committed after it,
	// even if the caller ignores the error.
	failed error
	over   bool
}

var _ store.Tx = (*Transaction)(nil)

// Begin returns the Transaction of an engine's open transaction. last contains the last numbers assigned before it, and
// now returns the current time.
func Begin(engine Engine, last Last, now func() time.Time) *Transaction {
	return &Transaction{Last: last, engine: engine, now: now}
}

// Run calls the function of a Write. If Run returns nil, the engine may commit the transaction.
func (t *Transaction) Run(ctx context.Context, fn func(ctx context.Context, tx store.Tx) error) error {
	defer func() { t.over = true }()
	if err := fn(ctx, t); err != nil {
		return err
	}
	return t.failed
}

// doing runs one call of the transaction, unless the transaction is over or has failed.
func (t *Transaction) doing(fn func() error) error {
	switch {
	case t.over:
		return errOver
	case t.failed != nil:
		return t.failed
	}
	t.failed = fn()
	return t.failed
}

// Items implements store.Tx.
func (t *Transaction) Items(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (items map[catalogue.ID]catalogue.Item, err error) {
	err = t.doing(func() (err error) {
		items, err = t.engine.Items(ctx, kind, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

// Referring implements store.Tx.
func (t *Transaction) Referring(ctx context.Context, kind catalogue.Kind, id catalogue.ID, limit int) (ids []catalogue.ID, err error) {
	err = t.doing(func() (err error) {
		ids, err = t.engine.Referring(ctx, kind, id, max(0, limit))
		return err
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// Of implements store.Tx.
func (t *Transaction) Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) (ids []catalogue.ID, err error) {
	err = t.doing(func() (err error) {
		ids, err = t.engine.Of(ctx, kind, source, after, max(0, limit))
		return err
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// entry adds an entry to the log and returns its position.
func (t *Transaction) entry(changes *Changes, kind catalogue.Kind, id catalogue.ID, deleted bool) store.Position {
	t.Position++
	changes.Log = append(changes.Log, store.Change{Position: t.Position, Kind: kind, ID: id, Deleted: deleted})
	return t.Position
}
