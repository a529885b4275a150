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

// Disabled is the view of accounts outside demo mode: the accounts of the demo, whose secret is public, are suspended,
// and its user is disabled while the password is the public one. Another process may serve the demo from the same
// store.
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

// disableTeacher disables the user of the demo, unless the password was changed: an operator may have taken the account
// over.
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
