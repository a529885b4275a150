package storelogic

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	fastjson "github.com/go-json-experiment/json"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// MaxRecords is the most records, and entries of the trail, that one call of store.Registry returns.
const MaxRecords = 1000

// Limit holds the limit of a call to MaxRecords.
func Limit(limit int) int { return min(max(0, limit), MaxRecords) }

// RecordEngine is one open transaction of an engine on records, which no other writes beside. It is used
// by one goroutine at a time.
type RecordEngine interface {
	// Row reads the row of a record; nil: there is none.
	Row(ctx context.Context, key account.EntityKey) (*RecordRow, error)
	// Holder reads who has a name; zero: nobody.
	Holder(ctx context.Context, name string) (account.EntityKey, error)
	// Dependant reads the first of the records that link to one; zero: there is none.
	Dependant(ctx context.Context, key account.EntityKey) (account.EntityKey, error)
	// PutRow writes a record's row in the place of what there is under its key, with its names and links.
	PutRow(ctx context.Context, row *RecordRow, owner string, names []string, links []account.EntityKey) error
	// DeleteRow removes a record's row, names and links.
	DeleteRow(ctx context.Context, key account.EntityKey) error
	// Told reports whether the trail has an entry of a record.
	Told(ctx context.Context, key account.EntityKey) (bool, error)
	// AddEntry writes an entry of the trail.
	AddEntry(ctx context.Context, entry account.AuditEntry) error
	// AddNote remembers the sum of a note of a record, and reports whether it is new.
	AddNote(ctx context.Context, key account.EntityKey, sum []byte) (bool, error)
}

// RecordRow is what is stored of a record.
type RecordRow struct {
	Key  account.EntityKey
	Meta account.Meta
	Body []byte
}

// Record reads the row.
func (row *RecordRow) Entity() (account.Entity, error) {
	record := account.NewEntity(row.Key)
	if record == nil {
		return nil, fmt.Errorf("store: there is no kind %q", row.Key.Kind)
	}
	if err := fastjson.Unmarshal(row.Body, record); err != nil {
		return nil, fmt.Errorf("store: decode %s %q: %w", row.Key.Kind, row.Key.ID, err)
	}
	*record.Head() = row.Meta
	return record, nil
}

// Edit is the store.RegistryTx of one store.Registry.Edit, over an engine's open transaction.
type Edit struct {
	// Version is the last one that was given. It moves on as records change; the engine keeps it.
	Version int64
	// RosterChanged reports whether a record was changed that is no user.
	RosterChanged bool

	engine RecordEngine
	// actor is whom the trail names; nil: the trail is not told.
	actor *account.Actor
	now   time.Time
	// failed is the first error of a call. Nothing is committed after it, whatever the caller makes of it.
	failed error
	over   bool
}

// BeginEdit makes the Edit of a transaction that was begun, after the last version that was given. A nil
// actor leaves the trail alone.
func BeginEdit(engine RecordEngine, last int64, actor *account.Actor, now time.Time) *Edit {
	return &Edit{Version: last, engine: engine, actor: actor, now: now.UTC().Truncate(time.Microsecond)}
}

// Over ends the use of the edit, and returns the first error of its calls.
func (e *Edit) Over() error {
	e.over = true
	return e.failed
}

// doing runs one call of the edit.
func (e *Edit) doing(fn func() error) error {
	switch {
	case e.over:
		return errOver
	case e.failed != nil:
		return e.failed
	}
	e.failed = fn()
	return e.failed
}

// Record implements store.RegistryTx.
func (e *Edit) Entity(ctx context.Context, key account.EntityKey) (record account.Entity, err error) {
	err = e.doing(func() error {
		row, err := e.engine.Row(ctx, key)
		if err != nil || row == nil {
			return err
		}
		record, err = row.Entity()
		return err
	})
	if err != nil {
		return nil, err
	}
	return record, nil
}

// Told implements store.RegistryTx.
func (e *Edit) Told(ctx context.Context, key account.EntityKey) (told bool, err error) {
	err = e.doing(func() error {
		told, err = e.engine.Told(ctx, key)
		return err
	})
	return told, err
}

// Put implements store.RegistryTx.
func (e *Edit) Put(ctx context.Context, record account.Entity) error {
	return e.doing(func() error { return e.put(ctx, record) })
}

func (e *Edit) put(ctx context.Context, record account.Entity) error {
	if err := e.judge(ctx, record); err != nil {
		return err
	}
	key := record.Key()
	body, err := encodeRecord(record)
	if err != nil {
		return err
	}
	stored, err := e.engine.Row(ctx, key)
	if err != nil {
		return err
	}
	if stored != nil && bytes.Equal(stored.Body, body) {
		*record.Head() = stored.Meta
		return nil
	}
	entry, created := account.AuditEntry{Key: key}, e.now
	if stored != nil {
		created = stored.Meta.CreatedAt
		if entry, err = removal(stored); err != nil {
			return err
		}
	}
	entry.Owner = record.Owner()
	row := &RecordRow{key, account.Meta{Version: e.next(key.Kind), CreatedAt: created, UpdatedAt: e.now}, body}
	if entry.After, err = encodeRecord(record.Redacted()); err != nil {
		return err
	}
	if err := e.engine.PutRow(ctx, row, record.Owner(), record.Names(), record.Links()); err != nil {
		return err
	}
	*record.Head() = row.Meta
	return e.tell(ctx, entry)
}

// judge returns what keeps a record from being stored.
func (e *Edit) judge(ctx context.Context, record account.Entity) error {
	key, faults := record.Key(), record.Validate()
	if len(faults) > 0 {
		return invalid(key, faults)
	}
	for _, link := range record.Links() {
		row, err := e.engine.Row(ctx, link)
		if err != nil {
			return err
		}
		if row == nil {
			faults = append(faults, fault.FieldError{Field: string(link.Kind), Problem: fmt.Sprintf("there is no %s %q", link.Kind, link.ID)})
		}
	}
	if len(faults) > 0 {
		return invalid(key, faults)
	}
	for _, name := range record.Names() {
		holder, err := e.engine.Holder(ctx, name)
		if err != nil {
			return err
		}
		if holder != (account.EntityKey{}) && holder != key {
			return fault.Errorf(fault.Conflict, "the %s %q has a name that is of %s %q already", key.Kind, key.ID, holder.Kind, holder.ID)
		}
	}
	return nil
}

func invalid(key account.EntityKey, faults fault.FieldErrors) error {
	reasons := make([]string, len(faults))
	for i, problem := range faults {
		reasons[i] = problem.Error()
	}
	return &fault.Error{
		Code: fault.Invalid, Message: fmt.Sprintf("the %s %q cannot be stored: %s", key.Kind, key.ID, reasons[0]), Reasons: reasons,
	}
}

// Delete implements store.RegistryTx.
func (e *Edit) Delete(ctx context.Context, key account.EntityKey) error {
	return e.doing(func() error {
		stored, err := e.engine.Row(ctx, key)
		if err != nil {
			return err
		}
		if stored == nil {
			return absent(key)
		}
		dependant, err := e.engine.Dependant(ctx, key)
		if err != nil {
			return err
		}
		if dependant != (account.EntityKey{}) {
			return fault.Errorf(fault.Conflict, "the %s %q is needed by %s %q", key.Kind, key.ID, dependant.Kind, dependant.ID)
		}
		entry, err := removal(stored)
		if err != nil {
			return err
		}
		e.next(key.Kind)
		if err := e.engine.DeleteRow(ctx, key); err != nil {
			return err
		}
		return e.tell(ctx, entry)
	})
}

func absent(key account.EntityKey) error {
	return fault.Errorf(fault.NotFound, "there is no %s %q", key.Kind, key.ID)
}

// removal is the entry that tells of the end of what is stored.
func removal(stored *RecordRow) (entry account.AuditEntry, err error) {
	record, err := stored.Entity()
	if err != nil {
		return entry, err
	}
	entry = account.AuditEntry{Key: stored.Key, Owner: record.Owner()}
	entry.Before, err = encodeRecord(record.Redacted())
	return entry, err
}

// Note adds an entry that tells of no change, unless the record has it already.
func (e *Edit) Note(ctx context.Context, key account.EntityKey, body []byte) error {
	return e.doing(func() error {
		stored, err := e.engine.Row(ctx, key)
		if err != nil {
			return err
		}
		if stored == nil {
			return absent(key)
		}
		record, err := stored.Entity()
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		added, err := e.engine.AddNote(ctx, key, sum[:])
		if err != nil || !added {
			return err
		}
		e.Version++
		return e.tell(ctx, account.AuditEntry{Key: key, Owner: record.Owner(), After: slices.Clone(body)})
	})
}

// next gives the version of a change.
func (e *Edit) next(kind account.Kind) int64 {
	e.Version++
	e.RosterChanged = e.RosterChanged || kind != account.KindUser
	return e.Version
}

// tell writes an entry of the trail, under the version of the change that it tells of.
func (e *Edit) tell(ctx context.Context, entry account.AuditEntry) error {
	if e.actor == nil {
		return nil
	}
	entry.Number, entry.At, entry.Actor = e.Version, e.now, *e.actor
	return e.engine.AddEntry(ctx, entry)
}

// encodeRecord writes a record's body. Equal records have equal bodies.
func encodeRecord(record account.Entity) ([]byte, error) {
	body, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("store: encode %s %q: %w", record.Key().Kind, record.Key().ID, err)
	}
	return body, nil
}
