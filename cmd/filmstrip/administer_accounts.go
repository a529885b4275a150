package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

type accountsCommand struct {
	List   listing[accountsKind]  `cmd:"" help:"List the accounts."`
	Show   showing[accountsKind]  `cmd:"" set:"record=account" help:"Show an account."`
	Create accountsCreate         `cmd:"" help:"Add an account."`
	Update accountsUpdate         `cmd:"" help:"Change the given fields of an account."`
	Delete deleting[accountsKind] `cmd:"" help:"Delete an account that has no clients and users."`
}

var accounts = records{
	kind: "Account", name: "account", columns: "id name tier type status accessExpiresOn contentPackage",
	all: `id name operator tier products type status accessExpiresOn subjects contentPackage allowedOrigins ignoresServiceUserId
		environment passwordSignIn identityProviders { alias name issuer clientId hasClientSecret scopes domains }
		logo { id mediaType bytes } embedsTakenOver requestsPerMinute requestsPerMonth createdAt updatedAt version`,
	charged: true,
}

type accountsKind struct{}

func (accountsKind) records() records { return accounts }

// accountFlags are the fields of an account.
type accountFlags struct {
	Name                 *string  `json:"name,omitzero" help:"The name; a new account without one is named by its id."`
	Tier                 *string  `json:"tier,omitzero" help:"The id of the tier."`
	Products             []string `json:"products,omitzero" help:"INTEGRATE, LTI, LIBRARY, CLASSROOM."`
	Type                 *string  `json:"type,omitzero" help:"STANDARD, TRIAL or DEMO."`
	Status               *string  `json:"status,omitzero" help:"ACTIVE or SUSPENDED. While an account is suspended, the server refuses its tokens; suspending also revokes its refresh tokens."`
	AccessExpiresOn      *string  `json:"accessExpiresOn,omitzero" help:"The last day (UTC) of the account's access." placeholder:"YYYY-MM-DD"`
	Subjects             []string `json:"subjects,omitzero" help:"Ids of subjects that rank higher in the account's searches."`
	ContentPackage       *string  `json:"contentPackage,omitzero" help:"The id of the content package that limits what the account sees."`
	AllowedOrigins       []string `json:"allowedOrigins,omitzero" name:"origins" help:"Origins of pages that may call the API with credentials."`
	IgnoresServiceUserID *bool    `json:"ignoresServiceUserId,omitzero" name:"ignores-service-user-id" negatable:"" help:"Ignore the Service-User-Id of API requests, which otherwise labels their events."`
	Environment          *string  `json:"environment,omitzero" help:"LIVE or SANDBOX."`
	PasswordSignIn       *bool    `json:"passwordSignIn,omitzero" negatable:"" help:"Let users sign in with a password of this service."`
	IdentityProviders    *string  `json:"-" help:"A JSON file with the list of identity providers (docs/accounts.md); - is standard input." placeholder:"FILE"`
	Logo                 *string  `json:"-" help:"An image for the sign-in pages: a PNG, JPEG or WebP file of at most 64 KiB; - is standard input." placeholder:"FILE"`
	RequestsPerMinute    *int     `json:"requestsPerMinute,omitzero" help:"The rate limit of each client."`
	RequestsPerMonth     *int     `json:"requestsPerMonth,omitzero" help:"The monthly quota of all clients together."`
}

func (f *accountFlags) input(console console) (input, error) {
	in, err := inputOf(f)
	if err != nil {
		return nil, err
	}
	if f.Logo != nil {
		image, err := readInput(*f.Logo, console)
		if err != nil {
			return nil, err
		}
		in["logo"] = image // which JSON encodes as Base64
	}
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
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, fmt.Errorf("%s does not contain JSON: %w", file, err)
	}
	return value, nil
}

func readInput(file string, console console) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(console.in)
	}
	return os.ReadFile(file)
}

// asking returns the function that runs an operation with these flags. It checks that subjects exist in the catalogue.
func (f *accountFlags) asking(a *administration) asker {
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
	return c.create(ctx, console, c.asking(&c.administration), accounts, in)
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
	if c.EmbedsTakenOver != nil {
		in["embedsTakenOver"] = c.EmbedsTakenOver
	}
	in.cleared(c.Clear)
	return c.update(ctx, console, c.asking(&c.administration), accounts, c.ID, c.IfVersion, in)
}
