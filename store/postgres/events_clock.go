package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/store"
)

var (
	selectClock = define(`SELECT body FROM event_clock WHERE one`)
	lockClock   = define(`SELECT body FROM event_clock WHERE one FOR UPDATE`)
	updateClock = define(`UPDATE event_clock SET body = $1 WHERE one`)
)

// ClockRecord implements store.Events.
func (e *Events) ClockRecord(ctx context.Context) (record store.ClockRecord, err error) {
	err = e.read(ctx, func(p *pipeline) {
		record = store.ClockRecord{}
		p.clockRecord(selectClock, &record)
	})
	return record, err
}

// EditClockRecord implements store.Events.
func (e *Events) EditClockRecord(ctx context.Context, edit func(record *store.ClockRecord) error) error {
	return e.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, last *pipeline) error {
		var record store.ClockRecord
		if err := s.send(ctx, func(p *pipeline) { p.clockRecord(lockClock, &record) }); err != nil {
			return err
		}
		if err := edit(&record); err != nil {
			return err
		}
		body, err := json.Marshal(record)
		if err != nil {
			return fmt.Errorf("store/postgres: encode the clock record: %w", err)
		}
		last.do(updateClock, body)
		return nil
	})
}

func (p *pipeline) clockRecord(st *statement, record *store.ClockRecord) {
	p.ask(st, func(rows pgx.Rows) error {
		var body pgtype.DriverBytes
		if err := rows.Scan(&body); err != nil {
			return err
		}
		if err := json.Unmarshal(body, record); err != nil {
			return fmt.Errorf("store/postgres: decode the clock record: %w", err)
		}
		return nil
	})
}
