package restorelist

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// Stores are restored stores that nothing uses yet. They must not be decorated by a Recorder.
type Stores struct {
	Accounts    store.Accounts
	Collections store.Collections
	Events      store.Events
	Persons     Persons
	Voids       Voids
}

// Result counts the work of Apply.
type Result struct {
	// Persons, Credentials, Records and Keys count persons forgotten again, credentials ended again, records blocked or
	// deleted again, and keys withdrawn again.
	Persons, Credentials, Records, Keys int
	// Voids counts voids made or undone again.
	Voids int
	// Problems are changes that could be repeated only in part, each with the substitute.
	Problems []string
}

// Apply repeats revocations on restored stores, from entries in chronological order, and ends every session,
// authorization code and refresh token, because a backup does not show which were used or ended since. It restores
// nothing except plays whose void was undone. It may be repeated. Persons forgotten before since are forgotten in the
// backup already; since is zero for a backup of unknown time.
func Apply(ctx context.Context, stores Stores, entries []Entry, since, now time.Time, actor account.Actor) (*Result, error) {
	key, err := readKey(ctx, stores.Accounts)
	if err != nil {
		return nil, err
	}
	a := &applying{Stores: stores, key: key, since: since, now: now, actor: actor, result: &Result{}}
	if key == nil && slices.ContainsFunc(entries, func(e Entry) bool { return e.Person != "" || e.Credential != "" }) {
		return nil, fault.Errorf(fault.Conflict, "the backup lacks the key of the restore list, so it is of another installation or older than the list")
	}
	for _, step := range []func(context.Context, []Entry) error{a.endSignIns, a.records, a.keys, a.persons, a.voids} {
		if err := step(ctx, entries); err != nil {
			return nil, err
		}
	}
	return a.result, nil
}

type applying struct {
	Stores
	key        []byte
	since, now time.Time
	actor      account.Actor
	result     *Result
}

// endSignIns keeps the revocations of access tokens, which are still valid, and ends everything else that belongs to
// sign-ins.
func (a *applying) endSignIns(ctx context.Context, entries []Entry) error {
	revoked, err := a.Accounts.Revoked(ctx, a.now)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Kind == kindTokens && entry.Until.After(a.now) {
			for _, mark := range entry.Marks {
				if revoked[mark].Before(entry.Until) {
					revoked[mark] = entry.Until
				}
			}
		}
	}
	if err := a.Accounts.Sweep(ctx, a.now.AddDate(100, 0, 0)); err != nil {
		return err
	}
	for mark, until := range revoked {
		if err := a.Accounts.Revoke(ctx, []string{mark}, until); err != nil {
			return err
		}
	}
	return nil
}

// records repeats changes of accounts, clients, users and the policy.
func (a *applying) records(ctx context.Context, entries []Entry) error {
	isBlocked := map[Record]bool{}
	var notBefore time.Time
	for _, entry := range entries {
		switch entry.Kind {
		case kindBlocked:
			isBlocked[*entry.Record] = entry.Blocked
		case kindNotBefore:
			notBefore = entry.Until
		case kindCredential:
			if err := a.endCredential(ctx, entry); err != nil {
				return err
			}
		}
	}
	for record, is := range isBlocked {
		if !is {
			continue
		}
		if err := a.change(ctx, record.key(), &a.result.Records, block); err != nil {
			return err
		}
	}
	for _, entry := range entries {
		if entry.Kind == kindDeleted {
			if err := a.remove(ctx, entry); err != nil {
				return err
			}
		}
	}
	return a.raiseNotBefore(ctx, notBefore)
}

// change lets fn change an existing record, and counts it if fn did.
func (a *applying) change(ctx context.Context, key account.EntityKey, counted *int, fn func(account.Entity) bool) error {
	changed := false
	err := a.Accounts.Edit(ctx, a.actor, func(ctx context.Context, tx store.RegistryTx) error {
		record, err := tx.Entity(ctx, key)
		if changed = err == nil && record != nil && fn(record); !changed {
			return err
		}
		return tx.Put(ctx, record)
	})
	if err != nil {
		return fmt.Errorf("%s %s: %w", key.Kind, key.ID, err)
	}
	if changed {
		*counted++
	}
	return nil
}

// block blocks a record and reports whether it was not blocked before.
func block(record account.Entity) bool {
	if blocked(record) {
		return false
	}
	switch r := record.(type) {
	case *account.Account:
		r.Status = account.Suspended
	case *account.Client:
		r.Disabled = true
	case *account.User:
		r.Disabled = true
	default:
		return false
	}
	return true
}

// endCredential ends one credential of a record. A client's secret remains, expired, because a client without secrets
// would be a public one.
func (a *applying) endCredential(ctx context.Context, entry Entry) error {
	return a.change(ctx, entry.Record.key(), &a.result.Credentials, func(record account.Entity) bool {
		end, ok := credentials(a.key, record)[entry.Credential]
		if !ok {
			return false
		}
		switch r := record.(type) {
		case *account.Client:
			until := entry.Until
			if until.IsZero() {
				until = entry.At
			}
			if !end.IsZero() && !until.Before(end) {
				return false
			}
			at := slices.IndexFunc(r.Secrets, func(s account.Secret) bool { return secretCredential(s) == entry.Credential })
			r.Secrets[at].ExpiresAt = &until
		case *account.User:
			if r.PasswordHash != "" && entry.Credential == passwordCredential(a.key, r) {
				r.PasswordHash = ""
			} else {
				r.Issuer, r.Subject = "", ""
			}
		case *account.Account:
			r.IdentityProviders = slices.DeleteFunc(r.IdentityProviders, func(p account.IdentityProvider) bool {
				return providerCredential(a.key, p) == entry.Credential
			})
		}
		return true
	})
}

// remove deletes a record again. A record created later is another one with the same id, and remains. A record that
// others refer to, because their deletion is not on this list, is blocked instead.
func (a *applying) remove(ctx context.Context, entry Entry) error {
	key := entry.Record.key()
	deleted := false
	err := a.Accounts.Edit(ctx, a.actor, func(ctx context.Context, tx store.RegistryTx) error {
		record, err := tx.Entity(ctx, key)
		if deleted = err == nil && record != nil && !record.Head().CreatedAt.After(entry.At); !deleted {
			return err
		}
		return store.DeleteWithDependents(ctx, tx, key)
	})
	switch {
	case err == nil && deleted:
		a.result.Records++
	case fault.CodeOf(err) == fault.Conflict:
		a.result.Problems = append(a.result.Problems, fmt.Sprintf("%s %s was deleted since the backup, and is blocked instead: %v", key.Kind, key.ID, err))
		return a.change(ctx, key, &a.result.Records, block)
	}
	return err
}

func (a *applying) raiseNotBefore(ctx context.Context, instant time.Time) error {
	if instant.IsZero() {
		return nil
	}
	err := a.Accounts.Edit(ctx, a.actor, func(ctx context.Context, tx store.RegistryTx) error {
		policy := &account.Policy{}
		stored, err := tx.Entity(ctx, policy.Key())
		if err != nil {
			return err
		}
		if known, ok := stored.(*account.Policy); ok {
			policy = known
		}
		if !policy.NotBefore.Before(instant) {
			return nil
		}
		policy.NotBefore = instant
		return tx.Put(ctx, policy)
	})
	if err != nil {
		return fmt.Errorf("the policy: %w", err)
	}
	return nil
}

// keys withdraws keys again. If none remains for a purpose, the next server creates one.
func (a *applying) keys(ctx context.Context, entries []Entry) error {
	for _, entry := range entries {
		if entry.Kind != kindKeys {
			continue
		}
		stored, err := a.Accounts.Keys(ctx, entry.Purpose)
		if err != nil {
			return err
		}
		var ids []string
		for _, key := range stored {
			if slices.Contains(entry.Keys, key.ID) {
				ids = append(ids, key.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		if err := a.Accounts.DropKeys(ctx, entry.Purpose, ids); err != nil {
			return err
		}
		a.result.Keys += len(ids)
	}
	return nil
}

// voids makes and undoes voids in chronological order. It does not repeat a void that the backup contains.
func (a *applying) voids(ctx context.Context, entries []Entry) error {
	for _, entry := range entries {
		if entry.Kind != kindVoid {
			continue
		}
		what := "made"
		var err error
		if entry.Void.Undone == nil {
			_, err = a.Voids.Void(ctx, *entry.Void)
		} else {
			what = "undone"
			_, err = a.Voids.UndoVoid(ctx, entry.Void.ID, *entry.Void.Undone)
		}
		switch code := fault.CodeOf(err); {
		case err == nil:
			a.result.Voids++
		case code == fault.NotFound || code == fault.Invalid || code == fault.Conflict:
			a.result.Problems = append(a.result.Problems, fmt.Sprintf("void %s cannot be %s again: %v", entry.Void.ID, what, err))
		default:
			return fmt.Errorf("void %s: %w", entry.Void.ID, err)
		}
	}
	return nil
}

// forgetSlack is how long the erasure of a person may take after its entry was written.
const forgetSlack = time.Hour

// persons forgets persons again of whom the stores have data from before they were forgotten.
func (a *applying) persons(ctx context.Context, entries []Entry) error {
	wanted := map[string]time.Time{} // by Entry.Person: the last time that the person was forgotten
	var latest time.Time
	for _, entry := range entries {
		if entry.Kind != kindPerson || !a.since.IsZero() && entry.At.Before(a.since.Add(-forgetSlack)) {
			continue
		}
		if entry.User != "" {
			if err := a.forgetUser(ctx, entry); err != nil {
				return err
			}
		}
		if entry.Person != "" {
			wanted[entry.Person], latest = entry.At, entry.At
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	found, err := a.find(ctx, wanted, latest)
	if err != nil {
		return err
	}
	for _, who := range found {
		if _, err := a.Persons.Forget(ctx, who.account, who.name); err != nil {
			return err
		}
		a.result.Persons++
	}
	return nil
}

// forgetUser deletes a user's data again, unless the user created all of it later. It removes the user's name from the
// audit log, where deleting the record again has left it.
func (a *applying) forgetUser(ctx context.Context, entry Entry) error {
	key := account.KindUser.Key(entry.User)
	if record, err := a.Accounts.Entity(ctx, key); err != nil {
		return err
	} else if record == nil {
		if _, err := a.Accounts.RedactAudit(ctx, key); err != nil {
			return err
		}
	}
	lists, err := a.Collections.UserCollections(ctx, entry.User)
	if err != nil {
		return err
	}
	if len(lists.Own) > 0 && !slices.ContainsFunc(lists.Own, func(c *collection.Collection) bool { return !c.CreatedAt.After(entry.At) }) {
		return nil
	}
	_, err = a.Collections.ForgetUser(ctx, entry.User)
	return err
}

type person struct{ account, name string }

// find searches the log for wanted persons with events from before they were forgotten. The log contains only their
// names, and the list only hashes of them. Events that retention has dropped need no search.
func (a *applying) find(ctx context.Context, wanted map[string]time.Time, latest time.Time) ([]person, error) {
	dropped, err := a.Events.Dropped(ctx)
	if err != nil {
		return nil, err
	}
	var found []person
	met := map[person]bool{}
	query := store.EventQuery{To: event.InstantOf(latest) + 1, Dropped: dropped}
	for after := event.Position(0); ; {
		events, err := a.Events.Read(ctx, query, after, 10_000)
		if err != nil || len(events) == 0 {
			return found, err
		}
		for i := range events {
			e := &events[i]
			who := person{e.Account, e.Person()}
			if who.name == "" || met[who] {
				continue
			}
			met[who] = true // the person's first event decides
			if at, ok := wanted[personKey(a.key, who.account, who.name)]; ok && e.Received <= event.InstantOf(at) {
				found = append(found, who)
			}
		}
		after = events[len(events)-1].Position
	}
}
