package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectRecord = define(`SELECT kind, id, version, created_at, updated_at, body FROM records WHERE kind = $1 AND id = $2`)
	selectNamed  = define(`
		SELECT r.kind, r.id, r.version, r.created_at, r.updated_at, r.body
		FROM record_names AS n JOIN records AS r ON r.kind = n.kind AND r.id = n.id WHERE n.sum = $1`)
	// Users are most of the records; an index leaves them out.
	selectRoster = define(`
		SELECT kind, id, version, created_at, updated_at, body FROM records WHERE kind <> 'user' ORDER BY kind, id`)
	selectRecords = define(`
		SELECT kind, id, version, created_at, updated_at, body FROM records WHERE kind = $1 AND id > $2 ORDER BY id LIMIT $3`)
	selectRecordsOf = define(`
		SELECT kind, id, version, created_at, updated_at, body FROM records
		WHERE kind = $1 AND owner = $2 AND id > $3 ORDER BY id LIMIT $4`)
	selectRosterVersion = define(`SELECT version, revoked FROM versions WHERE one`)
)

// Roster implements store.Registry.
func (a *Accounts) Roster(ctx context.Context) (records []account.Entity, version account.RosterVersion, err error) {
	err = a.readTogether(ctx, func(p *pipeline) {
		records = nil
		p.rosterVersion(&version)
		p.records(&records, selectRoster)
	})
	if err != nil {
		return nil, account.RosterVersion{}, err
	}
	return records, version, nil
}

// RosterVersion implements store.Registry.
func (a *Accounts) RosterVersion(ctx context.Context) (version account.RosterVersion, err error) {
	err = a.read(ctx, func(p *pipeline) { p.rosterVersion(&version) })
	return version, err
}

func (p *pipeline) rosterVersion(version *account.RosterVersion) {
	p.ask(selectRosterVersion, func(rows pgx.Rows) error { return rows.Scan(&version.Records, &version.Revoked) })
}

// Records implements store.Registry.
func (a *Accounts) Entities(ctx context.Context, kind account.Kind, owner, after string, limit int) ([]account.Entity, error) {
	if owner == "" {
		return a.records(ctx, selectRecords, []byte(kind), []byte(after), storelogic.Limit(limit))
	}
	return a.records(ctx, selectRecordsOf, []byte(kind), []byte(owner), []byte(after), storelogic.Limit(limit))
}

// Record implements store.Registry.
func (a *Accounts) Entity(ctx context.Context, key account.EntityKey) (account.Entity, error) {
	return a.record(ctx, selectRecord, []byte(key.Kind), []byte(key.ID))
}

// Named implements store.Registry.
func (a *Accounts) Named(ctx context.Context, name string) (account.Entity, error) {
	return a.record(ctx, selectNamed, sumOf(name))
}

// record reads the one record that a statement finds; nil: none.
func (a *Accounts) record(ctx context.Context, st *statement, args ...any) (account.Entity, error) {
	records, err := a.records(ctx, st, args...)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	return records[0], nil
}

func (a *Accounts) records(ctx context.Context, st *statement, args ...any) (records []account.Entity, err error) {
	err = a.read(ctx, func(p *pipeline) {
		records = nil
		p.records(&records, st, args...)
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

// records adds a statement that answers records.
func (p *pipeline) records(records *[]account.Entity, st *statement, args ...any) {
	p.ask(st, func(rows pgx.Rows) error {
		row, err := scanRecord(rows)
		if err != nil {
			return err
		}
		record, err := row.Entity()
		*records = append(*records, record)
		return err
	}, args...)
}

func scanRecord(rows pgx.Rows) (*storelogic.RecordRow, error) {
	var (
		row              storelogic.RecordRow
		kind, id         pgtype.DriverBytes
		created, updated int64
	)
	err := rows.Scan(&kind, &id, &row.Meta.Version, &created, &updated, &row.Body)
	row.Key = account.EntityKey{Kind: account.Kind(kind), ID: string(id)}
	row.Meta.CreatedAt, row.Meta.UpdatedAt = instant(created), instant(updated)
	return &row, err
}
