package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// Releases before blocks kept each play as a row of the table plays.
const (
	selectPlayRowsExist = `SELECT count(*) = 2 FROM sqlite_schema WHERE name IN ('plays', 'usage_blocks')`
	selectPlayRows      = `
		SELECT position, at, segment_start, segment_end, account, client, person, video, channel, sandbox, subjects, excess, void, continues
		FROM plays ORDER BY account, at`
	dropPlayRows = `DROP TABLE plays`
)

// convertPlays moves the plays of an earlier release to blocks, in one transaction.
func convertPlays(ctx context.Context, handle *sql.DB) error {
	conn, err := handle.Conn(ctx)
	if err != nil {
		return storeError(err)
	}
	s := newSession(conn, time.Now)
	defer func() { _ = s.close() }()
	var exist bool
	if err := conn.QueryRowContext(ctx, selectPlayRowsExist).Scan(&exist); err != nil || !exist {
		return storeError(err)
	}
	return s.writing(ctx, engineWait, func() error {
		rows, err := conn.QueryContext(ctx, selectPlayRows)
		if err != nil {
			return storeError(err)
		}
		defer rows.Close()
		converter := usagelogic.NewConverter(func(b usagelogic.Block) error { return s.PutBlocks(ctx, []usagelogic.Block{b}) })
		scan := sqlstore.ScanningPlays()
		for rows.Next() {
			play, err := scan(rows)
			if err != nil {
				return storeError(err)
			}
			if err := converter.Add(play); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return storeError(err)
		}
		if err := rows.Close(); err != nil {
			return storeError(err)
		}
		if err := converter.End(); err != nil {
			return err
		}
		return s.run(ctx, dropPlayRows)
	})
}
