package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	engine "modernc.org/sqlite"
)

// After release v0.1.0, the first migration of each file was rewritten under the same number, so that both engines use
// the same names. These statements turn a file of that release into one that the present first migration would create.
//
//go:embed firstrelease/*.sql
var firstRelease embed.FS

// firstReleaseColumns are a table and a column of each file that only release v0.1.0 has.
var firstReleaseColumns = map[string][2]string{
	"accounts":    {"trail", "user"},
	"catalogue":   {"catalogue_trail", "user"},
	"collections": {"collection_saved", "user"},
	"searchlog":   {"searched", "text"},
}

func init() {
	// The statements for accounts use it, because the engine has no hash function.
	engine.MustRegisterDeterministicScalarFunction("filmstrip_sha256", 1, func(_ *engine.FunctionContext, arguments []driver.Value) (driver.Value, error) {
		text, ok := arguments[0].(string)
		if !ok {
			return nil, errors.New("filmstrip_sha256 takes a text")
		}
		sum := sha256.Sum256([]byte(text))
		return sum[:], nil
	})
}

// adoptFirstRelease updates the schema of a file that release v0.1.0 created, in one transaction. It leaves any other
// file unchanged, and only reads it, because a transaction waits for other writers. The caller holds the lock of the
// migration.
func adoptFirstRelease(ctx context.Context, handle *sql.DB, name string) error {
	column, known := firstReleaseColumns[name]
	if !known {
		return nil
	}
	var found bool
	const question = `SELECT count(*) > 0 FROM pragma_table_info(?) WHERE name = ?`
	if err := handle.QueryRowContext(ctx, question, column[0], column[1]).Scan(&found); err != nil || !found {
		return err
	}
	statements, err := firstRelease.ReadFile("firstrelease/" + name + ".sql")
	if err != nil {
		return err
	}
	transaction, err := handle.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = transaction.Rollback() }() // without effect after a commit
	if _, err := transaction.ExecContext(ctx, string(statements)); err != nil {
		return fmt.Errorf("update the schema of v0.1.0: %w", err)
	}
	return transaction.Commit()
}

// renameFirstReleaseFile gives the search log its present name; release v0.1.0 named it queries.db. The write-ahead log
// moves first, so that an interrupted call can be repeated.
func renameFirstReleaseFile(file, name string) error {
	if name != "searchlog" {
		return nil
	}
	old := filepath.Join(filepath.Dir(file), "queries.db")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, part := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(old+part, file+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
