package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectVoids  = define(`SELECT pending, body FROM voids ORDER BY number`)
	countPending = define(`SELECT count(*) FROM voids WHERE pending = 1`)
	putVoid      = define(`INSERT OR REPLACE INTO voids (number, pending, body) VALUES (?, ?, ?)`)
	deleteSum    = define(`
		DELETE FROM ledger WHERE account = ? AND month = ? AND client = ? AND sandbox = ? AND sealed = ? AND void = ?
			AND plays = 0 AND milliseconds = 0 AND excess = 0`)
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
	var pending int64
	err := u.read(ctx, func(s *session) (err error) {
		pending, err = s.number(ctx, countPending)
		return err
	})
	if err != nil || pending == 0 {
		return err
	}
	return usagelogic.SettleVoids(ctx, u.voiding)
}

// Voids implements store.Usage.
func (u *Usage) Voids(ctx context.Context) (voids usage.Voids, err error) {
	err = u.read(ctx, func(s *session) error {
		voids, err = s.voids(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return voids, nil
}

// PreviewVoid implements store.Usage.
func (u *Usage) PreviewVoid(ctx context.Context, selection usage.Selection) (sums []usage.Sum, err error) {
	err = u.atOnce(ctx, func(m *moment) error {
		sums, err = usagelogic.PreviewVoid(ctx, &voidTx{m}, selection)
		return err
	})
	if err != nil {
		return nil, err
	}
	return sums, nil
}

// voiding is the usagelogic.Voiding of the file.
func (u *Usage) voiding(ctx context.Context, fn func(ctx context.Context, tx usagelogic.VoidTx) error) error {
	return u.write(ctx, func(s *session) error { return fn(ctx, &voidTx{&moment{s}}) })
}

// voidTx is the usagelogic.VoidTx of one write transaction.
type voidTx struct{ *moment }

var _ usagelogic.VoidTx = (*voidTx)(nil)

// Voids implements usagelogic.VoidSource.
func (t *voidTx) Voids(ctx context.Context) (usage.Voids, error) { return t.voids(ctx) }

func (s *session) voids(ctx context.Context) (voids usage.Voids, err error) {
	err = s.query(ctx, selectVoids, func(rows *sql.Rows) error {
		var (
			void usage.Void
			body sql.RawBytes
		)
		if err := rows.Scan(&void.Pending, &body); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &void); err != nil {
			return fmt.Errorf("store: decode a void: %w", err)
		}
		voids = append(voids, void)
		return nil
	})
	return voids, err
}

// PutVoid implements usagelogic.VoidTx.
func (t *voidTx) PutVoid(ctx context.Context, void *usage.Void) error {
	body, err := json.Marshal(void)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, putVoid, void.Made.Number, flag(void.Pending), body)
	return err
}

// Seals implements usagelogic.VoidSource.
func (t *voidTx) Seals(ctx context.Context) ([]usage.Seal, error) { return t.seals(ctx) }

// NoteChange implements usagelogic.VoidTx.
func (t *voidTx) NoteChange(ctx context.Context) error {
	_, err := t.exec(ctx, noteChange)
	return err
}

// ReplaceCells implements usagelogic.VoidTx.
func (t *voidTx) ReplaceCells(ctx context.Context, cells []*usagelogic.Cell) error {
	var whole []usagelogic.Part
	for _, cell := range cells {
		type part struct {
			number int64
			apart  sql.NullInt64
		}
		var parts []part
		err := t.query(ctx, selectPartPlaces, func(rows *sql.Rows) error {
			var p part
			err := rows.Scan(&p.number, &p.apart)
			parts = append(parts, p)
			return err
		}, keyOf(cell.Key)...)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if err := t.dropPart(ctx, cell.Key, p.number, p.apart); err != nil {
				return err
			}
		}
		if !cell.Empty() {
			whole = append(whole, cell.Part(0, cell.Body()))
		}
	}
	return t.PutParts(ctx, whole)
}

var selectPartPlaces = define(`
	SELECT part, apart FROM cells WHERE account = ? AND dimension = ? AND grain = ? AND bucket = ? AND value = ? AND sandbox = ? ORDER BY part`)

// AddSums implements usagelogic.VoidTx.
func (t *voidTx) AddSums(ctx context.Context, sums []usage.Sum) error { return t.addSums(ctx, sums) }

// dropSums deletes the given sums from the ledger if they are zero.
func (s *session) dropSums(ctx context.Context, sums []usage.Sum) error {
	for _, sum := range sums {
		_, err := s.exec(ctx, deleteSum, sum.Account, sum.Month.Number(), sum.Client, flag(sum.Sandbox), usagelogic.SealColumn(sum.Sealed), sum.Void)
		if err != nil {
			return err
		}
	}
	return nil
}

// refusePending returns usage.ErrVoiding while a Void or an UndoVoid is incomplete.
func (s *session) refusePending(ctx context.Context) error {
	pending, err := s.number(ctx, countPending)
	if err == nil && pending > 0 {
		err = usage.ErrVoiding
	}
	return err
}
