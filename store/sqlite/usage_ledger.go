package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	addSum = define(`
		INSERT INTO ledger (account, month, client, sandbox, sealed, void, plays, milliseconds, excess) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (account, month, client, sandbox, sealed, void)
		DO UPDATE SET plays = plays + excluded.plays, milliseconds = milliseconds + excluded.milliseconds, excess = excess + excluded.excess`)
	// dropSum deletes a sum if it is zero.
	dropSum = define(`
		DELETE FROM ledger WHERE account = ? AND month = ? AND client = ? AND sandbox = ? AND sealed = ? AND void = ?
			AND plays = 0 AND milliseconds = 0 AND excess = 0`)
)

// AddSums implements usagelogic.VoidTx.
func (s *session) AddSums(ctx context.Context, sums []usage.Sum) error {
	for _, sum := range sums {
		key := []any{sum.Account, sum.Month.Number(), sum.Client, flag(sum.Sandbox), usagelogic.SealColumn(sum.Sealed), sum.Void}
		if _, err := s.exec(ctx, addSum, append(key, sum.Plays, sum.Milliseconds, sum.Excess)...); err != nil {
			return err
		}
		if sum.Plays >= 0 && sum.Milliseconds >= 0 && sum.Excess >= 0 && sum.Void == "" {
			continue
		}
		if _, err := s.exec(ctx, dropSum, key...); err != nil {
			return err
		}
	}
	return nil
}
