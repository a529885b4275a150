package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

const sumColumns = `SELECT account, month, client, sandbox, sealed, void, plays, milliseconds, excess FROM ledger `

var (
	selectLedger   = define(sumColumns + `ORDER BY account, month, client, sandbox, sealed, void`)
	selectLedgerOf = define(sumColumns + `WHERE account = ? ORDER BY account, month, client, sandbox, sealed, void`)
	addSum         = define(`
		INSERT INTO ledger (account, month, client, sandbox, sealed, void, plays, milliseconds, excess) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (account, month, client, sandbox, sealed, void)
		DO UPDATE SET plays = plays + excluded.plays, milliseconds = milliseconds + excluded.milliseconds, excess = excess + excluded.excess`)
	sealSums = define(`UPDATE ledger SET sealed = ? WHERE sealed = ? AND month <= ?`)
)

func (s *session) addSums(ctx context.Context, sums []usage.Sum) error {
	for _, sum := range sums {
		_, err := s.exec(ctx, addSum, sum.Account, sum.Month.Number(), sum.Client, flag(sum.Sandbox), usagelogic.SealColumn(sum.Sealed), sum.Void,
			sum.Plays, sum.Milliseconds, sum.Excess)
		if err != nil {
			return err
		}
	}
	return s.dropSums(ctx, slices.DeleteFunc(slices.Clone(sums), func(s usage.Sum) bool { return s.Plays >= 0 && s.Milliseconds >= 0 && s.Excess >= 0 && s.Void == "" }))
}

// Ledger implements store.Usage.
func (u *Usage) Ledger(ctx context.Context, account string) (sums []usage.Sum, progress usage.Progress, err error) {
	err = u.atOnce(ctx, func(m *moment) error {
		if progress, err = m.progress(ctx); err != nil {
			return err
		}
		if account == "" {
			sums, err = m.ledger(ctx, selectLedger)
		} else {
			sums, err = m.ledger(ctx, selectLedgerOf, account)
		}
		return err
	})
	if err != nil {
		return nil, usage.Progress{}, err
	}
	return sums, progress, nil
}

func (s *session) ledger(ctx context.Context, st *statement, args ...any) (sums []usage.Sum, err error) {
	err = s.query(ctx, st, func(rows *sql.Rows) error {
		var (
			sum    usage.Sum
			month  int
			sealed int64
		)
		err := rows.Scan(&sum.Account, &month, &sum.Client, &sum.Sandbox, &sealed, &sum.Void, &sum.Plays, &sum.Milliseconds, &sum.Excess)
		sum.Month, sum.Sealed = usage.MonthNumber(month), usagelogic.SealMonth(sealed)
		sums = append(sums, sum)
		return err
	}, args...)
	return sums, err
}

var (
	selectSeals = define(`SELECT month, position, at FROM seals ORDER BY month`)
	insertSeal  = define(`INSERT INTO seals (month, position, at) VALUES (?, ?, ?)`)
)

// Seals implements store.Usage.
func (u *Usage) Seals(ctx context.Context) (seals []usage.Seal, err error) {
	err = u.read(ctx, func(s *session) error {
		seals, err = s.seals(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return seals, nil
}

func (s *session) seals(ctx context.Context) (seals []usage.Seal, err error) {
	err = s.query(ctx, selectSeals, func(rows *sql.Rows) error {
		var (
			seal  usage.Seal
			month int
			at    int64
		)
		err := rows.Scan(&month, &seal.Position, &at)
		seal.Month, seal.At = usage.MonthNumber(month), instant(at)
		seals = append(seals, seal)
		return err
	})
	return seals, err
}

// Seal implements store.Usage.
func (u *Usage) Seal(ctx context.Context, seal usage.Seal, compose func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error)) (statements []usage.Statement, err error) {
	err = u.write(ctx, func(s *session) error {
		progress, err := s.progress(ctx)
		if err != nil {
			return err
		}
		if err := s.seal(ctx, seal, progress); err != nil {
			return err
		}
		ledger, err := s.ledger(ctx, selectLedger)
		if err != nil {
			return err
		}
		last, err := s.lastStatements(ctx)
		if err != nil {
			return err
		}
		if statements, err = compose(progress, ledger, last); err != nil {
			return err
		}
		return s.insertStatements(ctx, statements)
	})
	if err != nil {
		return nil, err
	}
	return statements, nil
}

// seal adds a seal and includes in it all unsealed sums up to its month.
func (s *session) seal(ctx context.Context, seal usage.Seal, progress usage.Progress) error {
	if err := s.refusePending(ctx); err != nil {
		return err
	}
	seals, err := s.seals(ctx)
	if err != nil {
		return err
	}
	if err := usagelogic.CheckSeal(seal.Month, progress, seals); err != nil {
		return err
	}
	month := usagelogic.SealColumn(seal.Month)
	if _, err := s.exec(ctx, insertSeal, month, progress.Position, micros(seal.At)); err != nil {
		return err
	}
	if _, err := s.exec(ctx, noteChange); err != nil {
		return err
	}
	_, err = s.exec(ctx, sealSums, month, usagelogic.Unsealed, month)
	return err
}

// These select sealed statements by account and month, and the last one of each account.
var (
	selectStatements        = define(`SELECT body FROM statements ORDER BY month, account`)
	selectStatementsOf      = define(`SELECT body FROM statements WHERE account = ? ORDER BY month`)
	selectStatementsOfMonth = define(`SELECT body FROM statements WHERE month = ? ORDER BY account`)
	selectStatement         = define(`SELECT body FROM statements WHERE account = ? AND month = ?`)
	selectLastStatements    = define(`SELECT body, max(month) FROM statements GROUP BY account`)
	insertStatement         = define(`INSERT INTO statements (account, month, body) VALUES (?, ?, ?)`)
)

// Statements implements store.Usage.
func (u *Usage) Statements(ctx context.Context, account string, month usage.Month) (statements []usage.Statement, err error) {
	st, args := statementsOf(account, month)
	err = u.read(ctx, func(s *session) error {
		return s.query(ctx, st, func(rows *sql.Rows) error {
			statement, err := scanStatement(rows)
			statements = append(statements, statement)
			return err
		}, args...)
	})
	if err != nil {
		return nil, err
	}
	return statements, nil
}

// statementsOf returns the SQL statement and its arguments for an account and a month.
func statementsOf(account string, month usage.Month) (*statement, []any) {
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

// lastStatements returns the statement of the last month of each account. The engine takes the body from the row with
// the maximum.
func (s *session) lastStatements(ctx context.Context) (map[string]usage.Statement, error) {
	last := map[string]usage.Statement{}
	return last, s.query(ctx, selectLastStatements, func(rows *sql.Rows) error {
		var month int
		statement, err := scanStatement(rows, &month)
		last[statement.Account] = statement
		return err
	})
}

func scanStatement(rows *sql.Rows, others ...any) (statement usage.Statement, err error) {
	var body sql.RawBytes
	if err := rows.Scan(append([]any{&body}, others...)...); err != nil {
		return statement, err
	}
	if err := json.Unmarshal(body, &statement); err != nil {
		return statement, fmt.Errorf("store: decode a statement: %w", err)
	}
	return statement, nil
}

func (s *session) insertStatements(ctx context.Context, statements []usage.Statement) error {
	for i := range statements {
		body, err := json.Marshal(&statements[i])
		if err != nil {
			return err
		}
		if _, err := s.exec(ctx, insertStatement, statements[i].Account, statements[i].Month.Number(), body); err != nil {
			return err
		}
	}
	return nil
}
