package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	fastjson "github.com/go-json-experiment/json"

	"github.com/filmstrip/filmstrip/account"
)

// maxPage is the largest number of entities, and of audit entries, that one call returns.
const maxPage = 1000

func pageLimit(limit int) int { return min(max(0, limit), maxPage) }

const selectEntityColumns = `SELECT e.kind, e.id, e.version, e.created_at, e.updated_at, e.body `

var (
	selectEntity = define(selectEntityColumns + `FROM account_entities AS e WHERE e.kind = $1 AND e.id = $2`)
	selectNamed  = define(selectEntityColumns + `
		FROM account_entity_names AS n JOIN account_entities AS e ON e.kind = n.kind AND e.id = n.id WHERE n.sum = $1`)
	// These are the kinds of account.Kind.InRoster. Most entities are of other kinds.
	selectRoster = define(selectEntityColumns + `
		FROM account_entities AS e WHERE e.kind IN ('account', 'client', 'contentPackage', 'deprecation', 'policy', 'staffMember', 'tier')
		ORDER BY e.kind, e.id`)
	selectEntities = define(selectEntityColumns + `
		FROM account_entities AS e WHERE e.kind = $1 AND e.id > $2 ORDER BY e.id LIMIT $3`)
	selectEntitiesOf = define(selectEntityColumns + `
		FROM account_entities AS e WHERE e.kind = $1 AND e.owner = $2 AND e.id > $3 ORDER BY e.id LIMIT $4`)
	selectEntitiesOfSeveral = define(selectEntityColumns + `
		FROM account_entities AS e WHERE e.kind = $1 AND e.owner IN LIST ($2) AND e.id > $3 ORDER BY e.id LIMIT $4`)
	selectEntitiesByID = define(selectEntityColumns + `
		FROM account_entities AS e WHERE e.kind = $1 AND e.id IN LIST ($2)`)
	selectRosterVersion = define(`SELECT version, revoked FROM versions WHERE one`)
)

// Roster implements store.Registry.
func (a *Accounts) Roster(ctx context.Context) (entities []account.Entity, version account.RosterVersion, err error) {
	err = a.db.ReadSnapshot(ctx, func(ctx context.Context, c Conn) (err error) {
		if version, err = selectOne(ctx, c, scanRosterVersion, selectRosterVersion); err != nil {
			return err
		}
		entities, err = selectAll(ctx, c, scanEntity, selectRoster)
		return err
	})
	if err != nil {
		return nil, account.RosterVersion{}, err
	}
	return entities, version, nil
}

// RosterVersion implements store.Registry.
func (a *Accounts) RosterVersion(ctx context.Context) (account.RosterVersion, error) {
	return readOne(ctx, a.db, scanRosterVersion, selectRosterVersion)
}

func scanRosterVersion(row Row) (version account.RosterVersion, err error) {
	err = row.Scan(&version.Records, &version.Revoked)
	return version, err
}

// Entities implements store.Registry.
func (a *Accounts) Entities(ctx context.Context, kind account.Kind, owner, after string, limit int) ([]account.Entity, error) {
	if owner == "" {
		return readAll(ctx, a.db, scanEntity, selectEntities, string(kind), after, pageLimit(limit))
	}
	return readAll(ctx, a.db, scanEntity, selectEntitiesOf, string(kind), owner, after, pageLimit(limit))
}

// EntitiesOf implements store.Registry.
func (a *Accounts) EntitiesOf(ctx context.Context, kind account.Kind, owners []string, after string, limit int) ([]account.Entity, error) {
	return readAll(ctx, a.db, scanEntity, selectEntitiesOfSeveral, string(kind), texts(owners), after, pageLimit(limit))
}

// EntitiesByID implements store.Registry.
func (a *Accounts) EntitiesByID(ctx context.Context, kind account.Kind, ids []string) (map[string]account.Entity, error) {
	found, err := readAll(ctx, a.db, scanEntity, selectEntitiesByID, string(kind), texts(ids))
	if err != nil {
		return nil, err
	}
	byID := make(map[string]account.Entity, len(found))
	for _, entity := range found {
		byID[entity.Key().ID] = entity
	}
	return byID, nil
}

// texts returns those of a list that can be stored as a name of an entity.
func texts(list []string) List {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool {
		return !utf8.ValidString(text) || strings.ContainsRune(text, 0)
	})
}

// Entity implements store.Registry.
func (a *Accounts) Entity(ctx context.Context, key account.EntityKey) (account.Entity, error) {
	return readOne(ctx, a.db, scanEntity, selectEntity, string(key.Kind), key.ID)
}

// Named implements store.Registry.
func (a *Accounts) Named(ctx context.Context, name string) (account.Entity, error) {
	return readOne(ctx, a.db, scanEntity, selectNamed, nameSum(name))
}

// nameSum returns the hash of a name for the index of names, because a name may be longer than an index entry may be.
func nameSum(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:]
}

// entityRow is a stored entity.
type entityRow struct {
	key  account.EntityKey
	meta account.Meta
	body []byte
}

func scanEntityRow(row Row) (*entityRow, error) {
	var (
		stored           entityRow
		created, updated int64
	)
	err := row.Scan((*string)(&stored.key.Kind), &stored.key.ID, &stored.meta.Version, &created, &updated, &stored.body)
	stored.meta.CreatedAt, stored.meta.UpdatedAt = instant(created), instant(updated)
	return &stored, err
}

func scanEntity(row Row) (account.Entity, error) {
	stored, err := scanEntityRow(row)
	if err != nil {
		return nil, err
	}
	return stored.decode()
}

func (row *entityRow) decode() (account.Entity, error) {
	entity := account.NewEntity(row.key)
	if entity == nil {
		return nil, fmt.Errorf("store: unknown kind %q", row.key.Kind)
	}
	if err := fastjson.Unmarshal(row.body, entity); err != nil {
		return nil, fmt.Errorf("store: decode %s %q: %w", row.key.Kind, row.key.ID, err)
	}
	*entity.Head() = row.meta
	return entity, nil
}

// encodeEntity returns the body of an entity. Equal entities have equal bodies.
func encodeEntity(entity account.Entity) ([]byte, error) {
	body, err := json.Marshal(entity)
	if err != nil {
		return nil, fmt.Errorf("store: encode %s %q: %w", entity.Key().Kind, entity.Key().ID, err)
	}
	return body, nil
}
