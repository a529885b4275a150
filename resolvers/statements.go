package resolvers

import (
	"context"
	"encoding/json"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// Statements makes statements of what was used.
type Statements interface {
	// Statement is that of an account for a month: sealed, else provisional. The error is of code NotFound
	// where a later month was sealed and this one was not.
	Statement(ctx context.Context, account string, month usage.Month) (usage.Statement, error)
	// Seal closes a month and returns its statements in the order of accounts. The error is of code Invalid
	// where it is too early and not forced, of code Conflict where that month or a later one is sealed.
	Seal(ctx context.Context, month usage.Month, force bool) ([]usage.Statement, error)
	// Carry sets the digests of seals in sealed statements.
	Carry(ctx context.Context, statements []usage.Statement) error
	// Digests returns the digests of all seals in the order of months.
	Digests(ctx context.Context) ([]usage.SealDigest, error)
}

// Persons knows of whom events are.
type Persons interface {
	// Forget makes the events of a person (event.Event.Person) of an account, up to now, those of another who
	// is nobody, and returns how many there were; account "": of those of none. What is billed does not change.
	Forget(ctx context.Context, account, person string) (int64, error)
}

func (q query) Statement(ctx context.Context, of *string, month usage.Month) (*usage.Statement, error) {
	id, err := reachOne(ctx, of)
	if err != nil {
		return nil, err
	}
	if q.statements == nil || q.usage == nil {
		return nil, errNoUsage
	}
	statement, err := q.statements.Statement(ctx, id, month)
	if err == nil && len(statement.Lines) == 0 {
		err = q.knownAccount(ctx, id)
	}
	return &statement, err
}

// knownAccount refuses an account that neither the registry nor the ledger knows: a name that is misspelt has used
// nothing either.
func (q query) knownAccount(ctx context.Context, id string) error {
	if q.registry != nil {
		record, err := q.registry.Entity(ctx, account.EntityKey{Kind: account.KindAccount, ID: id})
		if err != nil || record != nil {
			return err
		}
	}
	sums, _, err := q.usage.Ledger(ctx, id)
	if err == nil && len(sums) == 0 {
		err = fault.Errorf(fault.NotFound, "there is no account %q", id)
	}
	return err
}

func (q query) Statements(ctx context.Context, account *string) ([]*usage.Statement, error) {
	id, err := reachOne(ctx, account)
	if err != nil {
		return nil, err
	}
	if q.usage == nil {
		return nil, errNoUsage
	}
	statements, err := q.usage.Statements(ctx, id, usage.Month{})
	if err == nil && q.statements != nil {
		err = q.statements.Carry(ctx, statements)
	}
	return pointers(statements), err
}

func (q query) SealDigests(ctx context.Context) ([]*usage.SealDigest, error) {
	if q.statements == nil {
		return nil, errNoUsage
	}
	digests, err := q.statements.Digests(ctx)
	return pointers(digests), err
}

// SealMonth tells the trail of each account that has a statement who sealed it.
func (m mutation) SealMonth(ctx context.Context, month usage.Month, force bool) ([]*usage.Statement, error) {
	if m.statements == nil {
		return nil, errNoUsage
	}
	if _, err := m.administered(); err != nil { // who keeps the trail
		return nil, err
	}
	statements, err := m.statements.Seal(ctx, month, force)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // the month is sealed, however long the trail of all accounts takes
	for _, s := range statements {
		if err := m.note(ctx, s.Account, sealNote{Month: s.Month, Checksum: s.Checksum, Forced: force}); err != nil {
			return nil, err
		}
	}
	return pointers(statements), nil
}

// sealNote is what the trail keeps of a seal.
type sealNote struct {
	Month    usage.Month `json:"sealedMonth"`
	Checksum string      `json:"checksum"`
	Forced   bool        `json:"forced"`
}

// ForgetPerson tells the trail that somebody was forgotten, and not who. It goes through the whole log, which may take
// longer than a request may: what was begun is finished all the same.
func (m mutation) ForgetPerson(ctx context.Context, of *string, noAccount bool, user, externalUser *string) (int64, error) {
	account := or(of)
	persons, err := m.personsToForget(account, noAccount, or(user), or(externalUser))
	if err != nil {
		return 0, err
	}
	if m.people == nil {
		return 0, errNoUsage
	}
	if _, err := m.administered(); err != nil { // who keeps the trail
		return 0, err
	}
	ctx = context.WithoutCancel(ctx)
	var events int64
	for _, person := range persons {
		forgotten, err := m.people.Forget(ctx, account, person)
		if err != nil {
			return 0, err
		}
		events += forgotten
	}
	return events, m.note(ctx, account, forgetNote{At: event.InstantOf(m.now()).String(), Account: account, Events: events})
}

// forgetNote is what the trail keeps of somebody who was forgotten.
type forgetNote struct {
	At      string `json:"forgotPersonAt"`
	Account string `json:"account"`
	Events  int64  `json:"events"`
}

// personsToForget are under whom the events of somebody may be kept.
func (m mutation) personsToForget(account string, noAccount bool, user, externalUser string) ([]string, error) {
	switch {
	case account == "" && !noAccount:
		return nil, invalidField("account", "is required")
	case noAccount && (account != "" || user != ""):
		return nil, fault.InvalidRequest("with noAccount only externalUser says who")
	case (user == "") == (externalUser == ""):
		return nil, fault.InvalidRequest("one of user and externalUser is required, and only one")
	case user != "":
		return []string{userPerson(user)}, nil
	}
	return m.persons([]string{account}, nil, []string{externalUser})
}

// note leaves an entry in the trail of an account; where it is gone, or there is none, in that of the caller's.
func (r *resolver) note(ctx context.Context, id string, what any) error {
	caller, err := caller(ctx)
	if err != nil {
		return err
	}
	registry, err := r.administered()
	if err != nil {
		return err
	}
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	actor := account.Actor{Client: caller.ClientID, User: caller.User}
	if id != "" {
		err = registry.Note(ctx, actor, accountKey(id), body)
		if fault.CodeOf(err) != fault.NotFound {
			return err
		}
	}
	if caller.Account == nil {
		return nil
	}
	return registry.Note(ctx, actor, caller.Account.Key(), body)
}

func pointers[T any](values []T) []*T {
	list := make([]*T, len(values))
	for i := range values {
		list[i] = &values[i]
	}
	return list
}
