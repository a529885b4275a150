package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// Releases before blocks kept each play as a row of the table plays.
const (
	selectPlayRowsExist = `SELECT count(*) = 2 FROM sqlite_schema WHERE name IN ('plays', 'play_blocks')`
	selectPlayRows      = `
		SELECT account, position, at, sandbox, client, person, video, channel, subjects, segment_start, segment_end, excess, void, continues
		FROM plays ORDER BY account, at`
	dropPlayRows = `DROP TABLE plays`
)

// convertPlays moves the plays of an earlier release to blocks, in one transaction.
func convertPlays(ctx context.Context, handle *sql.DB) error {
	conn, err := handle.Conn(ctx)
	if err != nil {
		return storeError(err)
	}
	s := newSession(conn)
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
		var row playRow
		for rows.Next() {
			if err := row.scan(rows); err != nil {
				return storeError(err)
			}
			if err := converter.Add(&row.play); err != nil {
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

// unpacked decodes varints and reuses the memory of into.
func unpacked(list []byte, into []usagelogic.Number) []usagelogic.Number {
	into = into[:0]
	for len(list) > 0 {
		number, n := binary.Uvarint(list)
		into = append(into, usagelogic.Number(number))
		list = list[max(1, n):]
	}
	return into
}

// playRow scans the columns of selectPlayRows, row after row, into types that need no conversion, because there may be
// millions of rows.
type playRow struct {
	play                                                            usagelogic.Play
	account, at, sandbox, client, person, video, channel, continues int64
	subjects                                                        sql.RawBytes
	targets                                                         []any
}

func (r *playRow) scan(rows *sql.Rows) error {
	p := &r.play
	if r.targets == nil {
		r.targets = []any{
			&r.account, &p.Position, &r.at, &r.sandbox, &r.client, &r.person, &r.video, &r.channel, &r.subjects, &p.Start, &p.End, &p.Excess,
			&p.Void, &r.continues,
		}
	}
	if err := rows.Scan(r.targets...); err != nil {
		return err
	}
	p.At, p.Sandbox, p.Continues = event.Instant(r.at), r.sandbox == 1, r.continues == 1
	p.Subjects = unpacked(r.subjects, p.Subjects)
	p.Account, p.Client, p.Person = usagelogic.Number(r.account), usagelogic.Number(r.client), usagelogic.Number(r.person)
	p.Video, p.Channel = usagelogic.Number(r.video), usagelogic.Number(r.channel)
	return nil
}
