package usage

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/usage"
)

func (r *Resolver) Statement(ctx context.Context, of *string, month usage.Month) (*usage.Statement, error) {
	id, err := statementsOf(ctx, of)
	if err != nil {
		return nil, err
	}
	if r.config.Statements == nil || r.config.Counts == nil {
		return nil, errNoUsage
	}
	statement, err := r.config.Statements.Statement(ctx, id, month)
	if err == nil && len(statement.Lines) == 0 {
		err = r.checkAccount(ctx, id)
	}
	return &statement, err
}

// statementsOf returns the account whose statements the caller asks for and may see; nil stands for the caller's own.
func statementsOf(ctx context.Context, id *string) (string, error) {
	if err := authz.RequireOfStaff(ctx, account.ViewBilling); err != nil {
		return "", err
	}
	return authz.Account(ctx, id)
}

// checkAccount returns an error with the code NotFound for an account that neither the registry nor the ledger knows: a
// misspelled one has no usage either.
func (r *Resolver) checkAccount(ctx context.Context, id string) error {
	key := account.KindAccount.Key(id)
	if records, err := r.config.Registry.Store(); err == nil {
		record, err := records.Entity(ctx, key)
		if err != nil || record != nil {
			return err
		}
	}
	sums, _, err := r.config.Counts.Ledger(ctx, id)
	if err == nil && len(sums) == 0 {
		err = registry.NotFound(key)
	}
	return err
}

func (r *Resolver) Statements(ctx context.Context, of *string) ([]*usage.Statement, error) {
	id, err := statementsOf(ctx, of)
	if err != nil {
		return nil, err
	}
	if r.config.Counts == nil {
		return nil, errNoUsage
	}
	statements, err := r.config.Counts.Statements(ctx, id, usage.Month{})
	if err == nil && r.config.Statements != nil {
		err = r.config.Statements.AttachSealDigests(ctx, statements)
	}
	return values.Pointers(statements), err
}

func (r *Resolver) SealDigests(ctx context.Context) ([]*usage.SealDigest, error) {
	if r.config.Statements == nil {
		return nil, errNoUsage
	}
	digests, err := r.config.Statements.Digests(ctx)
	return values.Pointers(digests), err
}

// SealMonth adds an entry to the audit log of each account with a statement. If the month is sealed already, it adds those
// that an interrupted call did not add.
func (r *Resolver) SealMonth(ctx context.Context, month usage.Month, force bool) ([]*usage.Statement, error) {
	if r.config.Statements == nil || r.config.Counts == nil {
		return nil, errNoUsage
	}
	if _, err := r.config.Registry.Store(); err != nil { // which has the audit log
		return nil, err
	}
	statements, err := r.config.Statements.Seal(ctx, month, force)
	if fault.CodeOf(err) == fault.Conflict {
		if err := r.noteKept(ctx, month); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	if err := r.noteSeal(ctx, statements); err != nil {
		return nil, err
	}
	return values.Pointers(statements), nil
}

// noteKept is noteSeal for the stored statements of a month, which has none if it is not sealed.
func (r *Resolver) noteKept(ctx context.Context, month usage.Month) error {
	statements, err := r.config.Counts.Statements(ctx, "", month)
	if err != nil {
		return err
	}
	return r.noteSeal(ctx, statements)
}

// noteSeal adds an entry to the audit log of each account with one of the statements of a seal, unless it has the entry. It
// finishes even if the request ends, because the month is sealed, however long the audit logs of all accounts take.
func (r *Resolver) noteSeal(ctx context.Context, statements []usage.Statement) error {
	ctx = context.WithoutCancel(ctx)
	for _, s := range statements {
		note := sealNote{Month: s.Month, Checksum: s.Checksum, Forced: s.SealedAt.Before(s.Month.Due())}
		if err := r.config.Registry.Note(ctx, s.Account, note); err != nil {
			return err
		}
	}
	return nil
}

// sealNote is the body of an entry of the audit log. It follows from the statement, so that a repeated entry is equal.
type sealNote struct {
	Month    usage.Month `json:"sealedMonth"`
	Checksum string      `json:"checksum"`
	Forced   bool        `json:"forced"`
}
