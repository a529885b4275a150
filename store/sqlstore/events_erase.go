package sqlstore

import (
	"context"
	"math"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// EraseTx is a transaction that erases a person from events.
type EraseTx interface {
	Conn
	// EraseAddresses removes the addresses of the events at positions.
	EraseAddresses(ctx context.Context, positions []event.Position) error
}

// eraser contains an UPDATE of a range of positions and an UPDATE of one position.
type eraser struct{ between, at *Statement }

func defineEraser(sqlite, postgreSQL string) eraser {
	const between, at = ` AND position >= $4 AND position <= $5 RETURNING position`, ` AND position = $4 RETURNING position`
	return eraser{DefinePer(sqlite+between, postgreSQL+between), DefinePer(sqlite+at, postgreSQL+at)}
}

var (
	eraseExternal = defineEraser(`
		UPDATE events SET external_user = $3, user = NULL, referer = NULL, trace = NULL, details = NULL, metadata = NULL
		WHERE account IS $1 AND external_user = $2`, `
		UPDATE events SET external_user = $3, user_id = NULL, referer = NULL, trace = NULL, details = NULL, metadata = NULL
		WHERE account IS NOT DISTINCT FROM $1 AND external_user = $2`)
	eraseUser = defineEraser(`
		UPDATE events SET user = $3, referer = NULL, trace = NULL, details = NULL, metadata = NULL
		WHERE account IS $1 AND user = $2 AND external_user IS NULL`, `
		UPDATE events SET user_id = $3, referer = NULL, trace = NULL, details = NULL, metadata = NULL
		WHERE account IS NOT DISTINCT FROM $1 AND user_id = $2 AND external_user IS NULL`)
)

// erasing is what one call of Erase does.
type erasing struct {
	eraser
	upTo        event.Position
	account     any // nil for events without an account
	name, alias string
}

// Erase implements store.Events.
func (l *EventLog) Erase(ctx context.Context, account, person, alias string, upTo event.Position) (erased int64, err error) {
	external, user := storelogic.PersonColumns(person)
	who := erasing{eraser: eraseExternal, name: external, alias: alias}
	if external == "" {
		who.eraser, who.name = eraseUser, user
	}
	if who.name == "" {
		return 0, nil
	}
	if account != "" {
		who.account = account
	}
	head, err := l.Head(ctx)
	if err != nil {
		return 0, err
	}
	who.upTo = min(upTo, head)
	first, err := l.FirstEvent(ctx)
	if err != nil {
		return 0, err
	}
	query := store.EventQuery{Account: account, Names: []string{person}, Dropped: math.MaxInt64}
	for after := max(0, first-1); after < who.upTo; {
		runs, err := l.PersonRuns(ctx, query, after, who.upTo)
		if err != nil {
			return erased, err
		}
		for _, pieces := range storelogic.GroupPieces(runs.Runs, storelogic.PersonPiece) {
			found, err := l.erasePieces(ctx, who, pieces)
			erased += found
			if err != nil {
				return erased, err
			}
		}
		after = runs.At
	}
	return erased, nil
}

// erasePieces erases a person's events in pieces, in one transaction, or around skipped events.
func (l *EventLog) erasePieces(ctx context.Context, who erasing, pieces []storelogic.PersonRun) (found int64, err error) {
	runs := make([]EventRun, len(pieces))
	for i, piece := range pieces {
		runs[i] = EventRun{After: piece.After, Last: min(piece.Last, who.upTo)}
	}
	found, err = l.erase(ctx, who, pieces, runs)
	if fault.CodeOf(err) != fault.Internal { // a skipped row may be readable enough
		return found, err
	}
	found = 0
	for _, run := range runs {
		err := l.around(ctx, run.After, run.Last, func(run EventRun) error {
			n, err := l.erase(ctx, who, nil, []EventRun{run})
			found += n
			return err
		})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// erase erases a person's events in runs, in one transaction, and returns how many there were. It also changes the index
// of persons in the pieces, but only in segments that are current: the trigger of the log makes all others be read again.
func (l *EventLog) erase(ctx context.Context, who erasing, pieces []storelogic.PersonRun, runs []EventRun) (int64, error) {
	var erased []event.Position
	err := l.db.Erasing(ctx, func(ctx context.Context, tx EraseTx) error {
		erased = nil
		before, err := namesIn(ctx, tx, pieces)
		if err != nil {
			return err
		}
		tx.Do(ctx, PlanOnce) // use an index, which bypasses damaged pages
		for _, run := range runs {
			who.ask(ctx, tx, run, &erased)
		}
		if err := tx.Send(ctx); err != nil || len(erased) == 0 {
			return err
		}
		if err := changePersons(ctx, tx, pieces, before); err != nil {
			return err
		}
		return tx.EraseAddresses(ctx, erased)
	})
	if err != nil {
		return 0, err
	}
	return int64(len(erased)), nil
}

// ask erases the person's events in a run, and appends their positions to erased.
func (e *erasing) ask(ctx context.Context, c Conn, run EventRun, erased *[]event.Position) {
	add := func(row Row) error {
		position, err := number(row)
		*erased = append(*erased, position)
		return err
	}
	end := run.Last
	if run.IsBeforeSkipped {
		end--
	}
	c.Ask(ctx, e.between, add, e.account, e.name, e.alias, run.After+1, end)
	if run.IsBeforeSkipped {
		c.Ask(ctx, e.at, add, e.account, e.name, e.alias, run.Last)
	}
}
