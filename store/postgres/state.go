package postgres

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// stateRow scans the columns of selectStates. It is reusable for one row after another.
type stateRow struct {
	video, channel pgtype.DriverBytes

	traits storelogic.TraitsReader
}

// scan scans a row. A state without a body has no traits, because the statement left the body out.
func (r *stateRow) scan(rows pgx.Rows) (state catalogue.State, err error) {
	var (
		updated int64
		until   pgtype.Int4
		into    pgtype.Text
	)
	err = rows.Scan((*string)(&state.Ref.ID), &state.Ref.Version, &state.Sequence, &updated, &until,
		&state.Private, &state.Retired, &into, &r.video, &r.channel)
	if err != nil {
		return state, err
	}
	state.UpdatedAt = instant(updated)
	if until.Valid {
		date := catalogue.Date(until.Int32)
		state.AvailableUntil = &date
	}
	if into.Valid {
		replacement := catalogue.ID(into.String)
		state.RetiredInto = &replacement
	}
	if r.video != nil {
		err = r.traits.Read(&state, r.video, r.channel)
	}
	return state, err
}
