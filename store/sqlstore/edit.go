package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// Edit implements store.Registry.
func (a *Accounts) Edit(ctx context.Context, actor account.Actor, fn func(ctx context.Context, tx store.RegistryTx) error) error {
	return a.edit(ctx, &actor, func(ctx context.Context, e *edit) error { return fn(ctx, e) })
}

// Note implements store.Registry.
func (a *Accounts) Note(ctx context.Context, actor account.Actor, key account.EntityKey, body []byte) error {
	return a.edit(ctx, &actor, func(ctx context.Context, e *edit) error { return e.note(ctx, key, body) })
}

var (
	selectRegistryVersion = define(`SELECT version FROM registry WHERE one`)
	lockRegistry          = define(`SELECT version FROM registry WHERE one FOR UPDATE`)
	updateRegistryVersion = define(`UPDATE registry SET version = $1 WHERE one`)
)

// edit runs fn in a transaction that blocks other writers of entities. If actor is nil, fn adds no audit entries.
func (a *Accounts) edit(ctx context.Context, actor *account.Actor, fn func(ctx context.Context, e *edit) error) error {
	return a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		version, err := selectOne(ctx, c, number, lockRegistry)
		if err != nil {
			return err
		}
		e := &edit{Conn: c, actor: actor, version: version, now: a.db.Now().UTC().Truncate(time.Microsecond)}
		err = fn(ctx, e)
		e.over = true
		if err == nil {
			err = e.failed
		}
		if err != nil || e.version == version {
			return err
		}
		c.Do(ctx, updateRegistryVersion, e.version)
		if e.rosterChanged {
			c.Do(ctx, nextVersion)
		}
		return nil
	})
}

// edit implements store.RegistryTx in one transaction.
type edit struct {
	Conn
	// actor is the actor that audit entries name. If actor is nil, changes add no audit entries.
	actor *account.Actor
	now   time.Time
	// version is the last version that the registry assigned. It increases with each change of an entity.
	version int64
	// rosterChanged reports whether any entity that a roster holds changed.
	rosterChanged bool
	// failed is the first error of a call. The transaction does not commit after it, even if fn ignores it.
	failed error
	over   bool
	// seen are the rows that EntitiesByID read; nil: there was none. No other writer changes them during the transaction.
	seen map[account.EntityKey]*entityRow
}

var errOver = errors.New("store: the transaction is over")

// doing runs fn as one call of the transaction. It does not run fn after the transaction is over, or after an earlier
// call failed.
func (e *edit) doing(fn func() error) error {
	switch {
	case e.over:
		return errOver
	case e.failed != nil:
		return e.failed
	}
	e.failed = fn()
	return e.failed
}

// Entity implements store.RegistryTx.
func (e *edit) Entity(ctx context.Context, key account.EntityKey) (entity account.Entity, err error) {
	err = e.doing(func() error {
		row, err := e.row(ctx, key)
		if err != nil || row == nil {
			return err
		}
		entity, err = row.decode()
		return err
	})
	return entity, err
}

// EntitiesOf implements store.RegistryTx.
func (e *edit) EntitiesOf(ctx context.Context, kind account.Kind, owners []string, after string, limit int) (list []account.Entity, err error) {
	err = e.doing(func() error {
		list, err = selectAll(ctx, e, scanEntity, selectEntitiesOfSeveral, string(kind), texts(owners), after, pageLimit(limit))
		return err
	})
	return list, err
}

// EntitiesByID implements store.RegistryTx.
func (e *edit) EntitiesByID(ctx context.Context, kind account.Kind, ids []string) (byID map[string]account.Entity, err error) {
	err = e.doing(func() error {
		rows, err := selectAll(ctx, e, scanEntityRow, selectEntitiesByID, string(kind), texts(ids))
		if err != nil {
			return err
		}
		if e.seen == nil || len(e.seen)+len(ids) > 2*maxPage {
			e.seen = map[account.EntityKey]*entityRow{}
		}
		for _, id := range ids {
			e.seen[account.EntityKey{Kind: kind, ID: id}] = nil
		}
		byID = make(map[string]account.Entity, len(rows))
		for _, row := range rows {
			e.seen[row.key] = row
			if byID[row.key.ID], err = row.decode(); err != nil {
				return err
			}
		}
		return nil
	})
	return byID, err
}

func (e *edit) row(ctx context.Context, key account.EntityKey) (*entityRow, error) {
	if row, seen := e.seen[key]; seen {
		return row, nil
	}
	return selectOne(ctx, e, scanEntityRow, selectEntity, string(key.Kind), key.ID)
}

// mustRow is like row, but returns an error of code NotFound if there is no such entity.
func (e *edit) mustRow(ctx context.Context, key account.EntityKey) (*entityRow, error) {
	row, err := e.row(ctx, key)
	if err == nil && row == nil {
		err = fault.Errorf(fault.NotFound, "there is no %s %q", key.Kind, key.ID)
	}
	return row, err
}

// Put implements store.RegistryTx.
func (e *edit) Put(ctx context.Context, entity account.Entity) error {
	return e.doing(func() error { return e.put(ctx, entity) })
}

func (e *edit) put(ctx context.Context, entity account.Entity) error {
	if err := e.check(ctx, entity); err != nil {
		return err
	}
	key := entity.Key()
	body, err := encodeEntity(entity)
	if err != nil {
		return err
	}
	stored, err := e.row(ctx, key)
	if err != nil {
		return err
	}
	if stored != nil && bytes.Equal(stored.body, body) {
		*entity.Head() = stored.meta
		return nil
	}
	entry, created := account.AuditEntry{Key: key}, e.now
	if stored != nil {
		created = stored.meta.CreatedAt
		if entry, err = removalEntry(stored); err != nil {
			return err
		}
	}
	entry.Owner = entity.Owner()
	if entry.After, err = encodeEntity(entity.Redacted()); err != nil {
		return err
	}
	meta := account.Meta{Version: e.next(key.Kind), CreatedAt: created, UpdatedAt: e.now}
	e.putRow(ctx, entity, &entityRow{key, meta, body})
	e.addEntry(ctx, entry)
	*entity.Head() = meta
	return nil
}

// check returns an error if the entity cannot be stored.
func (e *edit) check(ctx context.Context, entity account.Entity) error {
	key, faults := entity.Key(), entity.Validate()
	if len(faults) > 0 {
		return invalidEntity(key, faults)
	}
	for _, link := range entity.Links() {
		row, err := e.row(ctx, link)
		if err != nil {
			return err
		}
		if row == nil {
			known, err := e.known(ctx, link.Kind)
			if err != nil {
				return err
			}
			problem := fmt.Sprintf("there is no %s %q", link.Kind, link.ID)
			if link.ID == "" {
				problem = "is required"
			}
			faults = append(faults, fault.FieldError{Field: string(link.Kind), Problem: problem + known})
		}
	}
	if len(faults) > 0 {
		return invalidEntity(key, faults)
	}
	for _, name := range entity.Names() {
		holder, err := e.holder(ctx, name)
		if err != nil {
			return err
		}
		if holder != (account.EntityKey{}) && holder != key {
			return fault.Errorf(fault.Conflict, "the %s %q has a name that is of %s %q already", key.Kind, key.ID, holder.Kind, holder.ID)
		}
	}
	return nil
}

// maxListed is the maximum number of IDs in an error.
const maxListed = 10

// known returns an ending for an error that lists the IDs of a kind, or "" if there are too many or none.
func (e *edit) known(ctx context.Context, kind account.Kind) (string, error) {
	rows, err := selectAll(ctx, e, scanEntityRow, selectEntities, string(kind), "", maxListed+1)
	if err != nil || len(rows) == 0 || len(rows) > maxListed {
		return "", err
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.key.ID
	}
	return "; expected one of " + strings.Join(ids, ", "), nil
}

func invalidEntity(key account.EntityKey, faults fault.FieldErrors) error {
	return &fault.Error{
		Code: fault.Invalid, Message: fmt.Sprintf("the %s %q cannot be stored: %s", key.Kind, key.ID, faults[0]), Reasons: faults.Reasons(),
	}
}

// Delete implements store.RegistryTx.
func (e *edit) Delete(ctx context.Context, key account.EntityKey) error {
	return e.doing(func() error {
		stored, err := e.mustRow(ctx, key)
		if err != nil {
			return err
		}
		dependent, err := selectOne(ctx, e, scanEntityKey, selectDependent, string(key.Kind), key.ID)
		if err != nil {
			return err
		}
		if dependent != (account.EntityKey{}) {
			return fault.Errorf(fault.Conflict, "the %s %q is needed by %s %q", key.Kind, key.ID, dependent.Kind, dependent.ID)
		}
		entry, err := removalEntry(stored)
		if err != nil {
			return err
		}
		e.next(key.Kind)
		e.detach(ctx, key)
		e.Do(ctx, deleteEntity, string(key.Kind), key.ID)
		e.addEntry(ctx, entry)
		return nil
	})
}

// removalEntry returns the audit entry of the removal of a stored entity.
func removalEntry(stored *entityRow) (entry account.AuditEntry, err error) {
	entity, err := stored.decode()
	if err != nil {
		return entry, err
	}
	entry = account.AuditEntry{Key: stored.key, Owner: entity.Owner()}
	entry.Before, err = encodeEntity(entity.Redacted())
	return entry, err
}

var insertNote = define(`INSERT INTO notes (kind, id, sum) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`)

// note adds an audit entry that describes no change, unless the entity already has that entry.
func (e *edit) note(ctx context.Context, key account.EntityKey, body []byte) error {
	return e.doing(func() error {
		stored, err := e.mustRow(ctx, key)
		if err != nil {
			return err
		}
		entity, err := stored.decode()
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		added, err := e.Exec(ctx, insertNote, string(key.Kind), key.ID, sum[:])
		if err != nil || added == 0 {
			return err
		}
		e.version++
		e.addEntry(ctx, account.AuditEntry{Key: key, Owner: entity.Owner(), After: slices.Clone(body)})
		return nil
	})
}

// next returns the version of the next change.
func (e *edit) next(kind account.Kind) int64 {
	e.version++
	e.rosterChanged = e.rosterChanged || kind.InRoster()
	return e.version
}

var (
	selectHolder    = define(`SELECT kind, id FROM account_entity_names WHERE sum = $1`)
	selectDependent = define(`
		SELECT kind, id FROM account_entity_links WHERE target_kind = $1 AND target_id = $2 ORDER BY kind, id LIMIT 1`)
	putEntity = define(`
		INSERT INTO account_entities (kind, id, owner, version, created_at, updated_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (kind, id) DO UPDATE SET owner = excluded.owner, version = excluded.version,
			updated_at = excluded.updated_at, body = excluded.body`)
	insertEntityName = define(`INSERT INTO account_entity_names (sum, kind, id) VALUES ($1, $2, $3)`)
	insertEntityLink = define(`
		INSERT INTO account_entity_links (target_kind, target_id, kind, id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`)
	deleteEntity      = define(`DELETE FROM account_entities WHERE kind = $1 AND id = $2`)
	deleteEntityNames = define(`DELETE FROM account_entity_names WHERE kind = $1 AND id = $2`)
	deleteEntityLinks = define(`DELETE FROM account_entity_links WHERE kind = $1 AND id = $2`)
)

// holder returns the key of the entity that has a name, or the zero key if there is none.
func (e *edit) holder(ctx context.Context, name string) (account.EntityKey, error) {
	return selectOne(ctx, e, scanEntityKey, selectHolder, nameSum(name))
}

func scanEntityKey(row Row) (key account.EntityKey, err error) {
	err = row.Scan((*string)(&key.Kind), &key.ID)
	return key, err
}

// putRow replaces the row of an entity, along with its names and links.
func (e *edit) putRow(ctx context.Context, entity account.Entity, row *entityRow) {
	kind, id := string(row.key.Kind), row.key.ID
	e.detach(ctx, row.key)
	for _, name := range entity.Names() {
		e.Do(ctx, insertEntityName, nameSum(name), kind, id)
	}
	for _, link := range entity.Links() {
		e.Do(ctx, insertEntityLink, string(link.Kind), link.ID, kind, id)
	}
	e.Do(ctx, putEntity, kind, id, entity.Owner(), row.meta.Version, micros(row.meta.CreatedAt), micros(row.meta.UpdatedAt), row.body)
}

// detach deletes the names and links of an entity.
func (e *edit) detach(ctx context.Context, key account.EntityKey) {
	delete(e.seen, key)
	e.Do(ctx, deleteEntityNames, string(key.Kind), key.ID)
	e.Do(ctx, deleteEntityLinks, string(key.Kind), key.ID)
}
