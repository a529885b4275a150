package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

const selectSums = `SELECT account, month, client, sandbox, sealed, void, plays, milliseconds, excess FROM usage_ledger `

var (
	selectLedger = define(selectSums + `ORDER BY account, month, client, sandbox, sealed, void`).
			scanning("a seal is made of the whole ledger")
	selectLedgerOf = define(selectSums + `WHERE account = $1 ORDER BY account, month, client, sandbox, sealed, void`)
	// 2147483647 is usagelogic.Unsealed.
	sealSums = define(`UPDATE usage_ledger SET sealed = $1 WHERE sealed = 2147483647 AND month <= $1`).
			scanning("a seal reads the whole ledger, once a month")
)

func scanSum(row Row) (sum usage.Sum, err error) {
	var (
		month  int
		sealed int64
	)
	err = row.Scan(&sum.Account, &month, &sum.Client, &sum.Sandbox, &sealed, &sum.Void, &sum.Plays, &sum.Milliseconds, &sum.Excess)
	sum.Month, sum.Sealed = usage.MonthNumber(month), usagelogic.SealMonth(sealed)
	return sum, err
}

// Ledger implements store.Usage.
func (u *Usage) Ledger(ctx context.Context, account string) (sums []usage.Sum, progress usage.Progress, err error) {
	st, args := selectLedger, []any(nil)
	if account != "" {
		st, args = selectLedgerOf, []any{account}
	}
	err = u.db.Snapshot(ctx, func(ctx context.Context, counts Counts) (err error) {
		if progress, err = counts.Progress(ctx); err != nil {
			return err
		}
		sums, err = selectAll(ctx, counts, scanSum, st, args...)
		return err
	})
	if err != nil {
		return nil, usage.Progress{}, err
	}
	return sums, progress, nil
}

var (
	addSums = defineInsertion(9,
		`INSERT INTO usage_ledger AS l (account, month, client, sandbox, sealed, void, plays, milliseconds, excess)`, `
		ON CONFLICT (account, month, client, sandbox, sealed, void) DO UPDATE SET
			plays = l.plays + excluded.plays, milliseconds = l.milliseconds + excluded.milliseconds, excess = l.excess + excluded.excess`)
	// dropSum deletes a sum if it is zero.
	dropSum = define(`
		DELETE FROM usage_ledger WHERE account = $1 AND month = $2 AND client = $3 AND sandbox = $4 AND sealed = $5 AND void = $6
			AND plays = 0 AND milliseconds = 0 AND excess = 0`)
)

// AddSums implements usagelogic.VoidTx.
func (c CountsConn) AddSums(ctx context.Context, sums []usage.Sum) error {
	var values []any
	for _, sum := range sums {
		values = append(append(values, sumKey(sum)...), sum.Plays, sum.Milliseconds, sum.Excess)
	}
	addSums.Insert(ctx, c, values)
	for _, sum := range sums {
		if sum.Plays < 0 || sum.Milliseconds < 0 || sum.Excess < 0 || sum.Void != "" {
			c.Do(ctx, dropSum, sumKey(sum)...)
		}
	}
	return c.Send(ctx)
}

func sumKey(sum usage.Sum) []any {
	return []any{sum.Account, sum.Month.Number(), sum.Client, sum.Sandbox, usagelogic.SealColumn(sum.Sealed), sum.Void}
}

var (
	selectSeals = define(`SELECT month, position, at FROM usage_seals ORDER BY month`)
	insertSeal  = define(`INSERT INTO usage_seals (month, position, at) VALUES ($1, $2, $3)`)
)

// Seals implements store.Usage.
func (u *Usage) Seals(ctx context.Context) ([]usage.Seal, error) {
	return readAll(ctx, u.db, scanSeal, selectSeals)
}

// Seals implements usagelogic.VoidSource.
func (c CountsConn) Seals(ctx context.Context) ([]usage.Seal, error) {
	return selectAll(ctx, c, scanSeal, selectSeals)
}

func scanSeal(row Row) (seal usage.Seal, err error) {
	var (
		month int
		at    int64
	)
	err = row.Scan(&month, &seal.Position, &at)
	seal.Month, seal.At = usage.MonthNumber(month), instant(at)
	return seal, err
}

// Seal implements store.Usage. It calls compose again if the engine ends the transaction in favor of another.
func (u *Usage) Seal(ctx context.Context, seal usage.Seal, compose func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error)) ([]usage.Statement, error) {
	return valueOf(ctx, u.db.Count, func(ctx context.Context, tx CountsTx) ([]usage.Statement, error) {
		progress, err := tx.Progress(ctx)
		if err != nil {
			return nil, err
		}
		if err := checkSeal(ctx, tx, seal.Month, progress); err != nil {
			return nil, err
		}
		tx.Do(ctx, noteChange)
		tx.Do(ctx, insertSeal, seal.Month.Number(), progress.Position, micros(seal.At))
		tx.Do(ctx, sealSums, seal.Month.Number())
		var ledger []usage.Sum
		askAll(ctx, tx, &ledger, scanSum, selectLedger)
		var before []usage.Statement
		askAll(ctx, tx, &before, scanStatement, selectLastStatements)
		if err := tx.Send(ctx); err != nil {
			return nil, err
		}
		last := map[string]usage.Statement{}
		for _, statement := range before {
			last[statement.Account] = statement
		}
		statements, err := compose(progress, ledger, last)
		if err != nil {
			return nil, err
		}
		return statements, putStatements(ctx, tx, statements)
	})
}

// checkSeal returns an error if no seal of the month can be added.
func checkSeal(ctx context.Context, tx CountsTx, month usage.Month, progress usage.Progress) error {
	if err := refusePending(ctx, tx); err != nil {
		return err
	}
	seals, err := tx.Seals(ctx)
	if err != nil {
		return err
	}
	return usagelogic.CheckSeal(month, progress, seals)
}

var (
	selectStatements        = define(`SELECT body FROM usage_statements ORDER BY month, account`).scanning("the query returns all statements")
	selectStatementsOf      = define(`SELECT body FROM usage_statements WHERE account = $1 ORDER BY month`)
	selectStatementsOfMonth = define(`SELECT body FROM usage_statements WHERE month = $1 ORDER BY account`)
	selectStatement         = define(`SELECT body FROM usage_statements WHERE account = $1 AND month = $2`)
	// selectLastStatements returns the last statement of each account.
	selectLastStatements = define(`SELECT body FROM (SELECT account, max(month) AS month FROM usage_statements GROUP BY account) AS last ` +
		`JOIN usage_statements USING (account, month)`).
		scanning("a seal follows the last statement of every account")
	insertStatements = defineInsertion(3, `INSERT INTO usage_statements (account, month, body)`, ``)
)

// Statements implements store.Usage.
func (u *Usage) Statements(ctx context.Context, account string, month usage.Month) ([]usage.Statement, error) {
	st, args := statementsOf(account, month)
	return valueOf(ctx, u.db.Snapshot, func(ctx context.Context, counts Counts) ([]usage.Statement, error) {
		return selectAll(ctx, counts, scanStatement, st, args...)
	})
}

// statementsOf returns the SQL statement and its arguments for an account and a month.
func statementsOf(account string, month usage.Month) (*Statement, []any) {
	every := month == usage.Month{}
	switch {
	case account == "" && every:
		return selectStatements, nil
	case every:
		return selectStatementsOf, []any{account}
	case account == "":
		return selectStatementsOfMonth, []any{month.Number()}
	}
	return selectStatement, []any{account, month.Number()}
}

func scanStatement(row Row) (statement usage.Statement, err error) {
	var body sql.RawBytes
	if err := row.Scan(&body); err != nil {
		return statement, err
	}
	if err := json.Unmarshal(body, &statement); err != nil {
		return statement, fmt.Errorf("store: decode a statement: %w", err)
	}
	return statement, nil
}

// putStatements stores sealed statements. It does not leave them to the commit, because many of them may take longer
// than a commit may.
func putStatements(ctx context.Context, c Conn, statements []usage.Statement) error {
	var values []any
	for i := range statements {
		body, err := json.Marshal(&statements[i])
		if err != nil {
			return fmt.Errorf("store: encode a statement: %w", err)
		}
		values = append(values, statements[i].Account, statements[i].Month.Number(), body)
	}
	insertStatements.Insert(ctx, c, values)
	return c.Send(ctx)
}
