package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

type policyCommand struct {
	NotBefore policyNotBefore `cmd:"" help:"Show, set or clear the time before which issued tokens are invalid."`
	Staff     policyStaff     `cmd:"" help:"Show or set the requirements for staff."`
	Clients   policyClients   `cmd:"" help:"Show or set the requirements for every client."`
}

type policyNotBefore struct {
	administration
	Instant string `arg:"" optional:"" help:"A time such as 2026-03-04T05:06:07Z, or now, or clear. Without it, the command shows the time."`
}

const policyFields = `notBefore requirePkce requireSecret requireStaffSecondFactor updatedAt version`

// Run shows the policy, after it has applied the argument.
func (c *policyNotBefore) Run(ctx context.Context, console console) error {
	operation, variables := `query { tokenPolicy { `+policyFields+` } }`, input{}
	if c.Instant != "" {
		operation = `mutation($notBefore: DateTime) { setTokenPolicy(notBefore: $notBefore) { ` + policyFields + ` } }`
		variables["notBefore"] = c.instant()
	}
	return c.show(ctx, console, c.ask, operation, variables)
}

type policyClients struct {
	administration
	RequirePKCE   *bool `name:"require-pkce" negatable:"" help:"Refuse authorization requests of every client without a PKCE code challenge."`
	RequireSecret *bool `negatable:"" help:"Refuse grants without the client's secret, which excludes public clients."`
}

// Run shows the policy, after it has applied the flags.
func (c *policyClients) Run(ctx context.Context, console console) error {
	operation, variables := `query { tokenPolicy { `+policyFields+` } }`, input{}
	if c.RequirePKCE != nil || c.RequireSecret != nil {
		operation = `mutation($requirePkce: Boolean, $requireSecret: Boolean) {
			setClientPolicy(requirePkce: $requirePkce, requireSecret: $requireSecret) { ` + policyFields + ` } }`
		given(variables, "requirePkce", c.RequirePKCE)
		given(variables, "requireSecret", c.RequireSecret)
	}
	return c.show(ctx, console, c.ask, operation, variables)
}

type policyStaff struct {
	administration
	RequireSecondFactor *bool `negatable:"" help:"Make staff who sign in with a password and have no second factor set one up."`
}

// Run shows the policy, after it has applied the flag.
func (c *policyStaff) Run(ctx context.Context, console console) error {
	operation, variables := `query { tokenPolicy { `+policyFields+` } }`, input{}
	if c.RequireSecondFactor != nil {
		operation = `mutation($required: Boolean!) { setStaffPolicy(requireSecondFactor: $required) { ` + policyFields + ` } }`
		variables["required"] = *c.RequireSecondFactor
	}
	return c.show(ctx, console, c.ask, operation, variables)
}

// instant returns the argument as an instant, or nil for clear.
func (c *policyNotBefore) instant() any {
	switch c.Instant {
	case "clear":
		return nil
	case "now":
		return time.Now().UTC().Format(catalogue.TimestampFormat)
	}
	return c.Instant
}

type keysCommand struct {
	Rotate keysRotate `cmd:"" help:"Publish new keys, which sign tokens ten minutes later; existing tokens stay valid."`
}

type keysRotate struct {
	administration
	Immediately bool `help:"Withdraw the old keys at once, which invalidates the tokens that they signed."`
}

// Run rotates the keys.
func (c *keysRotate) Run(ctx context.Context, console console) (err error) {
	accounts, err := c.StoreSettings.OpenAccounts(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, accounts.Close()) }()
	now := time.Now().UTC()
	if err := auth.RotateKeys(ctx, accounts, now, c.Immediately); err != nil {
		return err
	}
	if err := c.tell(ctx, accounts, now); err != nil {
		return fmt.Errorf("the keys are rotated, but the audit log has no entry: %w", err)
	}
	result := struct {
		RotatedAt time.Time `json:"rotatedAt"`
		Withdrawn bool      `json:"oldKeysWithdrawn"`
	}{now, c.Immediately}
	text := "there are new keys; servers publish them within a second and sign with them soon after"
	if c.Immediately {
		text = "there are new keys; within a second servers sign with them, and refuse what the old ones signed"
	}
	return console.printf(result, "%s\n", text)
}

// tell records in the policy when keys were rotated, which adds an entry to the audit log.
func (c *keysRotate) tell(ctx context.Context, registry store.Registry, at time.Time) error {
	actor := account.Actor{Client: account.CommandLine, User: systemUser()}
	return registry.Edit(ctx, actor, func(ctx context.Context, tx store.RegistryTx) error {
		policy := &account.Policy{}
		stored, err := tx.Entity(ctx, policy.Key())
		if err != nil {
			return err
		}
		if known, ok := stored.(*account.Policy); ok {
			*policy = *known
		}
		policy.KeysRotated = at
		if c.Immediately {
			policy.KeysWithdrawn = at
		}
		return tx.Put(ctx, policy)
	})
}
