package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// bodyHere is the maximum size in bytes of a body that is stored in the row of its cell. A larger body is stored apart,
// in cell_bodies.
const bodyHere = 200

var (
	selectNewestPart = define(`
		SELECT part, plays, milliseconds, excess, size, apart, body FROM cells
		WHERE account = ? AND dimension = ? AND grain = ? AND bucket = ? AND value = ? AND sandbox = ? AND part < ?
		ORDER BY part DESC LIMIT 1`)
	selectBody  = define(`SELECT body FROM cell_bodies WHERE number = ?`)
	insertBody  = define(`INSERT INTO cell_bodies (body) VALUES (?) RETURNING number`)
	replaceBody = define(`INSERT OR REPLACE INTO cell_bodies (number, body) VALUES (?, ?)`)
	deleteBody  = define(`DELETE FROM cell_bodies WHERE number = ?`)
	deletePart  = define(`
		DELETE FROM cells
		WHERE account = ? AND dimension = ? AND grain = ? AND bucket = ? AND value = ? AND sandbox = ? AND part = ?`)
	replaceParts = defineInsertion(15, `
		INSERT OR REPLACE INTO cells (account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, excess, users, videos, size, apart, body)`, ``)
)

// keyOf returns the columns of a cell's key.
func keyOf(k usagelogic.CellKey) []any {
	return []any{int64(k.Account), int64(k.Dimension), int64(k.Grain), k.Bucket, int64(k.Value), flag(k.Sandbox)}
}

// storedPart is the stored form of a part of a cell.
type storedPart struct {
	number, plays, milliseconds, excess, size int64
	apart                                     sql.NullInt64
	body                                      []byte
}

// addCells adds cells, each of which occurs once, to the stored ones.
func (s *session) addCells(ctx context.Context, cells []*usagelogic.Cell) error {
	horizon, err := s.horizon(ctx)
	if err != nil {
		return err
	}
	rows := batch{insertion: replaceParts}
	for _, cell := range cells {
		number, apart, err := s.absorb(ctx, cell, !cell.Key.Before(horizon))
		if err != nil {
			return err
		}
		if err := s.addPart(ctx, &rows, cell, number, apart); err != nil {
			return err
		}
		if len(rows.values) >= 64*rows.columns {
			if err := rows.flush(ctx, s); err != nil {
				return err
			}
		}
	}
	return rows.flush(ctx, s)
}

// absorb merges the newest stored parts of a cell into it, if it may and as long as usagelogic.Absorbs permits. Parts
// without persons have a number of users that a merge would lose. absorb returns the number of the part that the cell
// becomes, and the number of the body of the part that it replaces, if that body is stored apart.
func (s *session) absorb(ctx context.Context, cell *usagelogic.Cell, may bool) (number int64, apart sql.NullInt64, err error) {
	const newest = 1 << 62
	absorbed, added := false, len(cell.Body())
	for number = newest; number > 0; {
		part, err := s.newestPart(ctx, cell.Key, number)
		switch {
		case err != nil:
			return 0, apart, err
		case part == nil:
			return 0, apart, nil
		case !may || !usagelogic.Absorbs(int(part.size), added):
			if !absorbed {
				number = part.number + 1
			}
			return number, apart, nil
		}
		if absorbed {
			if err := s.dropPart(ctx, cell.Key, number, apart); err != nil {
				return 0, apart, err
			}
		}
		if err := s.readBody(ctx, part); err != nil {
			return 0, apart, err
		}
		if err := cell.Absorb(part.plays, part.milliseconds, part.excess, part.body); err != nil {
			return 0, apart, err
		}
		number, apart, absorbed, added = part.number, part.apart, true, len(cell.Body())
	}
	return number, apart, nil
}

// newestPart returns the last part of a cell below a number; nil: there is none. It does not read a body that is stored
// apart.
func (s *session) newestPart(ctx context.Context, key usagelogic.CellKey, before int64) (part *storedPart, err error) {
	err = s.query(ctx, selectNewestPart, func(rows *sql.Rows) error {
		part = &storedPart{}
		return rows.Scan(&part.number, &part.plays, &part.milliseconds, &part.excess, &part.size, &part.apart, &part.body)
	}, append(keyOf(key), before)...)
	return part, err
}

func (s *session) readBody(ctx context.Context, part *storedPart) error {
	if !part.apart.Valid {
		return nil
	}
	return s.query(ctx, selectBody, func(rows *sql.Rows) error { return rows.Scan(&part.body) }, part.apart.Int64)
}

func (s *session) dropPart(ctx context.Context, key usagelogic.CellKey, number int64, apart sql.NullInt64) error {
	if apart.Valid {
		if _, err := s.exec(ctx, deleteBody, apart.Int64); err != nil {
			return err
		}
	}
	_, err := s.exec(ctx, deletePart, append(keyOf(key), number)...)
	return err
}

// addPart writes a cell as one of its parts. It replaces the stored part with this number, whose body may be stored
// apart.
func (s *session) addPart(ctx context.Context, rows *batch, cell *usagelogic.Cell, number int64, apart sql.NullInt64) (err error) {
	body := cell.Body()
	size, here := len(body), body
	switch {
	case len(body) <= bodyHere && apart.Valid:
		_, err = s.exec(ctx, deleteBody, apart.Int64)
		apart.Valid = false
	case len(body) > bodyHere && apart.Valid:
		here = nil
		_, err = s.exec(ctx, replaceBody, apart.Int64, body)
	case len(body) > bodyHere:
		here, apart.Valid = nil, true
		apart.Int64, err = s.number(ctx, insertBody, body)
	}
	rows.add(append(keyOf(cell.Key), number, cell.Plays, cell.Milliseconds, cell.Excess, cell.Users(), cell.Videos(), size, apart, here)...)
	return err
}
