package postgres

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectTerms = define(`
		SELECT t.dimension, t.owner, t.text, t.number
		FROM unnest($1::smallint[], $2::integer[], $3::bytea[]) AS wanted(dimension, owner, sum)
		JOIN usage_terms AS t ON sha256(t.text) = wanted.sum AND t.dimension = wanted.dimension AND t.owner = wanted.owner`)
	selectLastNumbers = define(`
		SELECT d.dimension, (SELECT max(number) FROM usage_terms AS t WHERE t.dimension = d.dimension)
		FROM unnest($1::smallint[]) AS d(dimension)`)
)

// Number implements sqlstore.Counts.
func (s *source) Number(ctx context.Context, term usagelogic.Term) (usagelogic.Number, error) {
	known := usagelogic.Dictionary{}
	err := s.find(ctx, []usagelogic.Term{term}, known)
	return known[term], err
}

// Learn implements sqlstore.CountsTx.
func (s *session) Learn(ctx context.Context, known usagelogic.Dictionary, terms []usagelogic.Term) error {
	terms = slices.DeleteFunc(terms, func(term usagelogic.Term) bool { return known[term] != 0 })
	if len(terms) == 0 {
		return nil
	}
	if err := s.find(ctx, terms, known); err != nil {
		return err
	}
	var dimensions []int16
	for d := range usage.Dimensions {
		dimensions = append(dimensions, int16(d))
	}
	next := map[usage.Dimension]usagelogic.Number{}
	err := s.rows(ctx, selectLastNumbers, func(rows pgx.Rows) error {
		var (
			dimension int16
			highest   *int32
		)
		err := rows.Scan(&dimension, &highest)
		if highest != nil {
			next[usage.Dimension(dimension)] = usagelogic.Number(*highest)
		}
		return err
	}, dimensions)
	if err != nil {
		return err
	}
	var fresh [][]any
	for _, term := range terms {
		if _, there := known[term]; there {
			continue
		}
		next[term.Dimension]++
		number := next[term.Dimension]
		known[term] = number
		fresh = append(fresh, []any{int32(number), int32(term.Owner), int16(term.Dimension), []byte(term.Text)})
	}
	if len(fresh) == 0 {
		return nil
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	_, err = s.conn.CopyFrom(ctx, pgx.Identifier{"usage_terms"}, []string{"number", "owner", "dimension", "text"}, pgx.CopyFromRows(fresh))
	return storeError(ctx, err)
}

// find adds the numbers of the terms that have one to known.
func (s *session) find(ctx context.Context, terms []usagelogic.Term, known usagelogic.Dictionary) error {
	dimensions, owners, sums := make([]int16, len(terms)), make([]int32, len(terms)), make([][]byte, len(terms))
	for i, term := range terms {
		sum := sha256.Sum256([]byte(term.Text))
		dimensions[i], owners[i], sums[i] = int16(term.Dimension), int32(term.Owner), sum[:]
	}
	return s.rows(ctx, selectTerms, func(rows pgx.Rows) error {
		var (
			dimension     int16
			owner, number int32
			text          []byte
		)
		err := rows.Scan(&dimension, &owner, &text, &number)
		known[usagelogic.Term{Dimension: usage.Dimension(dimension), Owner: usagelogic.Number(owner), Text: string(text)}] = usagelogic.Number(number)
		return err
	}, dimensions, owners, sums)
}
