package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// source implements sqlstore.Counts in one transaction.
type source struct {
	*session
	sqlstore.CountsConn
}

// rows runs one statement and calls each for each row.
func (s *session) rows(ctx context.Context, st *sqlstore.Statement, each func(pgx.Rows) error, args ...any) error {
	return s.send(ctx, func(p *pipeline) { p.ask(st, each, args...) })
}

// The columns are signed integers and have half the range of Number, so they store a Number's bits.

func bitsOf(numbers []usagelogic.Number) []int32 {
	if numbers == nil {
		return nil
	}
	bits := make([]int32, len(numbers))
	for i, number := range numbers {
		bits[i] = int32(number)
	}
	return bits
}

var (
	selectCells = define(`
		SELECT bucket, value, sandbox, part, plays, milliseconds, excess, users, videos FROM usage_cells
		WHERE account = $1 AND dimension = $2 AND grain = $3 AND bucket >= $4 AND bucket < $5
			AND ($6 OR NOT sandbox) AND ($7::integer[] IS NULL OR value = ANY ($7))
		ORDER BY bucket, value, sandbox, part`)
	selectBodies = define(`
		SELECT p.place - 1, c.body
		FROM unnest($1::integer[], $2::smallint[], $3::smallint[], $4::bigint[], $5::integer[], $6::boolean[], $7::integer[])
			WITH ORDINALITY AS p(account, dimension, grain, bucket, value, sandbox, part, place)
		JOIN usage_cells AS c USING (account, dimension, grain, bucket, value, sandbox, part)
		ORDER BY p.place`)
)

// Cells implements usagelogic.Source.
func (s *source) Cells(ctx context.Context, span usagelogic.CellSpan, each func(usagelogic.Part)) error {
	return s.rows(ctx, selectCells, func(rows pgx.Rows) error {
		part := usagelogic.Part{Key: usagelogic.PartKey{CellKey: usagelogic.CellKey{
			Account: span.Account, Dimension: span.Dimension, Grain: span.Grain,
		}}}
		key, value := &part.Key, int32(0)
		err := rows.Scan(&key.Bucket, &value, &key.Sandbox, &key.Part, &part.Plays, &part.Milliseconds, &part.Excess, &part.Users, &part.Videos)
		key.Value = usagelogic.Number(value)
		each(part)
		return err
	}, int32(span.Account), int16(span.Dimension), int16(span.Grain), span.From, span.To, span.Sandbox, bitsOf(span.Values))
}

// Bodies implements usagelogic.Source.
func (s *source) Bodies(ctx context.Context, parts []usagelogic.PartKey, each func(place int, body []byte) error) error {
	return s.rows(ctx, selectBodies, func(rows pgx.Rows) error {
		var (
			place int
			body  pgtype.DriverBytes
		)
		if err := rows.Scan(&place, &body); err != nil {
			return err
		}
		return each(place, body)
	}, partArrays(parts)...)
}

// partArrays returns the keys of parts as arguments for unnest.
func partArrays(parts []usagelogic.PartKey) []any {
	accounts, values, numbers := make([]int32, len(parts)), make([]int32, len(parts)), make([]int32, len(parts))
	dimensions, grains := make([]int16, len(parts)), make([]int16, len(parts))
	buckets, sandboxes := make([]int64, len(parts)), make([]bool, len(parts))
	for i, p := range parts {
		accounts[i], values[i], numbers[i] = int32(p.Account), int32(p.Value), int32(p.Part)
		dimensions[i], grains[i] = int16(p.Dimension), int16(p.Grain)
		buckets[i], sandboxes[i] = p.Bucket, p.Sandbox
	}
	return []any{accounts, dimensions, grains, buckets, values, sandboxes, numbers}
}
