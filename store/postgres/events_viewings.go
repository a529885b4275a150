package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
)

var (
	// takeViewings locks the rows in sorted order until the transaction ends, so another transaction with events of the
	// same viewing waits here.
	takeViewings = define(`
		INSERT INTO event_viewings (id, opened, counted)
		SELECT v.id, v.opened, 0 FROM unnest($1::text[], $2::bigint[]) AS v(id, opened) ORDER BY v.id
		ON CONFLICT (id) DO UPDATE SET counted = event_viewings.counted RETURNING id, counted`)
	putViewings = define(`
		UPDATE event_viewings AS known SET counted = v.counted
		FROM unnest($1::text[], $2::bigint[]) AS v(id, counted) WHERE known.id = v.id`)
)

// boundViewings limits the counted time of events to what their viewings allow. stored lists the indexes of the
// submissions to store. bounded contains the bounded events of each of these submissions that belongs to a viewing, by
// index. counted is the counted time of each viewing including these events, by ID. If there are viewings,
// boundViewings leaves the transaction open.
func (b *batch) boundViewings(ctx context.Context, s *session, stored []int) (bounded map[int][]event.Event, counted map[string]int64, err error) {
	opened := map[string]int64{}
	for _, i := range stored {
		if viewing := b.submissions[i].Viewing; viewing != nil {
			opened[viewing.ID] = int64(viewing.Opened)
		}
	}
	if len(opened) == 0 {
		return nil, nil, nil
	}
	ids := slices.Sorted(maps.Keys(opened))
	times := make([]int64, len(ids))
	for i, id := range ids {
		times[i] = opened[id]
	}
	p := &pipeline{}
	if len(b.keys) == 0 {
		p.do(beginWrite)
	}
	counted = make(map[string]int64, len(ids))
	p.ask(takeViewings, func(rows pgx.Rows) error {
		var (
			id    string
			known int64
		)
		err := rows.Scan(&id, &known)
		counted[id] = known
		return err
	}, ids, times)
	if err := s.run(ctx, p); err != nil {
		return nil, nil, err
	}
	bounded = map[int][]event.Event{}
	for _, i := range stored {
		if viewing := b.submissions[i].Viewing; viewing != nil {
			bounded[i], counted[viewing.ID] = viewing.Bound(b.submissions[i].Events, counted[viewing.ID])
		}
	}
	return bounded, counted, nil
}

// putViewings stores the counted time of viewings.
func (p *pipeline) putViewings(counted map[string]int64) {
	if len(counted) == 0 {
		return
	}
	ids := slices.Sorted(maps.Keys(counted))
	sums := make([]int64, len(ids))
	for i, id := range ids {
		sums[i] = counted[id]
	}
	p.do(putViewings, ids, sums)
}
