package main

import (
	"context"
	"encoding/json"
	"io"
)

type clientsCommand struct {
	List         clientsList           `cmd:"" help:"List the clients."`
	Show         showing[clientsKind]  `cmd:"" set:"record=client" help:"Show a client."`
	Create       clientsCreate         `cmd:"" help:"Add a client and show its secret once."`
	Update       clientsUpdate         `cmd:"" help:"Change the given fields of a client."`
	AddSecret    clientsAddSecret      `cmd:"" help:"Add a second secret to a client and show it once."`
	RemoveSecret clientsRemoveSecret   `cmd:"" help:"Remove a secret at once."`
	Delete       deleting[clientsKind] `cmd:"" help:"Delete a client and revoke its tokens."`
}

var clients = records{
	kind: "Client", name: "client", arguments: "account:String", columns: "id account name public disabled",
	all: `id account name public secrets { id createdAt expiresAt } requireSecret requirePkce redirectUris
		postLogoutRedirectUris roles staffRole disabled createdAt updatedAt version`,
}

type clientsKind struct{}

func (clientsKind) records() records { return clients }

type clientsList struct {
	administration
	Account *string `help:"Only those of one account."`
}

// Run lists clients.
func (c *clientsList) Run(ctx context.Context, console console) error {
	return c.list(ctx, console, clients, input{"account": c.Account})
}

// clientFlags are the fields of a client.
type clientFlags struct {
	Name                   *string  `json:"name,omitzero" help:"The name."`
	RequireSecret          *bool    `json:"requireSecret,omitzero" negatable:"" help:"Require the secret for every grant."`
	RequirePKCE            *bool    `json:"requirePkce,omitzero" name:"require-pkce" negatable:"" help:"Refuse authorization requests without a PKCE code challenge; recommended if the application can send one."`
	RedirectURIs           []string `json:"redirectUris,omitzero" name:"redirect-uri" sep:"none" help:"A redirect URI for authorization codes, compared byte for byte; repeatable." placeholder:"URI"`
	PostLogoutRedirectURIs []string `json:"postLogoutRedirectUris,omitzero" name:"post-logout-redirect-uri" sep:"none" help:"A redirect URI for sign-outs; repeatable." placeholder:"URI"`
	Roles                  []string `json:"roles,omitzero" help:"Roles that the client is limited to."`
	StaffRole              *string  `json:"staffRole,omitzero" help:"The role of a client of the operator's account, such as EDITOR; without one, it is an OWNER's."`
	Disabled               *bool    `json:"disabled,omitzero" negatable:"" help:"Refuse the client and its tokens, and revoke its refresh tokens."`
}

type clientsCreate struct {
	administration
	ID      string `arg:"" name:"id" help:"The client id."`
	Account string `required:"" help:"The account of the client."`
	Public  bool   `help:"Create a client without a secret, such as one that runs in browsers."`
	clientFlags
}

// Run adds a client and shows it.
func (c *clientsCreate) Run(ctx context.Context, console console) error {
	in, err := inputOf(c.clientFlags)
	if err != nil {
		return err
	}
	in["id"], in["account"], in["public"] = c.ID, c.Account, c.Public
	answer, err := c.ask(ctx, `mutation($input: CreateClientInput!) {
		createClient(input: $input) { client { `+clients.all+` } secret } }`, input{"input": in})
	if err != nil {
		return err
	}
	if err := printWithSecret(console, answer); err != nil || c.RequirePKCE != nil || !c.Public && len(c.RedirectURIs) == 0 {
		return err
	}
	return console.remark("\n%s\n", recommendPKCE)
}

// recommendPKCE is printed below a new client that may sign users in without PKCE.
const recommendPKCE = "Recommended for clients whose application sends a PKCE code challenge: --require-pkce. " +
	"Without it, sign-ins without a challenge are accepted."

// printWithSecret prints a client with a secret that is shown this once.
func printWithSecret(console console, answer json.RawMessage) error {
	return console.print(answer, func(w io.Writer) error {
		var made struct {
			Client json.RawMessage
			Secret *string
		}
		if err := json.Unmarshal(answer, &made); err != nil {
			return err
		}
		if err := printRecord(w, made.Client); err != nil || made.Secret == nil {
			return err
		}
		return printSecret(w, *made.Secret)
	})
}

type clientsUpdate struct {
	administration
	ID string `arg:"" name:"id" help:"The client."`
	clientFlags
	updating
}

// Run changes a client and shows it.
func (c *clientsUpdate) Run(ctx context.Context, console console) error {
	in, err := inputOf(c.clientFlags)
	if err != nil {
		return err
	}
	in.cleared(c.Clear)
	return c.update(ctx, console, c.ask, clients, c.ID, c.IfVersion, in)
}

type clientsAddSecret struct {
	administration
	ID      string `arg:"" name:"id" help:"The client."`
	OldDays *int   `name:"old-expires-in-days" help:"The number of days until the old secret expires; 0 means at once." placeholder:"DAYS"`
}

// Run adds a secret and shows it.
func (c *clientsAddSecret) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `mutation($client: String!, $days: Int) {
		addClientSecret(client: $client, oldExpiresInDays: $days) { client { `+clients.all+` } secret } }`,
		input{"client": c.ID, "days": c.OldDays})
	if err != nil {
		return err
	}
	return printWithSecret(console, answer)
}

type clientsRemoveSecret struct {
	administration
	ID     string `arg:"" name:"id" help:"The client."`
	Secret string `arg:"" name:"secret-id" help:"The id of the secret, not the secret itself."`
}

// Run removes a secret and shows the client.
func (c *clientsRemoveSecret) Run(ctx context.Context, console console) error {
	return c.show(ctx, console, c.ask, `mutation($client: String!, $secret: String!) {
		removeClientSecret(client: $client, secret: $secret) { `+clients.all+` } }`,
		input{"client": c.ID, "secret": c.Secret})
}
