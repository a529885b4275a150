package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectVoids  = define(`SELECT pending, body FROM usage_voids ORDER BY number`)
	countPending = define(`SELECT count(*) FROM usage_voids WHERE pending`)
	putVoid      = define(`
		INSERT INTO usage_voids (number, pending, body) VALUES ($1, $2, $3)
		ON CONFLICT (number) DO UPDATE SET pending = excluded.pending, body = excluded.body`)
	// dropSums deletes sums that are zero.
	dropSums = define(`
		DELETE FROM usage_ledger AS l USING unnest($1::bytea[], $2::integer[]) AS n(account, month)
		WHERE l.account = n.account AND l.month = n.month AND l.plays = 0 AND l.milliseconds = 0 AND l.excess = 0`)
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
	if err := u.read(ctx, func(p *pipeline) { p.number(countPending, &pending) }); err != nil || pending == 0 {
		return err
	}
	return usagelogic.SettleVoids(ctx, u.voiding)
}

// Voids implements store.Usage.
func (u *Usage) Voids(ctx context.Context) (voids usage.Voids, err error) {
	if err := u.read(ctx, func(p *pipeline) { p.voids(&voids) }); err != nil {
		return nil, err
	}
	return voids, nil
}

// PreviewVoid implements store.Usage.
func (u *Usage) PreviewVoid(ctx context.Context, selection usage.Selection) (sums []usage.Sum, err error) {
	err = u.asking(ctx, func(ctx context.Context, s *source) error {
		sums, err = usagelogic.PreviewVoid(ctx, &voidTx{source: s, count: &count{session: s.session}}, selection)
		return err
	})
	if err != nil {
		return nil, err
	}
	return sums, nil
}

// voiding implements usagelogic.Voiding.
func (u *Usage) voiding(ctx context.Context, fn func(ctx context.Context, tx usagelogic.VoidTx) error) error {
	return u.counting(ctx, func(ctx context.Context, c *count, _ *pipeline) error {
		return fn(ctx, &voidTx{source: &source{c.session}, count: c})
	})
}

// voids adds the statement that reads all voids.
func (p *pipeline) voids(voids *usage.Voids) {
	*voids = nil
	p.ask(selectVoids, func(rows pgx.Rows) error {
		var (
			void usage.Void
			body pgtype.DriverBytes
		)
		if err := rows.Scan(&void.Pending, &body); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &void); err != nil {
			return fmt.Errorf("store/postgres: decode a void: %w", err)
		}
		*voids = append(*voids, void)
		return nil
	})
}

// refusePending returns an error if a void or its undoing is still changing the counts.
func (c *count) refusePending(ctx context.Context) error {
	var pending int64
	err := c.send(ctx, func(p *pipeline) { p.number(countPending, &pending) })
	if err == nil && pending > 0 {
		err = usage.ErrVoiding
	}
	return err
}

// voidTx implements usagelogic.VoidTx in one transaction.
type voidTx struct {
	*source
	count *count
}

var _ usagelogic.VoidTx = (*voidTx)(nil)

// Voids implements usagelogic.VoidSource.
func (t *voidTx) Voids(ctx context.Context) (voids usage.Voids, err error) {
	err = t.count.send(ctx, func(p *pipeline) { p.voids(&voids) })
	return voids, err
}

// PutVoid implements usagelogic.VoidTx.
func (t *voidTx) PutVoid(ctx context.Context, void *usage.Void) error {
	body, err := json.Marshal(void)
	if err != nil {
		return err
	}
	return t.count.send(ctx, func(p *pipeline) { p.do(putVoid, void.Made.Number, void.Pending, body) })
}

// Seals implements usagelogic.VoidSource.
func (t *voidTx) Seals(ctx context.Context) ([]usage.Seal, error) { return t.count.seals(ctx) }

// NoteChange implements usagelogic.VoidTx.
func (t *voidTx) NoteChange(ctx context.Context) error {
	return t.count.send(ctx, func(p *pipeline) { p.do(noteChange) })
}

// ReplaceCells implements usagelogic.VoidTx.
func (t *voidTx) ReplaceCells(ctx context.Context, cells []*usagelogic.Cell) error {
	for ; len(cells) > 0; cells = cells[min(len(cells), cellsAtOnce):] {
		some := cells[:min(len(cells), cellsAtOnce)]
		stacks, err := t.count.stacks(ctx, some)
		if err != nil {
			return err
		}
		var (
			gone []usagelogic.PartKey
			kept []usagelogic.Part
		)
		for _, s := range stacks {
			for _, stored := range s.stored {
				gone = append(gone, usagelogic.PartKey{CellKey: s.Key, Part: stored.number})
			}
			if !s.Empty() {
				kept = append(kept, s.Part(0, s.body))
			}
		}
		if err := t.count.send(ctx, func(p *pipeline) { p.do(deleteParts, partArrays(gone)...) }); err != nil {
			return err
		}
		if err := t.count.PutParts(ctx, kept); err != nil {
			return err
		}
	}
	return nil
}

// AddSums implements usagelogic.VoidTx.
func (t *voidTx) AddSums(ctx context.Context, sums []usage.Sum) error { return t.count.book(ctx, sums) }
