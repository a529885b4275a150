package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	fastjson "github.com/go-json-experiment/json"

	"github.com/filmstrip/filmstrip/account"
)

// maxPage is the most records, and audit entries, that one call returns.
const maxPage = 1000

func pageLimit(limit int) int { return min(max(0, limit), maxPage) }

const selectRecordColumns = `SELECT r.kind, r.id, r.version, r.created_at, r.updated_at, r.body `

var (
	selectRecord = define(selectRecordColumns + `FROM account_entities AS r WHERE r.kind = $1 AND r.id = $2`)
	selectNamed  = define(selectRecordColumns + `
		FROM account_entity_names AS n JOIN account_entities AS r ON r.kind = n.kind AND r.id = n.id WHERE n.sum = $1`)
	// Users are most of the records; an index leaves them out.
	selectRoster = define(selectRecordColumns + `
		FROM account_entities AS r WHERE r.kind <> 'user' ORDER BY r.kind, r.id`).
		scanning("a partial index leaves users out")
	selectRecords = define(selectRecordColumns + `
		FROM account_entities AS r WHERE r.kind = $1 AND r.id > $2 ORDER BY r.id LIMIT $3`)
	selectRecordsOf = define(selectRecordColumns + `
		FROM account_entities AS r WHERE r.kind = $1 AND r.owner = $2 AND r.id > $3 ORDER BY r.id LIMIT $4`)
	selectRosterVersion = define(`SELECT version, revoked FROM versions WHERE one`)
)

// Roster implements store.Registry.
func (a *Accounts) Roster(ctx context.Context) (records []account.Record, version account.RosterVersion, err error) {
	err = a.db.ReadSnapshot(ctx, func(ctx context.Context, c Conn) (err error) {
		if version, err = selectOne(ctx, c, scanRosterVersion, selectRosterVersion); err != nil {
			return err
		}
		records, err = selectAll(ctx, c, scanRecord, selectRoster)
		return err
	})
	if err != nil {
		return nil, account.RosterVersion{}, err
	}
	return records, version, nil
}

// RosterVersion implements store.Registry.
func (a *Accounts) RosterVersion(ctx context.Context) (account.RosterVersion, error) {
	return readOne(ctx, a.db, scanRosterVersion, selectRosterVersion)
}

func scanRosterVersion(row Row) (version account.RosterVersion, err error) {
	err = row.Scan(&version.Records, &version.Revoked)
	return version, err
}

// Records implements store.Registry.
func (a *Accounts) Records(ctx context.Context, kind account.Kind, owner, after string, limit int) ([]account.Record, error) {
	if owner == "" {
		return readAll(ctx, a.db, scanRecord, selectRecords, string(kind), after, pageLimit(limit))
	}
	return readAll(ctx, a.db, scanRecord, selectRecordsOf, string(kind), owner, after, pageLimit(limit))
}

// Record implements store.Registry.
func (a *Accounts) Record(ctx context.Context, key account.RecordKey) (account.Record, error) {
	return readOne(ctx, a.db, scanRecord, selectRecord, string(key.Kind), key.ID)
}

// Named implements store.Registry.
func (a *Accounts) Named(ctx context.Context, name string) (account.Record, error) {
	return readOne(ctx, a.db, scanRecord, selectNamed, nameSum(name))
}

// nameSum is what the index of names holds: a name may be longer than an index allows.
func nameSum(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:]
}

// recordRow is what is stored of a record.
type recordRow struct {
	key  account.RecordKey
	meta account.Meta
	body []byte
}

func scanRecordRow(row Row) (*recordRow, error) {
	var (
		stored           recordRow
		created, updated int64
	)
	err := row.Scan((*string)(&stored.key.Kind), &stored.key.ID, &stored.meta.Version, &created, &updated, &stored.body)
	stored.meta.CreatedAt, stored.meta.UpdatedAt = instant(created), instant(updated)
	return &stored, err
}

func scanRecord(row Row) (account.Record, error) {
	stored, err := scanRecordRow(row)
	if err != nil {
		return nil, err
	}
	return stored.decode()
}

func (row *recordRow) decode() (account.Record, error) {
	record := account.NewRecord(row.key)
	if record == nil {
		return nil, fmt.Errorf("store: unknown kind %q", row.key.Kind)
	}
	if err := fastjson.Unmarshal(row.body, record); err != nil {
		return nil, fmt.Errorf("store: decode %s %q: %w", row.key.Kind, row.key.ID, err)
	}
	*record.Head() = row.meta
	return record, nil
}

// encodeRecord returns the body of a record. Equal records have equal bodies.
func encodeRecord(record account.Record) ([]byte, error) {
	body, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("store: encode %s %q: %w", record.Key().Kind, record.Key().ID, err)
	}
	return body, nil
}
