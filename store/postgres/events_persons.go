package postgres

import (
	"context"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// readPerson reads the events of a query that the index finds.
func (e *Events) readPerson(ctx context.Context, query store.EventQuery, after, upTo event.Position, limit int, conditions []any) (events []event.Event, err error) {
	for after < upTo && len(events) < limit {
		runs, err := e.PersonRuns(ctx, query, after, upTo)
		if err != nil {
			return nil, err
		}
		for _, pieces := range storelogic.GroupPieces(runs.Runs, scanChunk) {
			if pieces[0].After = max(after, pieces[0].After); len(events) == limit {
				break
			}
			found, err := e.readPieces(ctx, query, pieces, upTo, limit-len(events), conditions)
			if err != nil {
				return nil, err
			}
			events = append(events, found...)
		}
		after = runs.At
	}
	return events, nil
}

// readPieces reads up to limit events of pieces in one statement or, if it meets damaged or skipped events, piece by
// piece.
func (e *Events) readPieces(ctx context.Context, query store.EventQuery, pieces []storelogic.PersonRun, upTo event.Position, limit int, conditions []any) ([]event.Event, error) {
	if len(pieces) > 1 {
		after, last := pieces[0].After, pieces[len(pieces)-1].Last
		events, isSkipped, err := e.readBounds(ctx, selectEventsOf, query, after, last, append(boundsOf(pieces, upTo), append([]any{limit}, conditions...)...))
		if err == nil && !isSkipped {
			return events, nil
		}
		if err != nil && fault.CodeOf(err) != fault.Internal {
			return nil, err
		}
	}
	var events []event.Event
	for _, piece := range pieces {
		if len(events) == limit {
			break
		}
		found, err := e.readAround(ctx, selectSomeEvents, query, piece.After, min(piece.Last, upTo), limit-len(events), conditions...)
		if err != nil {
			return nil, err
		}
		events = append(events, found...)
	}
	return events, nil
}

// boundsOf returns the bounds of pieces, which end at upTo, as two arguments.
func boundsOf(pieces []storelogic.PersonRun, upTo event.Position) []any {
	afters, untils := make([]int64, len(pieces)), make([]int64, len(pieces))
	for i, piece := range pieces {
		afters[i], untils[i] = piece.After, min(piece.Last, upTo)
	}
	return []any{afters, untils}
}
