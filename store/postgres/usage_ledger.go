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
	addSums = define(`
		INSERT INTO usage_ledger (account, month, client, sandbox, sealed, plays, milliseconds, excess, void)
		SELECT * FROM unnest($1::bytea[], $2::integer[], $3::bytea[], $4::boolean[], $5::integer[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bytea[])
		ON CONFLICT (account, month, client, sandbox, sealed, void) DO UPDATE SET
			plays = usage_ledger.plays + excluded.plays, milliseconds = usage_ledger.milliseconds + excluded.milliseconds,
			excess = usage_ledger.excess + excluded.excess`)
	selectLedger = define(`
		SELECT account, month, client, sandbox, sealed, void, plays, milliseconds, excess FROM usage_ledger
		ORDER BY account, month, client, sandbox, sealed, void`)
	selectLedgerOf = define(`
		SELECT account, month, client, sandbox, sealed, void, plays, milliseconds, excess FROM usage_ledger WHERE account = $1
		ORDER BY account, month, client, sandbox, sealed, void`)
	sealSums = define(`UPDATE usage_ledger SET sealed = $1 WHERE sealed = 2147483647 AND month <= $1`)
)

// book adds sums to the ledger.
func (c *count) book(ctx context.Context, sums []usage.Sum) error {
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
	return c.send(ctx, func(p *pipeline) {
		p.do(addSums, accounts, months, clients, sandboxes, seals, plays, milliseconds, excess, voids)
		if adjusts {
			p.do(dropSums, accounts, months)
		}
	})
}

// ledger adds the statement that reads the sums of an account, or of all accounts if account is "".
func (p *pipeline) ledger(account string, sums *[]usage.Sum) {
	st, args := selectLedger, []any(nil)
	if account != "" {
		st, args = selectLedgerOf, []any{[]byte(account)}
	}
	*sums = nil
	p.ask(st, func(rows pgx.Rows) error {
		var (
			sum           usage.Sum
			name, client  pgtype.DriverBytes
			void          pgtype.DriverBytes
			month, sealed int64
		)
		err := rows.Scan(&name, &month, &client, &sum.Sandbox, &sealed, &void, &sum.Plays, &sum.Milliseconds, &sum.Excess)
		sum.Account, sum.Client, sum.Void = string(name), string(client), string(void)
		sum.Month, sum.Sealed = usage.MonthNumber(int(month)), usagelogic.SealMonth(sealed)
		*sums = append(*sums, sum)
		return err
	}, args...)
}

// Ledger implements store.Usage.
func (u *Usage) Ledger(ctx context.Context, account string) (sums []usage.Sum, progress usage.Progress, err error) {
	err = u.asking(ctx, func(ctx context.Context, s *source) error {
		return s.send(ctx, func(p *pipeline) {
			p.ask(selectProgress, func(rows pgx.Rows) error { return scanProgress(rows, &progress) })
			p.ledger(account, &sums)
		})
	})
	if err != nil {
		return nil, usage.Progress{}, err
	}
	return sums, progress, nil
}

var (
	selectSeals = define(`SELECT month, position, at FROM usage_seals ORDER BY month`)
	insertSeal  = define(`INSERT INTO usage_seals (month, position, at) VALUES ($1, $2, $3)`)
)

// seals adds the statement that reads all seals.
func (p *pipeline) seals(seals *[]usage.Seal) {
	*seals = nil
	p.ask(selectSeals, func(rows pgx.Rows) error {
		var (
			seal      usage.Seal
			month, at int64
		)
		err := rows.Scan(&month, &seal.Position, &at)
		seal.Month, seal.At = usage.MonthNumber(int(month)), instant(at)
		*seals = append(*seals, seal)
		return err
	})
}

// Seals implements store.Usage.
func (u *Usage) Seals(ctx context.Context) (seals []usage.Seal, err error) {
	if err := u.read(ctx, func(p *pipeline) { p.seals(&seals) }); err != nil {
		return nil, err
	}
	return seals, nil
}

func (c *count) seals(ctx context.Context) (seals []usage.Seal, err error) {
	err = c.send(ctx, func(p *pipeline) { p.seals(&seals) })
	return seals, err
}

var (
	insertStatements = define(`
		INSERT INTO usage_statements (month, account, body) SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bytea[])`)
	// selectLastStatements returns the last statement of each account.
	selectLastStatements = define(`
		SELECT DISTINCT ON (account) body FROM usage_statements ORDER BY account, month DESC`)
	selectStatements = define(`
		SELECT body FROM usage_statements ORDER BY month, account`)
	selectStatementsOfMonth = define(`
		SELECT body FROM usage_statements WHERE month = $1 ORDER BY account`)
	selectStatementsOfAccount = define(`
		SELECT body FROM usage_statements WHERE account = $1 ORDER BY month`)
	selectStatement = define(`
		SELECT body FROM usage_statements WHERE account = $1 AND month = $2`)
)

// Seal implements store.Usage. It calls compose again if the server ends the transaction in favor of another.
func (u *Usage) Seal(ctx context.Context, seal usage.Seal, compose func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error)) (made []usage.Statement, err error) {
	err = u.counting(ctx, func(ctx context.Context, c *count, last *pipeline) error {
		if err := c.refusePending(ctx); err != nil {
			return err
		}
		seals, err := c.seals(ctx)
		if err != nil {
			return err
		}
		if err := usagelogic.CheckSeal(seal.Month, c.progress, seals); err != nil {
			return err
		}
		month := int32(seal.Month.Number())
		var ledger []usage.Sum
		before := map[string]usage.Statement{}
		err = c.send(ctx, func(p *pipeline) {
			p.do(sealSums, month)
			p.ledger("", &ledger)
			p.statements(selectLastStatements, func(s usage.Statement) { before[s.Account] = s })
		})
		if err != nil {
			return err
		}
		if made, err = compose(c.progress, ledger, before); err != nil {
			return err
		}
		last.do(noteChange)
		last.do(insertSeal, month, c.progress.Position, micros(seal.At))
		return c.keepStatements(ctx, made)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// keepStatements stores sealed statements. It does not leave them to the commit, because many of them may take longer
// than a commit may.
func (c *count) keepStatements(ctx context.Context, made []usage.Statement) error {
	months, accounts, bodies := make([]int32, len(made)), make([][]byte, len(made)), make([][]byte, len(made))
	for i := range made {
		body, err := json.Marshal(&made[i])
		if err != nil {
			return fmt.Errorf("store/postgres: encode a statement: %w", err)
		}
		months[i], accounts[i], bodies[i] = int32(made[i].Month.Number()), []byte(made[i].Account), body
	}
	return c.send(ctx, func(p *pipeline) { p.do(insertStatements, months, accounts, bodies) })
}

// statements adds an SQL statement that returns the bodies of billing statements.
func (p *pipeline) statements(st *statement, each func(usage.Statement), args ...any) {
	p.ask(st, func(rows pgx.Rows) error {
		var (
			body      pgtype.DriverBytes
			statement usage.Statement
		)
		if err := rows.Scan(&body); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &statement); err != nil {
			return fmt.Errorf("store/postgres: decode a statement: %w", err)
		}
		each(statement)
		return nil
	}, args...)
}

// Statements implements store.Usage.
func (u *Usage) Statements(ctx context.Context, account string, month usage.Month) (found []usage.Statement, err error) {
	st, args := selectStatements, []any(nil)
	number := int32(month.Number())
	switch whole := month == (usage.Month{}); {
	case account != "" && whole:
		st, args = selectStatementsOfAccount, []any{[]byte(account)}
	case account != "":
		st, args = selectStatement, []any{[]byte(account), number}
	case !whole:
		st, args = selectStatementsOfMonth, []any{number}
	}
	err = u.asking(ctx, func(ctx context.Context, s *source) error {
		found = nil
		return s.send(ctx, func(p *pipeline) {
			p.statements(st, func(s usage.Statement) { found = append(found, s) }, args...)
		})
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
