package restorelist

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// keyPurpose is the purpose of the key that names are hashed with. The key is stored with the accounts and so is in
// every backup.
const keyPurpose = "restore-list"

// Recorder adds entries to a list on behalf of one store. A nil Recorder decorates nothing.
type Recorder struct {
	list *List
	key  []byte
}

// NewRecorder returns the recorder of a list for the stores that these accounts belong to. It adds the list's key to
// the accounts if they have none.
func NewRecorder(ctx context.Context, list *List, accounts store.Keys) (*Recorder, error) {
	if err := EnsureKey(ctx, accounts); err != nil {
		return nil, err
	}
	key, err := readKey(ctx, accounts)
	return &Recorder{list, key}, err
}

// EnsureKey adds the key of a list to accounts that have none. A list cannot be applied to a backup without the key.
func EnsureKey(ctx context.Context, accounts store.Keys) error {
	key, err := readKey(ctx, accounts)
	if err != nil || key != nil {
		return err
	}
	return accounts.AddKey(ctx, keyPurpose, account.NewKey(time.Now()), true)
}

// readKey returns the key of the list, or nil if there is none.
func readKey(ctx context.Context, accounts store.Keys) ([]byte, error) {
	keys, err := accounts.Keys(ctx, keyPurpose)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	return keys[0].Secret, nil
}

// keyed returns the HMAC-SHA256, in base64url, that the list contains instead of texts that could be guessed.
func keyed(key []byte, parts ...string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(account.NameOf(parts...)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Accounts returns accounts whose revocations are on the list before they take effect.
func (r *Recorder) Accounts(accounts store.Accounts) store.Accounts {
	if r == nil {
		return accounts
	}
	return recordedAccounts{accounts, r}
}

type recordedAccounts struct {
	store.Accounts
	recorder *Recorder
}

// Edit implements store.Registry. It syncs its entries before it commits the transaction.
func (a recordedAccounts) Edit(ctx context.Context, actor account.Actor, fn func(context.Context, store.RegistryTx) error) error {
	return a.Accounts.Edit(ctx, actor, func(ctx context.Context, tx store.RegistryTx) error {
		recorded := &recordedTx{RegistryTx: tx, key: a.recorder.key}
		if err := fn(ctx, recorded); err != nil {
			return err
		}
		return a.recorder.list.append(ctx, recorded.entries...)
	})
}

// Revoke implements store.SignIns.
func (a recordedAccounts) Revoke(ctx context.Context, marks []string, until time.Time) error {
	if len(marks) > 0 {
		if err := a.recorder.list.append(ctx, Entry{Kind: kindTokens, Marks: marks, Until: until}); err != nil {
			return err
		}
	}
	return a.Accounts.Revoke(ctx, marks, until)
}

// DropKeys implements store.Keys.
func (a recordedAccounts) DropKeys(ctx context.Context, purpose string, ids []string) error {
	if len(ids) > 0 {
		if err := a.recorder.list.append(ctx, Entry{Kind: kindKeys, Purpose: purpose, Keys: ids}); err != nil {
			return err
		}
	}
	return a.Accounts.DropKeys(ctx, purpose, ids)
}

// recordedTx collects the entries of a transaction.
type recordedTx struct {
	store.RegistryTx
	key     []byte
	entries []Entry
}

// Put implements store.RegistryTx.
func (t *recordedTx) Put(ctx context.Context, record account.Entity) error {
	before, err := t.Entity(ctx, record.Key())
	if err != nil {
		return err
	}
	if err := t.RegistryTx.Put(ctx, record); err != nil {
		return err
	}
	t.entries = append(t.entries, changes(t.key, before, record)...)
	return nil
}

// Delete implements store.RegistryTx.
func (t *recordedTx) Delete(ctx context.Context, key account.EntityKey) error {
	if err := t.RegistryTx.Delete(ctx, key); err != nil {
		return err
	}
	if slices.Contains([]account.Kind{account.KindAccount, account.KindClient, account.KindUser}, key.Kind) {
		t.entries = append(t.entries, Entry{Kind: kindDeleted, Record: recordOf(key)})
	}
	return nil
}

// Collections returns collections whose forgotten users are on the list.
func (r *Recorder) Collections(collections store.Collections) store.Collections {
	if r == nil {
		return collections
	}
	return recordedCollections{collections, r}
}

// allCollections differs in name from the method Collections of the types that embed it.
type allCollections interface{ store.Collections }

type recordedCollections struct {
	allCollections
	recorder *Recorder
}

// ForgetUser implements store.Collections.
func (c recordedCollections) ForgetUser(ctx context.Context, user string) (int, error) {
	if err := c.recorder.list.append(ctx, Entry{Kind: kindPerson, User: user}); err != nil {
		return 0, err
	}
	return c.allCollections.ForgetUser(ctx, user)
}

// Persons makes the events of persons anonymous (resolvers/usage.Persons).
type Persons interface {
	Forget(ctx context.Context, account, person string) (int64, error)
}

// Persons returns Persons that adds each person to the list before it forgets the person.
func (r *Recorder) Persons(persons Persons) Persons {
	if r == nil {
		return persons
	}
	return recordedPersons{persons, r}
}

type recordedPersons struct {
	Persons
	recorder *Recorder
}

// Forget implements usage.Persons.
func (p recordedPersons) Forget(ctx context.Context, account, person string) (int64, error) {
	if person != "" {
		entry := Entry{Kind: kindPerson, Account: account, Person: personKey(p.recorder.key, account, person)}
		if err := p.recorder.list.append(ctx, entry); err != nil {
			return 0, err
		}
	}
	return p.Persons.Forget(ctx, account, person)
}

// Voids removes plays from the counts and restores them (resolvers/usage.Voids).
type Voids interface {
	Void(ctx context.Context, void usage.Void) (usage.Void, error)
	UndoVoid(ctx context.Context, id string, by usage.VoidAct) (usage.Void, error)
	PreviewVoid(ctx context.Context, selection usage.Selection) ([]usage.Sum, error)
}

// Voids returns Voids that adds each void and each undoing to the list before it takes effect.
func (r *Recorder) Voids(voids Voids) Voids {
	if r == nil {
		return voids
	}
	return recordedVoids{voids, r}
}

type recordedVoids struct {
	Voids
	recorder *Recorder
}

// Void implements usage.Voids.
func (v recordedVoids) Void(ctx context.Context, void usage.Void) (usage.Void, error) {
	if err := v.recorder.list.append(ctx, Entry{Kind: kindVoid, Void: &void}); err != nil {
		return void, err
	}
	return v.Voids.Void(ctx, void)
}

// UndoVoid implements usage.Voids.
func (v recordedVoids) UndoVoid(ctx context.Context, id string, by usage.VoidAct) (usage.Void, error) {
	if err := v.recorder.list.append(ctx, Entry{Kind: kindVoid, Void: &usage.Void{ID: id, Undone: &by}}); err != nil {
		return usage.Void{}, err
	}
	return v.Voids.UndoVoid(ctx, id, by)
}

// personKey returns the list's name for a person (event.Event.Person) of an account.
func personKey(key []byte, account, person string) string {
	return keyed(key, "person", account, person)
}
