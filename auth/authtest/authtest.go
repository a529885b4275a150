// Package authtest puts accounts with clients into a store, for tests and measurements that need somebody
// who may call.
package authtest

import (
	"context"
	"crypto/sha256"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

// Put adds records, or replaces those with their keys, in one edit. Those that others link to come first.
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

// Customer is a customer's account with the tier that gives these roles and a client, all three with one
// ID. Nil roles are all that a tier can give.
func Customer(id, secret string, roles []account.Permission) []account.Entity {
	if roles == nil {
		roles = account.TierPermissions()
	}
	return []account.Entity{&account.Tier{ID: id, Name: id, Roles: roles}, Account(id, id), Client(id, id, secret)}
}

// Operator is the operator's account with a client, both with one ID.
func Operator(id, secret string) []account.Entity {
	operator := Account(id, "")
	operator.Operator = true
	return []account.Entity{operator, Client(id, id, secret)}
}

// Account is an account in force, on a tier.
func Account(id, tier string) *account.Account {
	return &account.Account{
		ID: id, Name: id, Tier: tier, Type: account.Standard, Status: account.Active, Environment: account.Sandbox,
	}
}

// Client is a client of an account, with these secrets; none: a public one.
func Client(id, owner string, secrets ...string) *account.Client {
	client := &account.Client{ID: id, AccountID: owner, Name: id}
	for _, secret := range secrets {
		sum := sha256.Sum256([]byte(secret))
		client.Secrets = append(client.Secrets, account.Secret{ID: string(rune('a' + len(client.Secrets))), Hash: sum[:]})
	}
	return client
}
