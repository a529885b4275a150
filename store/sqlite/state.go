package sqlite

import (
	"database/sql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// stateRow scans the columns of selectStates, row after row, into types that need no conversion. States are read by the
// hundred, and conversions would be a large part of the cost.
type stateRow struct {
	id                         string
	version, sequence, updated int64
	until                      sql.NullInt64
	private, retired           int64
	into                       sql.NullString
	video, channel             sql.RawBytes

	traits  storelogic.TraitsReader
	targets []any
}

// scan reads a row. A state whose statement returned no body has no traits.
func (r *stateRow) scan(rows *sql.Rows) (catalogue.State, error) {
	if r.targets == nil {
		r.targets = []any{
			&r.id, &r.version, &r.sequence, &r.updated, &r.until, &r.private, &r.retired, &r.into, &r.video, &r.channel,
		}
	}
	if err := rows.Scan(r.targets...); err != nil {
		return catalogue.State{}, err
	}
	state := r.state()
	if r.video == nil {
		return state, nil
	}
	err := r.traits.Read(&state, r.video, r.channel)
	return state, err
}

func (r *stateRow) state() catalogue.State {
	state := catalogue.State{
		Ref: catalogue.Ref{ID: catalogue.ID(r.id), Version: r.version}, Sequence: r.sequence,
		UpdatedAt: instant(r.updated), Private: r.private == 1, Retired: r.retired == 1,
	}
	if r.until.Valid {
		date := catalogue.Date(r.until.Int64)
		state.AvailableUntil = &date
	}
	if r.into.Valid {
		replacement := catalogue.ID(r.into.String)
		state.RetiredInto = &replacement
	}
	return state
}
