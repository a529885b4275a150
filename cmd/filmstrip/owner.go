package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/signin"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/web"
)

type ownerCommand struct {
	Invite ownerInvite `cmd:"" help:"Print an address at which a new owner chooses a password for the console. It works once."`
}

type ownerInvite struct {
	administration
	Email   string        `arg:"" help:"The e-mail address with which the owner signs in."`
	BaseURL string        `help:"The servers' base URL." default:"http://127.0.0.1:8080" placeholder:"URL"`
	AuthURL string        `help:"The servers' --auth-url, if they have one." placeholder:"URL"`
	Account string        `help:"The operator's account; without it, the only one, or a new account named operator."`
	Client  string        `help:"The servers' --console-client." default:"filmstrip-console"`
	Expires time.Duration `help:"The time for which the address works." default:"72h"`
}

// Run adds what is missing of the account, the console's client and the user, makes the user an owner, and prints the
// address. It refuses an account that takes no passwords, because the one chosen there would not work. It changes nothing that
// exists, except that it adds the console's redirect URI to the client.
func (c *ownerInvite) Run(ctx context.Context, console console) (err error) {
	base := strings.TrimRight(c.BaseURL, "/")
	if !app.IsAddress(base, true) {
		return fmt.Errorf("--base-url %q is not an http or https address without query and fragment", c.BaseURL)
	}
	stores, err := c.StoreSettings.OpenAccounts(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	ask := func(ctx context.Context, operation string, variables input) (json.RawMessage, error) {
		return c.askWith(ctx, stores, nil, operation, variables)
	}
	owner, err := c.operator(ctx, ask)
	if err != nil {
		return err
	}
	if takes, err := takesPasswords(ctx, ask, owner); err != nil {
		return err
	} else if !takes {
		return fmt.Errorf(noPasswords, owner)
	}
	if err := c.allowConsole(ctx, ask, owner, base+web.ConsolePath); err != nil {
		return err
	}
	user, err := c.user(ctx, ask, stores.Accounts, owner)
	if err != nil {
		return err
	}
	key, err := app.SignInKey(ctx, stores.Accounts)
	if err != nil {
		return err
	}
	expires := time.Now().Add(c.Expires).UTC().Truncate(time.Second)
	address, err := signin.NewInvitation(cmp.Or(strings.TrimRight(c.AuthURL, "/"), base), key, user, expires)
	if err != nil {
		return err
	}
	invited := input{"address": address, "user": user.ID, "account": owner, "expiresAt": expires.Format(time.RFC3339)}
	return console.print(invited, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "At this address, %s can choose a password once, until %s:\n\n%s\n", c.Email, expires.Format(time.RFC3339), address)
		return err
	})
}

// operator returns the ID of the operator's account, which it adds if there is none.
func (c *ownerInvite) operator(ctx context.Context, ask asker) (string, error) {
	nodes, err := allNodes(ctx, ask, `query($after: String) { accounts(first: 200, after: $after) { nodes { id operator } pageInfo { hasNextPage endCursor } } }`, input{}, "after")
	if err != nil {
		return "", err
	}
	var own []string
	for _, node := range nodes {
		var of struct {
			ID       string
			Operator bool
		}
		if err := json.Unmarshal(node, &of); err != nil {
			return "", err
		}
		if of.Operator {
			own = append(own, of.ID)
		}
	}
	switch {
	case c.Account != "" && !slices.Contains(own, c.Account):
		return "", fmt.Errorf("--account %q is not an account of the operator; these are: %s", c.Account, cmp.Or(strings.Join(own, ", "), "none"))
	case c.Account != "":
		return c.Account, nil
	case len(own) > 1:
		return "", fmt.Errorf("the operator has several accounts (%s): choose one with --account", strings.Join(own, ", "))
	case len(own) == 1:
		return own[0], nil
	}
	_, err = ask(ctx, `mutation { createAccount(input: {id: "operator", name: "Operator", operator: true}) { id } }`, nil)
	return "operator", err
}

// allowConsole adds the console's client, or the console's redirect URI to it.
func (c *ownerInvite) allowConsole(ctx context.Context, ask asker, owner, address string) error {
	answer, err := ask(ctx, `query($id: String!) { client(id: $id) { account redirectUris postLogoutRedirectUris } }`, input{"id": c.Client})
	if err != nil {
		return err
	}
	var found *struct {
		Account                              string
		RedirectURIs, PostLogoutRedirectURIs []string
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return err
	}
	switch {
	case found == nil:
		_, err = ask(ctx, `mutation($input: CreateClientInput!) { createClient(input: $input) { client { id } } }`, input{"input": input{
			"id": c.Client, "account": owner, "name": "Console", "public": true, "requirePkce": true,
			"redirectUris": []string{address}, "postLogoutRedirectUris": []string{address},
		}})
		return err
	case found.Account != owner:
		return fmt.Errorf("the client %q belongs to the account %q: choose another --client, and start the servers with it as --console-client", c.Client, found.Account)
	case slices.Contains(found.RedirectURIs, address):
		return nil
	}
	_, err = ask(ctx, `mutation($id: String!, $input: UpdateClientInput!) { updateClient(id: $id, input: $input) { id } }`, input{"id": c.Client, "input": input{
		"redirectUris": append(found.RedirectURIs, address), "postLogoutRedirectUris": append(found.PostLogoutRedirectURIs, address),
	}})
	return err
}

// user returns the user with the e-mail address as user name, whom it adds and makes an owner.
func (c *ownerInvite) user(ctx context.Context, ask asker, accounts store.Accounts, owner string) (*account.User, error) {
	record, err := accounts.Named(ctx, account.LocalUserName(owner, c.Email))
	if err != nil {
		return nil, err
	}
	if record == nil {
		if _, err := ask(ctx, `mutation($input: CreateUserInput!) { createUser(input: $input) { id } }`,
			input{"input": input{"account": owner, "username": c.Email, "email": c.Email}}); err != nil {
			return nil, err
		}
		if record, err = accounts.Named(ctx, account.LocalUserName(owner, c.Email)); err != nil {
			return nil, err
		}
	}
	user, ok := record.(*account.User)
	if !ok {
		return nil, fmt.Errorf("the user %q was deleted meanwhile", c.Email)
	}
	_, err = ask(ctx, setStaffRole, input{"user": user.ID, "role": account.Owner})
	return user, err
}
