package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectRecord = define(`SELECT kind, id, version, created_at, updated_at, body FROM records WHERE kind = ? AND id = ?`)
	selectNamed  = define(`
		SELECT r.kind, r.id, r.version, r.created_at, r.updated_at, r.body
		FROM record_names AS n CROSS JOIN records AS r ON r.kind = n.kind AND r.id = n.id WHERE n.name = ?`)
	selectKind = define(`
		SELECT kind, id, version, created_at, updated_at, body FROM records WHERE kind = ? ORDER BY id`)
	selectRecords = define(`
		SELECT kind, id, version, created_at, updated_at, body FROM records WHERE kind = ? AND id > ? ORDER BY id LIMIT ?`)
	selectRecordsOf = define(`
		SELECT kind, id, version, created_at, updated_at, body FROM records
		WHERE kind = ? AND owner = ? AND id > ? ORDER BY id LIMIT ?`)
	selectRosterVersion = define(`SELECT version, revoked FROM versions WHERE one = 1`)
)

// Roster implements store.Registry.
func (a *Accounts) Roster(ctx context.Context) (records []account.Entity, version account.RosterVersion, err error) {
	err = a.read(ctx, func(s *session) error {
		return s.reading(ctx, func() (err error) {
			if version, err = s.rosterVersion(ctx); err != nil {
				return err
			}
			for _, kind := range account.Kinds() {
				if kind == account.KindUser {
					continue
				}
				some, err := s.records(ctx, selectKind, string(kind))
				if err != nil {
					return err
				}
				records = append(records, some...)
			}
			return nil
		})
	})
	if err != nil {
		return nil, account.RosterVersion{}, err
	}
	return records, version, nil
}

// RosterVersion implements store.Registry.
func (a *Accounts) RosterVersion(ctx context.Context) (version account.RosterVersion, err error) {
	err = a.read(ctx, func(s *session) error {
		version, err = s.rosterVersion(ctx)
		return err
	})
	return version, err
}

func (s *session) rosterVersion(ctx context.Context) (version account.RosterVersion, err error) {
	err = s.query(ctx, selectRosterVersion, func(rows *sql.Rows) error {
		return rows.Scan(&version.Records, &version.Revoked)
	})
	return version, err
}

// Records implements store.Registry.
func (a *Accounts) Entities(ctx context.Context, kind account.Kind, owner, after string, limit int) (records []account.Entity, err error) {
	err = a.read(ctx, func(s *session) error {
		if owner == "" {
			records, err = s.records(ctx, selectRecords, string(kind), after, storelogic.Limit(limit))
		} else {
			records, err = s.records(ctx, selectRecordsOf, string(kind), owner, after, storelogic.Limit(limit))
		}
		return err
	})
	return records, err
}

// Record implements store.Registry.
func (a *Accounts) Entity(ctx context.Context, key account.EntityKey) (account.Entity, error) {
	return a.record(ctx, selectRecord, string(key.Kind), key.ID)
}

// Named implements store.Registry.
func (a *Accounts) Named(ctx context.Context, name string) (account.Entity, error) {
	return a.record(ctx, selectNamed, name)
}

// record reads the one record that a statement finds; nil: none.
func (a *Accounts) record(ctx context.Context, st *statement, args ...any) (record account.Entity, err error) {
	err = a.read(ctx, func(s *session) error {
		records, err := s.records(ctx, st, args...)
		if len(records) > 0 {
			record = records[0]
		}
		return err
	})
	return record, err
}

func (s *session) records(ctx context.Context, st *statement, args ...any) (records []account.Entity, err error) {
	err = s.query(ctx, st, func(rows *sql.Rows) error {
		row, err := scanRecord(rows)
		if err != nil {
			return err
		}
		record, err := row.Entity()
		records = append(records, record)
		return err
	}, args...)
	if err != nil {
		return nil, err
	}
	return records, nil
}

func scanRecord(rows *sql.Rows) (*storelogic.RecordRow, error) {
	var (
		row              storelogic.RecordRow
		created, updated int64
	)
	err := rows.Scan(&row.Key.Kind, &row.Key.ID, &row.Meta.Version, &created, &updated, &row.Body)
	row.Meta.CreatedAt, row.Meta.UpdatedAt = instant(created), instant(updated)
	return &row, err
}
