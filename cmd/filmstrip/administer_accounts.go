package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

type accountsCommand struct {
	List   accountsList   `cmd:"" help:"List the accounts."`
	Show   accountsShow   `cmd:"" help:"Show an account."`
	Create accountsCreate `cmd:"" help:"Add an account."`
	Update accountsUpdate `cmd:"" help:"Change the given fields of an account."`
	Delete accountsDelete `cmd:"" help:"Delete an account that has no clients and users."`
}

var accounts = records{
	field: "accounts", columns: "id name tier type status accessExpiresOn contentPackage",
	all: `id name operator tier products type status accessExpiresOn subjects contentPackage allowedOrigins ignoresServiceUserId
		environment passwordSignIn identityProviders { alias name issuer clientId hasClientSecret scopes domains }
		embedsTakenOver requestsPerMinute requestsPerMonth createdAt updatedAt version`,
}

type accountsList struct{ administration }

// Run lists all accounts.
func (c *accountsList) Run(ctx context.Context, console console) error {
	return c.list(ctx, console, accounts, input{})
}

type accountsShow struct {
	administration
	ID string `arg:"" name:"id" help:"The account."`
}

// Run shows one account.
func (c *accountsShow) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `query($id: String!) { account(id: $id) { `+accounts.all+` } }`, input{"id": c.ID})
	if answer, err = existing(answer, err, "account", c.ID); err != nil {
		return err
	}
	return c.print(console, answer)
}

// accountFlags are the fields of an account.
type accountFlags struct {
	Name                 *string  `help:"The name; a new account without one is named by its id."`
	Tier                 *string  `help:"The id of the tier."`
	Products             []string `help:"INTEGRATE, LTI, LIBRARY, CLASSROOM."`
	Type                 *string  `help:"STANDARD, TRIAL or DEMO."`
	Status               *string  `help:"ACTIVE or SUSPENDED. While an account is suspended, the server refuses its tokens; suspending also revokes its refresh tokens."`
	AccessExpiresOn      *string  `help:"The last day (UTC) of the account's access." placeholder:"YYYY-MM-DD"`
	Subjects             []string `help:"Ids of subjects that rank higher in the account's searches."`
	ContentPackage       *string  `help:"The id of the content package that limits what the account sees."`
	AllowedOrigins       []string `name:"origins" help:"Origins of pages that may call the API with credentials."`
	IgnoresServiceUserID *bool    `name:"ignores-service-user-id" negatable:"" help:"Ignore the Service-User-Id of API requests, which otherwise labels their events."`
	Environment          *string  `help:"LIVE or SANDBOX."`
	PasswordSignIn       *bool    `negatable:"" help:"Let users sign in with a password of this service."`
	IdentityProviders    *string  `help:"A JSON file with the list of identity providers (docs/accounts.md); - is standard input." placeholder:"FILE"`
	RequestsPerMinute    *int     `help:"The rate limit of each client."`
	RequestsPerMonth     *int     `help:"The monthly quota of all clients together."`
}

func (f *accountFlags) input(console console) (input, error) {
	in := input{}
	given(in, "name", f.Name)
	given(in, "tier", f.Tier)
	givenList(in, "products", f.Products)
	given(in, "type", f.Type)
	given(in, "status", f.Status)
	given(in, "accessExpiresOn", f.AccessExpiresOn)
	givenList(in, "subjects", f.Subjects)
	given(in, "contentPackage", f.ContentPackage)
	givenList(in, "allowedOrigins", f.AllowedOrigins)
	given(in, "ignoresServiceUserId", f.IgnoresServiceUserID)
	given(in, "environment", f.Environment)
	given(in, "passwordSignIn", f.PasswordSignIn)
	given(in, "requestsPerMinute", f.RequestsPerMinute)
	given(in, "requestsPerMonth", f.RequestsPerMonth)
	if f.IdentityProviders == nil {
		return in, nil
	}
	providers, err := readJSON(*f.IdentityProviders, console)
	in["identityProviders"] = providers
	return in, err
}

// readJSON reads a file, or standard input for -.
func readJSON(file string, console console) (json.RawMessage, error) {
	text, err := readInput(file, console)
	if err != nil {
		return nil, err
	}
	if !json.Valid(text) {
		return nil, fmt.Errorf("%s does not contain JSON", file)
	}
	return text, nil
}

func readInput(file string, console console) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(console.in)
	}
	return os.ReadFile(file)
}

// asking returns the function that runs an operation with these flags. It checks that subjects exist in the catalogue.
func (f *accountFlags) asking(a *administration) func(context.Context, string, input) (json.RawMessage, error) {
	if f.Subjects != nil {
		return a.askNaming
	}
	return a.ask
}

type accountsCreate struct {
	administration
	ID       string `arg:"" name:"id" help:"The id, which appears in URLs and logs."`
	Operator bool   `help:"Create an operator account, whose clients may administer the service."`
	accountFlags
}

// Run adds an account and shows it.
func (c *accountsCreate) Run(ctx context.Context, console console) error {
	in, err := c.accountFlags.input(console)
	if err != nil {
		return err
	}
	in["id"], in["operator"] = c.ID, c.Operator
	if c.Name == nil {
		in["name"] = c.ID
	}
	answer, err := c.asking(&c.administration)(ctx, `mutation($input: CreateAccountInput!) { createAccount(input: $input) { `+accounts.all+` } }`, input{"input": in})
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

// updating is the common part of the commands that change a record.
type updating struct {
	Clear     []string `help:"Fields to clear, by the names that show prints." placeholder:"FIELD"`
	IfVersion *int     `help:"Change nothing if the record has another version."`
}

type accountsUpdate struct {
	administration
	ID string `arg:"" name:"id" help:"The account."`
	accountFlags
	EmbedsTakenOver []string `help:"The whole list of ids of users whose embeds the account keeps when the users are disabled or deleted." placeholder:"USER"`
	updating
}

// Run changes an account and shows it.
func (c *accountsUpdate) Run(ctx context.Context, console console) error {
	in, err := c.accountFlags.input(console)
	if err != nil {
		return err
	}
	givenList(in, "embedsTakenOver", c.EmbedsTakenOver)
	in.cleared(c.Clear)
	answer, err := c.asking(&c.administration)(ctx, `mutation($id: String!, $version: Int, $input: UpdateAccountInput!) {
		updateAccount(id: $id, version: $version, input: $input) { `+accounts.all+` } }`,
		input{"id": c.ID, "version": c.IfVersion, "input": in})
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

// deleting is the common part of the commands that delete a record.
type deleting struct {
	administration
	ID        string `arg:"" name:"id" help:"The id."`
	IfVersion *int   `help:"Delete nothing if the record has another version."`
}

// delete runs a mutation that deletes a record.
func (c *deleting) delete(ctx context.Context, console console, field string) error {
	answer, err := c.ask(ctx, `mutation($id: String!, $version: Int) { `+field+`(id: $id, version: $version) }`,
		input{"id": c.ID, "version": c.IfVersion})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(console.out, answer)
	}
	_, err = fmt.Fprintf(console.out, "%s is deleted\n", c.ID)
	return err
}

type accountsDelete struct{ deleting }

// Run deletes an account.
func (c *accountsDelete) Run(ctx context.Context, console console) error {
	return c.delete(ctx, console, "deleteAccount")
}
