package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

const partColumns = `SELECT bucket, value, sandbox, part, plays, milliseconds, excess, users, videos, body FROM usage_cells `

var (
	selectCells = define(partColumns + `
		WHERE account = ? AND dimension = ? AND grain = ? AND bucket >= ? AND bucket < ? AND sandbox <= ?
		ORDER BY bucket, value, sandbox, part`)
	selectCellsOf = define(partColumns + `
		WHERE account = ? AND dimension = ? AND grain = ? AND bucket = ? AND sandbox <= ? AND value = ?
		ORDER BY sandbox, part`)
)

// Cells implements usagelogic.Source. It looks up values bucket by bucket, because cells of other values are between
// them.
func (s *session) Cells(ctx context.Context, span usagelogic.CellSpan, each func(usagelogic.Part)) error {
	part := usagelogic.Part{Key: usagelogic.PartKey{CellKey: usagelogic.CellKey{Account: span.Account, Dimension: span.Dimension, Grain: span.Grain}}}
	var (
		value, sandbox int64 // types that need no conversion: there are many rows
		body           sql.RawBytes
	)
	targets := []any{
		&part.Key.Bucket, &value, &sandbox, &part.Key.Part, &part.Plays, &part.Milliseconds, &part.Excess, &part.Users, &part.Videos, &body,
	}
	scan := func(row sqlstore.Row) error {
		err := row.Scan(targets...)
		if err == nil {
			part.Key.Value, part.Key.Sandbox, part.Body = usagelogic.Number(value), sandbox == 1, body
			each(part)
		}
		return err
	}
	of := []any{int64(span.Account), int64(span.Dimension), int64(span.Grain)}
	if span.Values == nil {
		return s.Query(ctx, selectCells, scan, append(of, span.From, span.To, span.Sandbox)...)
	}
	for bucket := span.From; bucket < span.To; bucket++ {
		for _, value := range span.Values {
			if err := s.Query(ctx, selectCellsOf, scan, append(of, bucket, span.Sandbox, int64(value))...); err != nil {
				return err
			}
		}
	}
	return nil
}

var selectPartBody = define(`
	SELECT coalesce(c.body, b.body) FROM usage_cells AS c LEFT JOIN usage_cell_bodies AS b ON b.number = c.apart
	WHERE c.account = ? AND c.dimension = ? AND c.grain = ? AND c.bucket = ? AND c.value = ? AND c.sandbox = ? AND c.part = ?`)

// Bodies implements usagelogic.Source.
func (s *session) Bodies(ctx context.Context, parts []usagelogic.PartKey, each func(place int, body []byte) error) error {
	var body sql.RawBytes
	for place, part := range parts {
		err := s.Query(ctx, selectPartBody, func(row sqlstore.Row) error {
			if err := row.Scan(&body); err != nil {
				return err
			}
			return each(place, body)
		}, append(keyOf(part.CellKey), part.Part)...)
		if err != nil {
			return err
		}
	}
	return nil
}
