package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectVoids  = define(`SELECT pending, body FROM usage_voids ORDER BY number`)
	countPending = define(`SELECT count(*) FROM usage_voids WHERE pending`)
	putVoid      = define(`
		INSERT INTO usage_voids (number, pending, body) VALUES ($1, $2, $3)
		ON CONFLICT (number) DO UPDATE SET pending = excluded.pending, body = excluded.body`)
)

// Void implements store.Usage.
func (u *Usage) Void(ctx context.Context, void usage.Void) (usage.Void, error) {
	return usagelogic.MakeVoid(ctx, u.voiding, void)
}

// UndoVoid implements store.Usage.
func (u *Usage) UndoVoid(ctx context.Context, id string, by usage.VoidAct) (usage.Void, error) {
	return usagelogic.UndoVoid(ctx, u.voiding, id, by)
}

// SettleVoids implements store.Usage.
func (u *Usage) SettleVoids(ctx context.Context) error {
	pending, err := readOne(ctx, u.db, number, countPending)
	if err != nil || pending == 0 {
		return err
	}
	return usagelogic.SettleVoids(ctx, u.voiding)
}

// Voids implements store.Usage.
func (u *Usage) Voids(ctx context.Context) (usage.Voids, error) {
	return readAll(ctx, u.db, scanVoid, selectVoids)
}

// PreviewVoid implements store.Usage.
func (u *Usage) PreviewVoid(ctx context.Context, selection usage.Selection) ([]usage.Sum, error) {
	return valueOf(ctx, u.db.Snapshot, func(ctx context.Context, counts Counts) ([]usage.Sum, error) {
		return usagelogic.PreviewVoid(ctx, counts, selection)
	})
}

// PreviewUndo implements store.Usage.
func (u *Usage) PreviewUndo(ctx context.Context, id string) (usage.Void, error) {
	return valueOf(ctx, u.db.Snapshot, func(ctx context.Context, counts Counts) (usage.Void, error) {
		return usagelogic.PreviewUndo(ctx, counts, id)
	})
}

// voiding implements usagelogic.Voiding.
func (u *Usage) voiding(ctx context.Context, fn func(ctx context.Context, tx usagelogic.VoidTx) error) error {
	return u.db.Count(ctx, func(ctx context.Context, tx CountsTx) error {
		return fn(ctx, tx)
	})
}

// refusePending returns usage.ErrVoiding while a Void or an UndoVoid is incomplete.
func refusePending(ctx context.Context, c Conn) error {
	pending, err := selectOne(ctx, c, number, countPending)
	if err == nil && pending > 0 {
		err = usage.ErrVoiding
	}
	return err
}

// Voids implements usagelogic.VoidSource.
func (c CountsConn) Voids(ctx context.Context) (usage.Voids, error) {
	return selectAll(ctx, c, scanVoid, selectVoids)
}

func scanVoid(row Row) (void usage.Void, err error) {
	var body sql.RawBytes
	if err := row.Scan(&void.Pending, &body); err != nil {
		return void, err
	}
	if err := json.Unmarshal(body, &void); err != nil {
		return void, fmt.Errorf("store: decode a void: %w", err)
	}
	return void, nil
}

// PutVoid implements usagelogic.VoidTx.
func (c CountsConn) PutVoid(ctx context.Context, void *usage.Void) error {
	body, err := json.Marshal(void)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, putVoid, void.Made.Number, void.Pending, body)
	return err
}

// NoteChange implements usagelogic.VoidTx.
func (c CountsConn) NoteChange(ctx context.Context) error {
	_, err := c.Exec(ctx, noteChange)
	return err
}
