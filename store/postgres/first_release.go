package postgres

import (
	"context"
	"database/sql"
	_ "embed"
)

// After release v0.1.0, the first migration was rewritten under the same number, so that both engines use the same
// names. These statements turn the schema of that release into one that the present first migration would create.
//
//go:embed first_release.sql
var updateFirstRelease string

const (
	selectIsFirstRelease = `SELECT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('use_progress'))` // see selectPlayRowsExist
	lockMigrations       = `SELECT pg_advisory_xact_lock($1)`
)

// adoptFirstRelease updates the schema of a database that release v0.1.0 created, in one transaction. It leaves any
// other database unchanged. Servers of that release stop working.
func adoptFirstRelease(ctx context.Context, handle *sql.DB) error {
	var found bool
	if err := handle.QueryRowContext(ctx, selectIsFirstRelease).Scan(&found); err != nil || !found {
		return err
	}
	transaction, err := handle.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = transaction.Rollback() }() // without effect after a commit
	if _, err := transaction.ExecContext(ctx, lockMigrations, migrationLock); err != nil {
		return err
	}
	// Another process may have updated it while this one waited.
	if err := transaction.QueryRowContext(ctx, selectIsFirstRelease).Scan(&found); err != nil || !found {
		return err
	}
	if _, err := transaction.ExecContext(ctx, updateFirstRelease); err != nil {
		return err
	}
	return transaction.Commit()
}
