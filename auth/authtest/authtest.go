// Package authtest stores accounts with clients, for tests and measurements that need callers.
package authtest

import (
	"context"
	"crypto/sha256"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

// Put adds or replaces entities in one edit. Entities that others link to must come first.
func Put(ctx context.Context, registry store.Registry, records ...account.Entity) error {
	return registry.Edit(ctx, account.Actor{Client: account.CommandLine}, func(ctx context.Context, tx store.RegistryTx) error {
		for _, record := range records {
			if err := tx.Put(ctx, record); err != nil {
				return err
			}
		}
		return nil
	})
}

// Customer returns a customer's account, its tier with the given roles, and a client, all with the same ID. Nil roles
// mean all roles that a tier can have.
func Customer(id, secret string, roles []account.Permission) []account.Entity {
	if roles == nil {
		roles = account.TierPermissions()
	}
	return []account.Entity{&account.Tier{ID: id, Name: id, Roles: roles}, Account(id, id), Client(id, id, secret)}
}

// Operator returns the operator's account and a client, both with the same ID.
func Operator(id, secret string) []account.Entity {
	operator := Account(id, "")
	operator.Operator = true
	return []account.Entity{operator, Client(id, id, secret)}
}

// Account returns an active account with a tier.
func Account(id, tier string) *account.Account {
	return &account.Account{
		ID: id, Name: id, Tier: tier, Type: account.Standard, Status: account.Active, Environment: account.Sandbox,
	}
}

// Client returns a client of an account with the given secrets; without secrets it is public.
func Client(id, owner string, secrets ...string) *account.Client {
	client := &account.Client{ID: id, AccountID: owner, Name: id}
	for _, secret := range secrets {
		sum := sha256.Sum256([]byte(secret))
		client.Secrets = append(client.Secrets, account.Secret{ID: string(rune('a' + len(client.Secrets))), Hash: sum[:]})
	}
	return client
}
