package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectAllNumbers   = define(`SELECT number FROM terms WHERE dimension = ?`)
	selectFoundNumbers = define(`
		SELECT t.number FROM json_each(?) AS asked CROSS JOIN terms AS t ON t.dimension = ? AND t.text = asked.value`)
	selectTexts = define(`
		SELECT t.number, t.text FROM json_each(?) AS asked CROSS JOIN terms AS t ON t.dimension = ? AND t.number = asked.value`)
)

// Accounts implements usagelogic.Source.
func (s *session) Accounts(ctx context.Context) (numbers []usagelogic.Number, err error) {
	return s.numbers(ctx, selectAllNumbers, int64(usage.ByAccount))
}

// Find implements usagelogic.Source.
func (s *session) Find(ctx context.Context, dimension usage.Dimension, texts []string) ([]usagelogic.Number, error) {
	return s.numbers(ctx, selectFoundNumbers, jsonList(texts), int64(dimension))
}

func (s *session) numbers(ctx context.Context, st *statement, args ...any) (numbers []usagelogic.Number, err error) {
	err = s.query(ctx, st, func(rows *sql.Rows) error {
		var number usagelogic.Number
		err := rows.Scan(&number)
		numbers = append(numbers, number)
		return err
	}, args...)
	return numbers, err
}

// Texts implements usagelogic.Source.
func (s *session) Texts(ctx context.Context, dimension usage.Dimension, numbers []usagelogic.Number, each func(usagelogic.Number, string)) error {
	return s.query(ctx, selectTexts, func(rows *sql.Rows) error {
		var (
			number usagelogic.Number
			text   string
		)
		err := rows.Scan(&number, &text)
		each(number, text)
		return err
	}, jsonList(numbers), int64(dimension))
}

const partColumns = `SELECT bucket, value, sandbox, part, plays, milliseconds, excess, users, videos, body FROM cells `

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
	scan := func(rows *sql.Rows) error {
		err := rows.Scan(targets...)
		if err == nil {
			part.Key.Value, part.Key.Sandbox, part.Body = usagelogic.Number(value), sandbox == 1, body
			each(part)
		}
		return err
	}
	of := []any{int64(span.Account), int64(span.Dimension), int64(span.Grain)}
	if span.Values == nil {
		return s.query(ctx, selectCells, scan, append(of, span.From, span.To, flag(span.Sandbox))...)
	}
	for bucket := span.From; bucket < span.To; bucket++ {
		for _, value := range span.Values {
			if err := s.query(ctx, selectCellsOf, scan, append(of, bucket, flag(span.Sandbox), int64(value))...); err != nil {
				return err
			}
		}
	}
	return nil
}

var selectPartBody = define(`
	SELECT coalesce(c.body, b.body) FROM cells AS c LEFT JOIN cell_bodies AS b ON b.number = c.apart
	WHERE c.account = ? AND c.dimension = ? AND c.grain = ? AND c.bucket = ? AND c.value = ? AND c.sandbox = ? AND c.part = ?`)

// Bodies implements usagelogic.Source.
func (s *session) Bodies(ctx context.Context, parts []usagelogic.PartKey, each func(place int, body []byte) error) error {
	var body sql.RawBytes
	for place, part := range parts {
		err := s.query(ctx, selectPartBody, func(rows *sql.Rows) error {
			if err := rows.Scan(&body); err != nil {
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
