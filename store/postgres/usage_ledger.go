package postgres

import (
	"context"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	addSums = define(`
		INSERT INTO usage_ledger (account, month, client, sandbox, sealed, plays, milliseconds, excess, void)
		SELECT * FROM unnest($1::bytea[], $2::integer[], $3::bytea[], $4::boolean[], $5::integer[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bytea[])
		ON CONFLICT (account, month, client, sandbox, sealed, void) DO UPDATE SET
			plays = usage_ledger.plays + excluded.plays, milliseconds = usage_ledger.milliseconds + excluded.milliseconds,
			excess = usage_ledger.excess + excluded.excess`)
	// dropSums deletes sums that are zero.
	dropSums = define(`
		DELETE FROM usage_ledger AS l USING unnest($1::bytea[], $2::integer[]) AS n(account, month)
		WHERE l.account = n.account AND l.month = n.month AND l.plays = 0 AND l.milliseconds = 0 AND l.excess = 0`)
)

// AddSums implements usagelogic.VoidTx.
func (s *session) AddSums(ctx context.Context, sums []usage.Sum) error {
	accounts, clients, voids := make([][]byte, len(sums)), make([][]byte, len(sums)), make([][]byte, len(sums))
	adjusts := false
	months, seals, sandboxes := make([]int32, len(sums)), make([]int32, len(sums)), make([]bool, len(sums))
	plays, milliseconds, excess := make([]int64, len(sums)), make([]int64, len(sums)), make([]int64, len(sums))
	for i, sum := range sums {
		accounts[i], clients[i], sandboxes[i] = []byte(sum.Account), []byte(sum.Client), sum.Sandbox
		months[i], seals[i] = int32(sum.Month.Number()), int32(usagelogic.SealColumn(sum.Sealed))
		plays[i], milliseconds[i], excess[i], voids[i] = sum.Plays, sum.Milliseconds, sum.Excess, []byte(sum.Void)
		adjusts = adjusts || sum.Plays < 0 || sum.Milliseconds < 0 || sum.Excess < 0 || sum.Void != ""
	}
	return s.send(ctx, func(p *pipeline) {
		p.do(addSums, accounts, months, clients, sandboxes, seals, plays, milliseconds, excess, voids)
		if adjusts {
			p.do(dropSums, accounts, months)
		}
	})
}
