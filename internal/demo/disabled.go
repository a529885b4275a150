package demo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/store"
)

// Disabled are the accounts as a process outside demo mode sees them: those of the demo, whose secrets
// everybody knows, are suspended, and its user is disabled as long as everybody knows the password, though
// another process may serve a demo on the same store.
type Disabled struct{ store.Accounts }

// Roster implements store.Registry.
func (a Disabled) Roster(ctx context.Context) ([]account.Entity, account.RosterVersion, error) {
	records, version, err := a.Accounts.Roster(ctx)
	wellKnown := map[string]bool{}
	for _, record := range records {
		if client, ok := record.(*account.Client); ok && hasDemoSecret(client) {
			client.Disabled, wellKnown[client.AccountID] = true, true
		}
	}
	for _, record := range records {
		if of, ok := record.(*account.Account); ok && wellKnown[of.ID] && of.Type == account.Demo {
			of.Status = account.Suspended
		}
	}
	return records, version, err
}

// Named implements store.Registry.
func (a Disabled) Named(ctx context.Context, name string) (account.Entity, error) {
	record, err := a.Accounts.Named(ctx, name)
	if err != nil {
		return nil, err
	}
	return disableTeacher(ctx, record)
}

// disableTeacher disables the demo's user, unless the password is another by now: the account may be in use,
// if an operator took it over.
func disableTeacher(ctx context.Context, record account.Entity) (account.Entity, error) {
	teacher, ok := record.(*account.User)
	if !ok || teacher.ID != TeacherID || teacher.PasswordHash == "" {
		return record, nil
	}
	wellKnown, err := password.Verify(ctx, teacher.PasswordHash, Secret)
	if err != nil {
		return nil, err
	}
	teacher.Disabled = teacher.Disabled || wellKnown
	return teacher, nil
}

func hasDemoSecret(client *account.Client) bool {
	wellKnown := sha256.Sum256([]byte(Secret))
	return slices.ContainsFunc(client.Secrets, func(secret account.Secret) bool {
		return bytes.Equal(secret.Hash, wellKnown[:])
	})
}
