package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// shownBody is the largest size in bytes of a body that a query for its part returns along with it.
const shownBody = 4096

var (
	selectParts = define(`
		SELECT k.place - 1, c.part, c.plays, c.milliseconds, c.excess, octet_length(c.body),
			CASE WHEN octet_length(c.body) <= $7 THEN c.body END
		FROM unnest($1::integer[], $2::smallint[], $3::smallint[], $4::bigint[], $5::integer[], $6::boolean[])
			WITH ORDINALITY AS k(account, dimension, grain, bucket, value, sandbox, place)
		JOIN usage_cells AS c USING (account, dimension, grain, bucket, value, sandbox)
		ORDER BY k.place, c.part`)
	updateParts = define(`
		UPDATE usage_cells AS c SET plays = n.plays, milliseconds = n.milliseconds, excess = n.excess, users = n.users, videos = n.videos, body = n.body
		FROM unnest($1::integer[], $2::smallint[], $3::smallint[], $4::bigint[], $5::integer[], $6::boolean[], $7::integer[],
			$8::bigint[], $9::bigint[], $10::bigint[], $11::integer[], $12::integer[], $13::bytea[])
			AS n(account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, excess, users, videos, body)
		WHERE c.account = n.account AND c.dimension = n.dimension AND c.grain = n.grain AND c.bucket = n.bucket
			AND c.value = n.value AND c.sandbox = n.sandbox AND c.part = n.part`)
	deleteParts = define(`
		DELETE FROM usage_cells AS c
		USING unnest($1::integer[], $2::smallint[], $3::smallint[], $4::bigint[], $5::integer[], $6::boolean[], $7::integer[])
			AS gone(account, dimension, grain, bucket, value, sandbox, part)
		WHERE c.account = gone.account AND c.dimension = gone.dimension AND c.grain = gone.grain AND c.bucket = gone.bucket
			AND c.value = gone.value AND c.sandbox = gone.sandbox AND c.part = gone.part`)
	deleteCells = define(`
		DELETE FROM usage_cells AS c
		USING unnest($1::integer[], $2::smallint[], $3::smallint[], $4::bigint[], $5::integer[], $6::boolean[])
			AS gone(account, dimension, grain, bucket, value, sandbox)
		WHERE c.account = gone.account AND c.dimension = gone.dimension AND c.grain = gone.grain AND c.bucket = gone.bucket
			AND c.value = gone.value AND c.sandbox = gone.sandbox`)
)

// cellsAtOnce is the number of cells that one statement writes, which bounds the size of a message.
const cellsAtOnce = 20_000

// AddCells implements usagelogic.GatherTx.
func (c *count) AddCells(ctx context.Context, cells []*usagelogic.Cell) error {
	for len(cells) > 0 {
		n := min(len(cells), cellsAtOnce)
		if err := c.addSomeCells(ctx, cells[:n]); err != nil {
			return err
		}
		cells = cells[n:]
	}
	return nil
}

// stack is a cell to add, with the stored parts of the same cell, newest last.
type stack struct {
	*usagelogic.Cell
	stored []stored
	// absorbed contains the numbers of the parts that the cell has absorbed.
	absorbed []int64
	// body is the current body of the cell.
	body []byte
	// closed reports whether the stored parts have a number of users instead of persons. Absorbing the parts would lose
	// that number.
	closed bool
}

// stored is a stored part. body is nil if it is long and has not been read yet.
type stored struct {
	number, plays, milliseconds, excess int64
	size                                int
	body                                []byte
}

func (c *count) addSomeCells(ctx context.Context, cells []*usagelogic.Cell) error {
	stacks, err := c.stacks(ctx, cells)
	if err != nil {
		return err
	}
	horizon, err := c.Horizon(ctx)
	if err != nil {
		return err
	}
	for _, s := range stacks {
		s.closed = s.Key.Before(horizon)
	}
	for waiting := stacks; len(waiting) > 0; {
		if err := c.readBodies(ctx, waiting); err != nil {
			return err
		}
		var still []*stack
		for _, s := range waiting {
			if err := s.absorb(); err != nil {
				return err
			}
			if s.wants() {
				still = append(still, s)
			}
		}
		waiting = still
	}
	return c.putStacks(ctx, stacks)
}

// stacks reads the stored parts of cells.
func (c *count) stacks(ctx context.Context, cells []*usagelogic.Cell) ([]*stack, error) {
	stacks, keys := make([]*stack, len(cells)), make([]usagelogic.PartKey, len(cells))
	for i, cell := range cells {
		stacks[i], keys[i] = &stack{Cell: cell, body: cell.Body()}, usagelogic.PartKey{CellKey: cell.Key}
	}
	arrays := partArrays(keys)
	arrays[len(arrays)-1] = shownBody // replaces the array of parts
	err := c.rows(ctx, selectParts, func(rows pgx.Rows) error {
		var (
			place int
			part  stored
		)
		err := rows.Scan(&place, &part.number, &part.plays, &part.milliseconds, &part.excess, &part.size, &part.body)
		stacks[place].stored = append(stacks[place].stored, part)
		return err
	}, arrays...)
	return stacks, err
}

// newest returns the part that was stored last, or nil if there is none.
func (s *stack) newest() *stored {
	if len(s.stored) == 0 {
		return nil
	}
	return &s.stored[len(s.stored)-1]
}

// wants reports whether the cell should absorb its newest stored part.
func (s *stack) wants() bool {
	newest := s.newest()
	return newest != nil && !s.closed && usagelogic.Absorbs(newest.size, len(s.body))
}

// absorb absorbs stored parts as far as their bodies are known.
func (s *stack) absorb() error {
	for s.wants() && s.newest().body != nil {
		part := s.newest()
		if err := s.Absorb(part.plays, part.milliseconds, part.excess, part.body); err != nil {
			return err
		}
		s.stored, s.absorbed, s.body = s.stored[:len(s.stored)-1], append(s.absorbed, part.number), s.Body()
	}
	return nil
}

// number returns the number of the part that the cell becomes. It replaces the first of the parts that it has absorbed.
func (s *stack) number() int64 {
	if newest := s.newest(); newest != nil {
		return newest.number + 1
	}
	return 0
}

// readBodies reads the long bodies of parts to absorb.
func (c *count) readBodies(ctx context.Context, stacks []*stack) error {
	var (
		parts []usagelogic.PartKey
		of    []*stored
	)
	for _, s := range stacks {
		if newest := s.newest(); s.wants() && newest.body == nil {
			parts, of = append(parts, usagelogic.PartKey{CellKey: s.Key, Part: newest.number}), append(of, newest)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return c.Bodies(ctx, parts, func(place int, body []byte) error {
		of[place].body = append([]byte{}, body...)
		return nil
	})
}

// putStacks writes each cell as a part after its remaining parts, and deletes the parts that it has absorbed. There is
// no other writer of cells, so a cell that has absorbed nothing is a new row, and is written with COPY.
func (c *count) putStacks(ctx context.Context, stacks []*stack) error {
	var (
		gone           []usagelogic.PartKey
		fresh, changed []usagelogic.Part
	)
	for _, s := range stacks {
		written := s.Part(s.number(), s.body)
		if len(s.absorbed) == 0 {
			fresh = append(fresh, written)
			continue
		}
		changed = append(changed, written)
		for _, absorbed := range s.absorbed {
			if absorbed != written.Key.Part {
				gone = append(gone, usagelogic.PartKey{CellKey: s.Key, Part: absorbed})
			}
		}
	}
	err := c.send(ctx, func(p *pipeline) {
		if len(gone) > 0 {
			p.do(deleteParts, partArrays(gone)...)
		}
		p.updateParts(changed)
	})
	if err != nil {
		return err
	}
	return c.PutParts(ctx, fresh)
}

// updateParts replaces existing parts.
func (p *pipeline) updateParts(parts []usagelogic.Part) {
	if len(parts) == 0 {
		return
	}
	keys := make([]usagelogic.PartKey, len(parts))
	plays, milliseconds, excess := make([]int64, len(parts)), make([]int64, len(parts)), make([]int64, len(parts))
	users, videos := make([]int32, len(parts)), make([]int32, len(parts))
	bodies := make([][]byte, len(parts))
	for i, part := range parts {
		keys[i], plays[i], milliseconds[i], excess[i], bodies[i] = part.Key, part.Plays, part.Milliseconds, part.Excess, part.Body
		users[i], videos[i] = int32(part.Users), int32(part.Videos)
	}
	p.do(updateParts, append(partArrays(keys), plays, milliseconds, excess, users, videos, bodies)...)
}

var cellColumns = []string{
	"account", "dimension", "grain", "bucket", "value", "sandbox", "part", "plays", "milliseconds", "excess", "users", "videos", "body",
}

// PutParts implements usagelogic.GatherTx.
func (c *count) PutParts(ctx context.Context, parts []usagelogic.Part) error {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	_, err := c.conn.CopyFrom(ctx, c.table("usage_cells"), cellColumns, pgx.CopyFromSlice(len(parts), func(i int) ([]any, error) {
		p := &parts[i]
		return []any{
			int32(p.Key.Account), int16(p.Key.Dimension), int16(p.Key.Grain), p.Key.Bucket, int32(p.Key.Value), p.Key.Sandbox,
			int32(p.Key.Part), p.Plays, p.Milliseconds, p.Excess, int32(p.Users), int32(p.Videos), p.Body,
		}, nil
	}))
	return storeError(ctx, err)
}

// DeleteCells implements usagelogic.CellTx.
func (s *session) DeleteCells(ctx context.Context, cells []usagelogic.CellKey) error {
	for some := range slices.Chunk(cells, cellsAtOnce) {
		keys := make([]usagelogic.PartKey, len(some))
		for i, key := range some {
			keys[i].CellKey = key
		}
		arrays := partArrays(keys)
		if err := s.send(ctx, func(p *pipeline) { p.do(deleteCells, arrays[:len(arrays)-1]...) }); err != nil {
			return err
		}
	}
	return nil
}
