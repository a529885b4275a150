package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// Releases before blocks kept each play as a row of usage_plays.
const (
	// to_regclass alone may still find a table that another process dropped during this transaction.
	selectPlayRowsExist = `SELECT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('usage_plays'))`
	declarePlayRows     = `
		DECLARE play_rows NO SCROLL CURSOR FOR
		SELECT position, at, starts, ends, account, client, person, video, channel, sandbox, subjects, excess, void, continues
		FROM usage_plays ORDER BY account, at`
	fetchPlayRows = `FETCH 10000 FROM play_rows`
	dropPlayRows  = `DROP TABLE usage_plays`
)

// convertPlays moves the plays of an earlier release to blocks, in one transaction. Counting waits.
func convertPlays(ctx context.Context, config *pgxpool.Config) error {
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	return with(ctx, pool, func(ctx context.Context, s *session) error {
		exist := false
		if err := s.conn.QueryRow(ctx, selectPlayRowsExist).Scan(&exist); err != nil || !exist {
			return err
		}
		return pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockProgress.PostgreSQL); err != nil {
				return err
			}
			// Another process may have converted them while this one waited.
			if err := tx.QueryRow(ctx, selectPlayRowsExist).Scan(&exist); err != nil || !exist {
				return err
			}
			return s.convertPlays(ctx)
		})
	})
}

func (s *session) convertPlays(ctx context.Context) error {
	if _, err := s.conn.Exec(ctx, `LOCK TABLE usage_plays IN ACCESS EXCLUSIVE MODE`); err != nil {
		return err
	}
	if _, err := s.conn.Exec(ctx, declarePlayRows); err != nil {
		return err
	}
	var blocks []usagelogic.Block
	converter := usagelogic.NewConverter(func(b usagelogic.Block) error {
		blocks = append(blocks, b)
		return nil
	})
	scan := sqlstore.ScanningPlays()
	for more := true; more; {
		rows, err := s.conn.Query(ctx, fetchPlayRows)
		if err != nil {
			return err
		}
		for more = false; rows.Next(); {
			more = true
			play, err := scan(byteRow{rows})
			if err == nil {
				err = converter.Add(play)
			}
			if err != nil {
				rows.Close()
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if !more {
			if err := converter.End(); err != nil {
				return err
			}
		}
		if err := s.PutBlocks(ctx, blocks); err != nil {
			return err
		}
		blocks = blocks[:0]
	}
	_, err := s.conn.Exec(ctx, `CLOSE play_rows; `+dropPlayRows, pgx.QueryExecModeSimpleProtocol)
	return err
}
