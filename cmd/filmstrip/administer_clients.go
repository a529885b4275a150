package main

import (
	"context"
	"encoding/json"
	"fmt"
)

type clientsCommand struct {
	List         clientsList         `cmd:"" help:"List the clients."`
	Show         clientsShow         `cmd:"" help:"Show a client."`
	Create       clientsCreate       `cmd:"" help:"Add a client, and show its secret this once."`
	Update       clientsUpdate       `cmd:"" help:"Change a client; what is not given stays."`
	AddSecret    clientsAddSecret    `cmd:"" help:"Give a client a second secret, and show it this once."`
	RemoveSecret clientsRemoveSecret `cmd:"" help:"End a secret at once."`
	Delete       clientsDelete       `cmd:"" help:"Delete a client; its tokens end."`
}

var clients = records{
	field: "clients", arguments: "account:String", columns: "id account name public disabled",
	all: `id account name public secrets { id createdAt expiresAt } requireSecret requirePkce redirectUris
		postLogoutRedirectUris roles disabled createdAt updatedAt version`,
}

type clientsList struct {
	administration
	Account *string `help:"Those of one account."`
}

// Run lists clients.
func (c *clientsList) Run(ctx context.Context, console console) error {
	return c.list(ctx, console, clients, input{"account": c.Account})
}

type clientsShow struct {
	administration
	ID string `arg:"" name:"id" help:"The client."`
}

// Run shows one client.
func (c *clientsShow) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `query($id: String!) { client(id: $id) { `+clients.all+` } }`, input{"id": c.ID})
	if answer, err = existing(answer, err, "client", c.ID); err != nil {
		return err
	}
	return c.print(console, answer)
}

// clientFlags are the fields of a client.
type clientFlags struct {
	Name                   *string  `help:"What it is called."`
	RequireSecret          *bool    `negatable:"" help:"Ask for the secret with every grant."`
	RequirePKCE            *bool    `name:"require-pkce" negatable:"" help:"Refuse authorization requests without a PKCE code challenge; recommended where the application can send one."`
	RedirectURIs           []string `name:"redirect-uri" sep:"none" help:"An address that codes may go to, byte for byte; may be given again." placeholder:"URI"`
	PostLogoutRedirectURIs []string `name:"post-logout-redirect-uri" sep:"none" help:"An address to go to after signing out; may be given again." placeholder:"URI"`
	Roles                  []string `help:"Roles that the client is limited to."`
	Disabled               *bool    `negatable:"" help:"Refuse the client and its tokens meanwhile; its refresh tokens end."`
}

func (f *clientFlags) input() input {
	in := input{}
	given(in, "name", f.Name)
	given(in, "requireSecret", f.RequireSecret)
	given(in, "requirePkce", f.RequirePKCE)
	givenList(in, "redirectUris", f.RedirectURIs)
	givenList(in, "postLogoutRedirectUris", f.PostLogoutRedirectURIs)
	givenList(in, "roles", f.Roles)
	given(in, "disabled", f.Disabled)
	return in
}

type clientsCreate struct {
	administration
	ID      string `arg:"" name:"id" help:"The client id."`
	Account string `required:"" help:"The account that it belongs to."`
	Public  bool   `help:"A client without a secret, such as one that runs in browsers."`
	clientFlags
}

// Run adds a client and shows it.
func (c *clientsCreate) Run(ctx context.Context, console console) error {
	in := c.clientFlags.input()
	in["id"], in["account"], in["public"] = c.ID, c.Account, c.Public
	answer, err := c.ask(ctx, `mutation($input: CreateClientInput!) {
		createClient(input: $input) { client { `+clients.all+` } secret } }`, input{"input": in})
	if err != nil {
		return err
	}
	if err := c.printWithSecret(console, answer); err != nil || c.JSON || c.RequirePKCE != nil || !c.Public && len(c.RedirectURIs) == 0 {
		return err
	}
	_, err = fmt.Fprintln(console.out, "\n"+recommendPKCE)
	return err
}

// recommendPKCE is printed below a new client that may sign users in without PKCE.
const recommendPKCE = "Recommended for clients whose application sends a PKCE code challenge: --require-pkce. " +
	"Without it, sign-ins without a challenge are accepted."

// printWithSecret prints a client with a secret that is shown this once.
func (a *administration) printWithSecret(console console, answer json.RawMessage) error {
	if a.JSON {
		return printJSON(console.out, answer)
	}
	var made struct {
		Client json.RawMessage
		Secret *string
	}
	if err := json.Unmarshal(answer, &made); err != nil {
		return err
	}
	if err := printRecord(console.out, made.Client); err != nil || made.Secret == nil {
		return err
	}
	return printSecret(console, *made.Secret)
}

type clientsUpdate struct {
	administration
	ID string `arg:"" name:"id" help:"The client."`
	clientFlags
	updating
}

// Run changes a client and shows it.
func (c *clientsUpdate) Run(ctx context.Context, console console) error {
	in := c.clientFlags.input()
	in.cleared(c.Clear)
	answer, err := c.ask(ctx, `mutation($id: String!, $version: Int, $input: UpdateClientInput!) {
		updateClient(id: $id, version: $version, input: $input) { `+clients.all+` } }`,
		input{"id": c.ID, "version": c.IfVersion, "input": in})
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

type clientsAddSecret struct {
	administration
	ID      string `arg:"" name:"id" help:"The client."`
	OldDays *int   `name:"old-expires-in-days" help:"End the secret before in so many days; 0: at once." placeholder:"DAYS"`
}

// Run adds a secret and shows it.
func (c *clientsAddSecret) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `mutation($client: String!, $days: Int) {
		addClientSecret(client: $client, oldExpiresInDays: $days) { client { `+clients.all+` } secret } }`,
		input{"client": c.ID, "days": c.OldDays})
	if err != nil {
		return err
	}
	return c.printWithSecret(console, answer)
}

type clientsRemoveSecret struct {
	administration
	ID     string `arg:"" name:"id" help:"The client."`
	Secret string `arg:"" name:"secret-id" help:"The id of the secret, not the secret itself."`
}

// Run removes a secret and shows the client.
func (c *clientsRemoveSecret) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `mutation($client: String!, $secret: String!) {
		removeClientSecret(client: $client, secret: $secret) { `+clients.all+` } }`,
		input{"client": c.ID, "secret": c.Secret})
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

type clientsDelete struct{ deleting }

// Run deletes a client.
func (c *clientsDelete) Run(ctx context.Context, console console) error {
	return c.delete(ctx, console, "deleteClient")
}
