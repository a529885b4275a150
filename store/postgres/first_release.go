package postgres

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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
func adoptFirstRelease(ctx context.Context, config *pgxpool.Config) error {
	connection, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close(context.WithoutCancel(ctx)) }() // the transaction is over
	var found bool
	if err := connection.QueryRow(ctx, selectIsFirstRelease).Scan(&found); err != nil || !found {
		return err
	}
	return pgx.BeginFunc(ctx, connection, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockMigrations, migrationLock); err != nil {
			return err
		}
		// Another process may have updated it while this one waited.
		if err := tx.QueryRow(ctx, selectIsFirstRelease).Scan(&found); err != nil || !found {
			return err
		}
		_, err := tx.Exec(ctx, updateFirstRelease)
		return err
	})
}
