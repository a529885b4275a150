package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// forgetChunk is the largest number of rows that one transaction deletes, so that no transaction takes long.
const forgetChunk = 10_000

var (
	deleteRunsBefore = define(`
		DELETE FROM event_addresses WHERE first = ANY (ARRAY(
			SELECT first FROM event_addresses WHERE received < $1 ORDER BY received, first LIMIT $2))`)
	deleteKeysBefore = define(`
		DELETE FROM event_keys WHERE sum = ANY (ARRAY(
			SELECT sum FROM event_keys WHERE received < $1 ORDER BY received, sum LIMIT $2))`)
	deleteViewingsBefore = define(`
		DELETE FROM event_viewings WHERE id = ANY (ARRAY(
			SELECT id FROM event_viewings WHERE opened < $1 ORDER BY opened, id LIMIT $2))`)
)

// ForgetAddresses implements store.Events.
func (e *Events) ForgetAddresses(ctx context.Context, before event.Instant) error {
	return e.forget(ctx, deleteRunsBefore, before)
}

// ForgetKeys implements store.Events.
func (e *Events) ForgetKeys(ctx context.Context, before event.Instant) error {
	return e.forget(ctx, deleteKeysBefore, before)
}

// ForgetViewings implements store.Events.
func (e *Events) ForgetViewings(ctx context.Context, before event.Instant) error {
	return e.forget(ctx, deleteViewingsBefore, before)
}

func (e *Events) forget(ctx context.Context, st *statement, before event.Instant) error {
	for forgotten := int64(forgetChunk); forgotten == forgetChunk; {
		err := e.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, _ *pipeline) (err error) {
			forgotten, err = s.change(ctx, st, int64(before), forgetChunk)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	eraseExternal = define(`
		UPDATE events SET external_user = $5, user_id = NULL, trace = NULL, referer = NULL, details = NULL, metadata = NULL
		WHERE position > $1 AND position <= $2 AND account IS NOT DISTINCT FROM $3 AND external_user = $4 RETURNING position`)
	eraseUser = define(`
		UPDATE events SET user_id = $5, trace = NULL, referer = NULL, details = NULL, metadata = NULL
		WHERE position > $1 AND position <= $2 AND account IS NOT DISTINCT FROM $3 AND external_user IS NULL AND user_id = $4 RETURNING position`)
	deleteRuns = define(`DELETE FROM event_addresses WHERE first = ANY ($1::bigint[])`)
	// A run of addresses may contain events of two people. Erasures run one at a time, so that the second one sees the
	// pieces of a run that the first one has left.
	lockErasing = define(`SELECT pg_advisory_xact_lock($1)`)
)

// erasingLock is the key of the advisory lock of an erasure.
const erasingLock int64 = 0x66696c6d65726173 // "filmeras"

// Erase implements store.Events. Erasures are rare, so no index finds the events of a person: Erase scans the log from
// the beginning, in pieces of scanChunk positions, each in its own transaction.
func (e *Events) Erase(ctx context.Context, account, person, alias string, upTo event.Position) (erased int64, err error) {
	external, user := storelogic.PersonColumns(person)
	st, name := eraseExternal, external
	if external == "" {
		st, name = eraseUser, user
	}
	if name == "" {
		return 0, nil
	}
	head, err := e.Head(ctx)
	if err != nil {
		return 0, err
	}
	upTo = min(upTo, head)
	first, err := e.first(ctx)
	if err != nil {
		return 0, err
	}
	for after := first - 1; after < upTo; after += scanChunk {
		last := min(upTo, after+scanChunk)
		found, err := e.erasePiece(ctx, st, after, last, account, name, alias)
		if fault.CodeOf(err) == fault.Internal { // a skipped row may be readable enough
			skipped, errSkipped := e.skippedBetween(ctx, after, last)
			if errSkipped != nil {
				return erased, errSkipped
			}
			err = storelogic.Around(after, last, skipped, func(after, last event.Position, _ bool) (bool, error) {
				n, err := e.erasePiece(ctx, st, after, last, account, name, alias)
				found += n
				return false, err
			})
		}
		erased += found
		if err != nil {
			return erased, err
		}
	}
	return erased, nil
}

// erasePiece erases a person's events at the positions after < p <= upTo, in one transaction, and returns how many
// there were.
func (e *Events) erasePiece(ctx context.Context, st *statement, after, upTo event.Position, account, name, alias string) (int64, error) {
	var of []int64
	alone := func(p *pipeline) { p.do(lockErasing, erasingLock) }
	err := e.changing(ctx, alone, func(ctx context.Context, s *session, last *pipeline) error {
		of = nil
		err := s.send(ctx, func(p *pipeline) {
			p.ask(planOnce, func(pgx.Rows) error { return nil }) // use an index, which bypasses damaged pages
			p.ask(st, func(rows pgx.Rows) error {
				var position int64
				err := rows.Scan(&position)
				of = append(of, position)
				return err
			}, after, upTo, optional(account), []byte(name), []byte(alias))
		})
		if err != nil || len(of) == 0 {
			return err
		}
		return s.eraseAddresses(ctx, of, last)
	})
	if err != nil {
		return 0, err
	}
	return int64(len(of)), nil
}

// eraseAddresses removes events from the runs that contain them. Each removed event can split a run in two.
func (s *session) eraseAddresses(ctx context.Context, positions []int64, last *pipeline) error {
	gone := map[int64]bool{}
	from, to := positions[0], positions[0]
	for _, position := range positions {
		gone[position] = true
		from, to = min(from, position), max(to, position)
	}
	runs, err := s.runs(ctx, from, to)
	if err != nil {
		return storeError(ctx, err)
	}
	var (
		old  []int64
		left []run
	)
	for _, r := range runs {
		pieces, whole := r.without(gone)
		if !whole {
			old, left = append(old, r.first), append(left, pieces...)
		}
	}
	last.do(deleteRuns, old)
	last.do(insertRuns, append([]any{int64(0)}, runArrays(left)...)...)
	return nil
}

// without returns the pieces of a run that remain after removing some positions. whole reports whether the run contains
// none of these positions.
func (r run) without(gone map[int64]bool) (pieces []run, whole bool) {
	whole = true
	piece := run{first: r.first, received: r.received, address: r.address}
	for position := r.first; position <= r.last+1; position++ {
		if position <= r.last && !gone[position] {
			continue
		}
		whole = whole && position > r.last
		if piece.last = position - 1; piece.first <= piece.last {
			pieces = append(pieces, piece)
		}
		piece.first = position + 1
	}
	return pieces, whole
}
