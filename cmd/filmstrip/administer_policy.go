package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/catalogue"
)

type policyCommand struct {
	NotBefore policyNotBefore `cmd:"" help:"Show, set or clear the instant before which no token counts that was issued."`
}

type policyNotBefore struct {
	administration
	Instant string `arg:"" optional:"" help:"An instant such as 2026-03-04T05:06:07Z, now or clear; without one it is shown."`
}

const policyFields = `notBefore updatedAt version`

// Run shows the policy, as it is or as it is from now on.
func (c *policyNotBefore) Run(ctx context.Context, console console) error {
	operation, variables := `query { tokenPolicy { `+policyFields+` } }`, input{}
	if c.Instant != "" {
		operation = `mutation($notBefore: DateTime) { setTokenPolicy(notBefore: $notBefore) { ` + policyFields + ` } }`
		variables["notBefore"] = c.instant()
	}
	answer, err := c.ask(ctx, operation, variables)
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

// instant is null for clear.
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
	Rotate keysRotate `cmd:"" help:"Publish new keys, which sign tokens ten minutes later; tokens that are out go on counting."`
}

type keysRotate struct {
	administration
	Immediately bool `help:"Withdraw the old keys at once: tokens that they signed do not count any more."`
}

// Run rotates the keys.
func (c *keysRotate) Run(ctx context.Context, console console) (err error) {
	accounts, err := c.openAccounts(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, accounts.close()) }()
	if err := auth.RotateKeys(ctx, accounts, time.Now(), c.Immediately); err != nil {
		return err
	}
	text := "there are new keys; servers publish them within a second and sign with them soon after"
	if c.Immediately {
		text = "there are new keys; within a second servers sign with them, and refuse what the old ones signed"
	}
	_, err = fmt.Fprintln(console.out, text)
	return err
}
