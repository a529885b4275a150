package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// bodyHere is the maximum size in bytes of a body that is stored in the row of its cell. A larger body is stored apart,
// in usage_cell_bodies.
const bodyHere = 200

// cellsAsked is the number of cells whose parts one query reads.
const cellsAsked = 64

var (
	selectPartsOfMany = definePartsOf(cellsAsked)
	selectPartsOfOne  = definePartsOf(1)
)

// definePartsOf defines the query for all parts of n cells, without the bodies that are stored apart.
func definePartsOf(n int) *sqlstore.Statement {
	return define(`
		WITH asked (place, account, dimension, grain, bucket, value, sandbox) AS (VALUES ` + strings.TrimSuffix(strings.Repeat(`(?, ?, ?, ?, ?, ?, ?), `, n), `, `) + `)
		SELECT asked.place, c.part, c.plays, c.milliseconds, c.excess, c.size, c.apart, c.body FROM asked CROSS JOIN usage_cells AS c
			ON c.account = asked.account AND c.dimension = asked.dimension AND c.grain = asked.grain AND c.bucket = asked.bucket
			AND c.value = asked.value AND c.sandbox = asked.sandbox`)
}

var (
	selectBody  = define(`SELECT body FROM usage_cell_bodies WHERE number = ?`)
	insertBody  = define(`INSERT INTO usage_cell_bodies (body) VALUES (?) RETURNING number`)
	replaceBody = define(`INSERT OR REPLACE INTO usage_cell_bodies (number, body) VALUES (?, ?)`)
	deleteBody  = define(`DELETE FROM usage_cell_bodies WHERE number = ?`)
	deletePart  = define(`
		DELETE FROM usage_cells
		WHERE account = ? AND dimension = ? AND grain = ? AND bucket = ? AND value = ? AND sandbox = ? AND part = ?`)
	replaceParts = sqlstore.DefineInsertion(define, 15, `
		INSERT OR REPLACE INTO usage_cells (account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, excess, users, videos, size, apart, body)`, ``)
)

// keyOf returns the columns of a cell's key.
func keyOf(k usagelogic.CellKey) []any {
	return []any{int64(k.Account), int64(k.Dimension), int64(k.Grain), k.Bucket, int64(k.Value), k.Sandbox}
}

// storedPart is the stored form of a part of a cell.
type storedPart struct {
	number, plays, milliseconds, excess, size int64
	apart                                     sql.NullInt64
	body                                      []byte
}

// AddCells implements usagelogic.GatherTx.
func (c *counts) AddCells(ctx context.Context, cells []*usagelogic.Cell) error {
	horizon, err := c.Horizon(ctx)
	if err != nil {
		return err
	}
	var rows []any
	for some := range slices.Chunk(cells, cellsAsked) {
		stored, err := c.partsOf(ctx, some)
		if err != nil {
			return err
		}
		rows = rows[:0]
		for i, cell := range some {
			number, apart, err := c.absorb(ctx, cell, stored[i], !cell.Key.Before(horizon))
			if err != nil {
				return err
			}
			if rows, err = c.addPart(ctx, rows, cell, number, apart); err != nil {
				return err
			}
		}
		replaceParts.Insert(ctx, c, rows)
	}
	return c.Send(ctx)
}

// absorb merges the newest stored parts of a cell into it, if it may and as long as usagelogic.Absorbs permits. Parts
// without persons have a number of users that a merge would lose. absorb returns the number of the part that the cell
// becomes, and the number of the body of the part that it replaces, if that body is stored apart.
func (s *session) absorb(ctx context.Context, cell *usagelogic.Cell, stored []storedPart, may bool) (number int64, apart sql.NullInt64, err error) {
	if len(stored) == 0 {
		return 0, apart, nil
	}
	number = stored[len(stored)-1].number + 1
	absorbed, added := false, 0
	for i := len(stored) - 1; i >= 0 && may; i-- {
		part := &stored[i]
		if added == 0 {
			added = len(cell.Body())
		}
		if !usagelogic.Absorbs(int(part.size), added) {
			break
		}
		if absorbed {
			s.dropPart(ctx, cell.Key, number, apart)
		}
		if err := s.readBody(ctx, part); err != nil {
			return 0, apart, err
		}
		if err := cell.Absorb(part.plays, part.milliseconds, part.excess, part.body); err != nil {
			return 0, apart, err
		}
		number, apart, absorbed, added = part.number, part.apart, true, 0
	}
	return number, apart, nil
}

// partsOf returns the stored parts of up to cellsAsked cells, in the order of their numbers.
func (s *session) partsOf(ctx context.Context, cells []*usagelogic.Cell) ([][]storedPart, error) {
	stored := make([][]storedPart, len(cells))
	ask := func(st *sqlstore.Statement, cells []*usagelogic.Cell, first int) error {
		args := make([]any, 0, 7*len(cells))
		for i, cell := range cells {
			args = append(append(args, int64(first+i)), keyOf(cell.Key)...)
		}
		return s.Query(ctx, st, func(row sqlstore.Row) error {
			var (
				place int64
				part  storedPart
			)
			err := row.Scan(&place, &part.number, &part.plays, &part.milliseconds, &part.excess, &part.size, &part.apart, &part.body)
			stored[place] = append(stored[place], part)
			return err
		}, args...)
	}
	if len(cells) == cellsAsked {
		if err := ask(selectPartsOfMany, cells, 0); err != nil {
			return nil, err
		}
	} else {
		for i := range cells {
			if err := ask(selectPartsOfOne, cells[i:i+1], i); err != nil {
				return nil, err
			}
		}
	}
	for _, parts := range stored {
		slices.SortFunc(parts, func(a, b storedPart) int { return cmp.Compare(a.number, b.number) })
	}
	return stored, nil
}

func (s *session) readBody(ctx context.Context, part *storedPart) error {
	if !part.apart.Valid {
		return nil
	}
	return s.Query(ctx, selectBody, func(row sqlstore.Row) error { return row.Scan(&part.body) }, part.apart.Int64)
}

func (s *session) dropPart(ctx context.Context, key usagelogic.CellKey, number int64, apart sql.NullInt64) {
	if apart.Valid {
		s.Do(ctx, deleteBody, apart.Int64)
	}
	s.Do(ctx, deletePart, append(keyOf(key), number)...)
}

// addPart adds a cell to rows as one of its parts, and writes its body if that is stored apart. The row replaces the stored
// part with this number.
func (s *session) addPart(ctx context.Context, rows []any, cell *usagelogic.Cell, number int64, apart sql.NullInt64) (_ []any, err error) {
	body := cell.Body()
	size, here := len(body), body
	switch {
	case len(body) <= bodyHere && apart.Valid:
		_, err = s.Exec(ctx, deleteBody, apart.Int64)
		apart.Valid = false
	case len(body) > bodyHere && apart.Valid:
		here = nil
		_, err = s.Exec(ctx, replaceBody, apart.Int64, body)
	case len(body) > bodyHere:
		here, apart.Valid = nil, true
		apart.Int64, err = s.number(ctx, insertBody, body)
	}
	rows = append(append(rows, keyOf(cell.Key)...), number, cell.Plays, cell.Milliseconds, cell.Excess, cell.Users(), cell.Videos(), size, apart, here)
	return rows, err
}

// partsPut is the number of rows that PutParts inserts at once.
const partsPut = 64

// PutParts implements usagelogic.GatherTx.
func (s *session) PutParts(ctx context.Context, parts []usagelogic.Part) (err error) {
	var rows []any
	for some := range slices.Chunk(parts, partsPut) {
		rows = rows[:0]
		for i := range some {
			p := &some[i]
			here, apart := p.Body, sql.NullInt64{}
			if len(p.Body) > bodyHere {
				here, apart.Valid = nil, true
				if apart.Int64, err = s.number(ctx, insertBody, p.Body); err != nil {
					return err
				}
			}
			rows = append(append(rows, keyOf(p.Key.CellKey)...), p.Key.Part, p.Plays, p.Milliseconds, p.Excess, p.Users, p.Videos, len(p.Body), apart, here)
		}
		replaceParts.Insert(ctx, s, rows)
	}
	return s.Send(ctx)
}

// DeleteCells implements usagelogic.CellTx.
func (s *session) DeleteCells(ctx context.Context, cells []usagelogic.CellKey) error {
	type part struct {
		number int64
		apart  sql.NullInt64
	}
	for _, key := range cells {
		var parts []part
		err := s.Query(ctx, selectPartPlaces, func(row sqlstore.Row) error {
			var p part
			err := row.Scan(&p.number, &p.apart)
			parts = append(parts, p)
			return err
		}, keyOf(key)...)
		if err != nil {
			return err
		}
		for _, p := range parts {
			s.dropPart(ctx, key, p.number, p.apart)
		}
	}
	return s.Send(ctx)
}

var selectPartPlaces = define(`
	SELECT part, apart FROM usage_cells WHERE account = ? AND dimension = ? AND grain = ? AND bucket = ? AND value = ? AND sandbox = ? ORDER BY part`)
