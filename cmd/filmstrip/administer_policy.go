package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
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
func (c *keysRotate) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `mutation($withdraw: Boolean!) { rotateSigningKeys(withdraw: $withdraw) { createdAt } }`, input{"withdraw": c.Immediately})
	if err != nil {
		return err
	}
	var keys []struct{ CreatedAt time.Time }
	if err := json.Unmarshal(answer, &keys); err != nil {
		return err
	}
	result := struct {
		RotatedAt time.Time `json:"rotatedAt"`
		Withdrawn bool      `json:"oldKeysWithdrawn"`
	}{keys[0].CreatedAt, c.Immediately}
	text := "new keys were created; servers publish them within a second and sign with them soon after"
	if c.Immediately {
		text = "new keys were created; within a second servers sign with them, and refuse tokens and addresses that the old keys signed"
	}
	return console.printf(result, "%s\n", text)
}
