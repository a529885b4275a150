package postgres

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// Apply implements store.Usage. If several processes count at once, one succeeds; the others wait and then find that
// the progress has moved.
func (u *Usage) Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) error {
	if err := usagelogic.CheckPlays(from, to, plays); err != nil {
		return err
	}
	return u.counting(ctx, func(ctx context.Context, c *count, last *pipeline) error {
		if c.progress != from {
			return usagelogic.ErrMoved(c.progress, from)
		}
		if err := c.count(ctx, plays, usagelogic.Dictionary{}, true); err != nil {
			return err
		}
		last.do(updateProgress, to.Position, int64(to.AsOf))
		return nil
	})
}

// count adds plays, to cells only if gathers is true. known contains numbers of terms, and receives those that are
// missing.
func (c *count) count(ctx context.Context, plays []usage.Play, known usagelogic.Dictionary, gathers bool) error {
	if err := c.number(ctx, plays, known); err != nil {
		return err
	}
	var voids usage.Voids
	if c.recounting { // voids take only plays that were counted before them
		if err := c.send(ctx, func(p *pipeline) { p.voids(&voids) }); err != nil {
			return err
		}
	}
	numbered := usagelogic.Translate(plays, known, voids)
	if err := usagelogic.AddPlays(ctx, c, numbered); err != nil {
		return err
	}
	if gathers {
		if err := c.AddCells(ctx, usagelogic.Gather(numbered)); err != nil {
			return err
		}
	}
	seals, err := c.seals(ctx)
	if err != nil {
		return err
	}
	return c.book(ctx, usagelogic.Sums(plays, seals, voids))
}

// number adds the numbers of the terms of plays to known, and assigns new ones to the terms that have none.
func (c *count) number(ctx context.Context, plays []usage.Play, known usagelogic.Dictionary) error {
	if err := c.learn(ctx, usagelogic.Terms(plays), known); err != nil {
		return err
	}
	return c.learn(ctx, usagelogic.Users(plays, known), known)
}

var (
	selectTerms = define(`
		SELECT t.dimension, t.owner, t.text, t.number
		FROM unnest($1::smallint[], $2::integer[], $3::bytea[]) AS wanted(dimension, owner, sum)
		JOIN usage_terms AS t ON sha256(t.text) = wanted.sum AND t.dimension = wanted.dimension AND t.owner = wanted.owner`)
	selectLastNumbers = define(`
		SELECT d.dimension, (SELECT max(number) FROM usage_terms AS t WHERE t.dimension = d.dimension)
		FROM unnest($1::smallint[]) AS d(dimension)`)
)

// learn adds the numbers of terms to known, and assigns new ones to the terms that have none.
func (c *count) learn(ctx context.Context, terms []usagelogic.Term, known usagelogic.Dictionary) error {
	terms = slices.DeleteFunc(terms, func(term usagelogic.Term) bool { return known[term] != 0 })
	if len(terms) == 0 {
		return nil
	}
	if err := c.find(ctx, terms, known); err != nil {
		return err
	}
	var dimensions []int16
	for d := range usage.Dimensions {
		dimensions = append(dimensions, int16(d))
	}
	next := map[usage.Dimension]usagelogic.Number{}
	err := c.rows(ctx, selectLastNumbers, func(rows pgx.Rows) error {
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
	ctx, cancel := c.limited(ctx)
	defer cancel()
	_, err = c.conn.CopyFrom(ctx, pgx.Identifier{"usage_terms"}, []string{"number", "owner", "dimension", "text"}, pgx.CopyFromRows(fresh))
	return storeError(ctx, err)
}

// find adds the numbers of the terms that have one to known.
func (c *count) find(ctx context.Context, terms []usagelogic.Term, known usagelogic.Dictionary) error {
	dimensions, owners, sums := make([]int16, len(terms)), make([]int32, len(terms)), make([][]byte, len(terms))
	for i, term := range terms {
		sum := sha256.Sum256([]byte(term.Text))
		dimensions[i], owners[i], sums[i] = int16(term.Dimension), int32(term.Owner), sum[:]
	}
	return c.rows(ctx, selectTerms, func(rows pgx.Rows) error {
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
