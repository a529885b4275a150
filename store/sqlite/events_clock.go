package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmstrip/filmstrip/store"
)

var (
	selectClock = define(`SELECT body FROM event_clock WHERE one = 1`)
	updateClock = define(`UPDATE event_clock SET body = ? WHERE one = 1`)
)

// ClockRecord implements store.Events.
func (e *Events) ClockRecord(ctx context.Context) (record store.ClockRecord, err error) {
	err = e.read(ctx, func(s *session) error {
		record, err = s.clockRecord(ctx)
		return err
	})
	return record, err
}

// EditClockRecord implements store.Events.
func (e *Events) EditClockRecord(ctx context.Context, edit func(record *store.ClockRecord) error) error {
	return e.write(ctx, func(s *session) error {
		record, err := s.clockRecord(ctx)
		if err != nil {
			return err
		}
		if err := edit(&record); err != nil {
			return err
		}
		body, err := json.Marshal(record)
		if err != nil {
			return fmt.Errorf("store: encode the clock record: %w", err)
		}
		_, err = s.exec(ctx, updateClock, body)
		return err
	})
}

func (s *session) clockRecord(ctx context.Context) (record store.ClockRecord, err error) {
	err = s.query(ctx, selectClock, func(rows *sql.Rows) error {
		var body sql.RawBytes
		if err := rows.Scan(&body); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &record); err != nil {
			return fmt.Errorf("store: decode the clock record: %w", err)
		}
		return nil
	})
	return record, err
}
