package sqlite

import (
	"context"
	"strings"
)

// insertion inserts rows into one table with few statements. It has one statement for each of a few chunk sizes,
// because a row in a large chunk costs a fraction of a single insertion.
type insertion struct {
	columns int
	chunks  []chunk // the largest first; the last has one row
}

type chunk struct {
	rows int
	*statement
}

// defineInsertion defines the statements. before and after are the SQL text around the rows.
func defineInsertion(columns int, before, after string) *insertion {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", columns), ",") + ")"
	in := &insertion{columns: columns}
	for _, rows := range []int{64, 8, 1} {
		values := strings.TrimSuffix(strings.Repeat(row+",", rows), ",")
		in.chunks = append(in.chunks, chunk{rows, define(before + " VALUES " + values + " " + after)})
	}
	return in
}

// batch collects rows for an insertion, in order.
type batch struct {
	*insertion
	values []any
}

func (b *batch) add(values ...any) { b.values = append(b.values, values...) }

func (b *batch) flush(ctx context.Context, s *session) error {
	rest := b.values
	for _, chunk := range b.chunks {
		for n := chunk.rows * b.columns; len(rest) >= n; rest = rest[n:] {
			if _, err := s.exec(ctx, chunk.statement, rest[:n]...); err != nil {
				return err
			}
		}
	}
	clear(b.values)
	b.values = b.values[:0]
	return nil
}
