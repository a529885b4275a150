package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	xterm "golang.org/x/term"
)

type usersCommand struct {
	List        usersList        `cmd:"" help:"List the users."`
	Show        usersShow        `cmd:"" help:"Show a user."`
	Create      usersCreate      `cmd:"" help:"Add a user."`
	Update      usersUpdate      `cmd:"" help:"Change a user; what is not given stays."`
	SetPassword usersSetPassword `cmd:"" help:"Give a user another password, or none; their sessions end."`
	Delete      usersDelete      `cmd:"" help:"Delete a user; their sessions and tokens end."`
	Export      usersExport      `cmd:"" help:"Write the events of one user, with all that is kept of them."`
	Forget      usersForget      `cmd:"" help:"Make the events of one user those of nobody; what is billed does not change."`
}

var users = records{
	field: "users", arguments: "account:String externalId:String username:String",
	columns: "id account externalId username email disabled",
	all: `id account externalId username hasPassword issuer subject email emailVerified givenName familyName disabled
		createdAt updatedAt version`,
}

type usersList struct {
	administration
	Account    *string `help:"Those of one account."`
	ExternalID *string `name:"external-id" help:"The one whom the account's clients call so."`
	Username   *string `help:"The one who signs in so."`
}

// Run lists users.
func (c *usersList) Run(ctx context.Context, console console) error {
	return c.list(ctx, console, users, input{"account": c.Account, "externalId": c.ExternalID, "username": c.Username})
}

type usersShow struct {
	administration
	ID string `arg:"" name:"id" help:"The user."`
}

// Run shows one user.
func (c *usersShow) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `query($id: String!) { user(id: $id) { `+users.all+` } }`, input{"id": c.ID})
	if answer, err = existing(answer, err, "user", c.ID); err != nil {
		return err
	}
	return c.print(console, answer)
}

// userFlags are the fields of a user.
type userFlags struct {
	ExternalID    *string `name:"external-id" help:"How the account's clients call the user (Service-User-Id)."`
	Username      *string `help:"What a user with a password signs in with."`
	Issuer        *string `help:"The user's identity provider; goes with --subject."`
	Subject       *string `help:"What the identity provider calls the user."`
	Email         *string `help:"The e-mail address."`
	EmailVerified *bool   `negatable:"" help:"The e-mail address is known to be the user's."`
	GivenName     *string `help:"The given name."`
	FamilyName    *string `help:"The family name."`
	Disabled      *bool   `negatable:"" help:"Refuse the user; their sessions and tokens end."`
}

func (f *userFlags) input() input {
	in := input{}
	given(in, "externalId", f.ExternalID)
	given(in, "username", f.Username)
	given(in, "issuer", f.Issuer)
	given(in, "subject", f.Subject)
	given(in, "email", f.Email)
	given(in, "emailVerified", f.EmailVerified)
	given(in, "givenName", f.GivenName)
	given(in, "familyName", f.FamilyName)
	given(in, "disabled", f.Disabled)
	return in
}

// passwordFrom says where a password is read: never from an argument, which others on the machine see.
type passwordFrom struct {
	PasswordFile string `help:"A file whose first line is the password; - is standard input." placeholder:"FILE"`
}

type usersCreate struct {
	administration
	Account string `required:"" help:"The account that the user belongs to."`
	userFlags
	Password bool `help:"Ask for a password."`
	passwordFrom
}

// Run adds a user and shows them.
func (c *usersCreate) Run(ctx context.Context, console console) error {
	in := c.userFlags.input()
	in["account"] = c.Account
	if c.Password || c.PasswordFile != "" {
		password, err := c.passwordFrom.read(console)
		if err != nil {
			return err
		}
		in["password"] = password
	}
	answer, err := c.ask(ctx, `mutation($input: CreateUserInput!) { createUser(input: $input) { `+users.all+` } }`, input{"input": in})
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

// read asks at a terminal, twice, and takes the first line elsewhere.
func (p *passwordFrom) read(console console) (string, error) {
	if p.PasswordFile == "" || p.PasswordFile == "-" {
		if file, ok := console.in.(*os.File); ok && xterm.IsTerminal(int(file.Fd())) {
			return prompt(file, console.err)
		}
		return firstLine(console.in)
	}
	file, err := os.Open(p.PasswordFile)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return firstLine(file)
}

func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func prompt(terminal *os.File, w io.Writer) (string, error) {
	var typed [2]string
	for i, question := range []string{"Password: ", "Again: "} {
		fmt.Fprint(w, question)
		text, err := xterm.ReadPassword(int(terminal.Fd()))
		fmt.Fprintln(w)
		if err != nil {
			return "", err
		}
		typed[i] = string(text)
	}
	if typed[0] != typed[1] {
		return "", errors.New("the two are not the same")
	}
	return typed[0], nil
}

type usersUpdate struct {
	administration
	ID string `arg:"" name:"id" help:"The user."`
	userFlags
	updating
}

// Run changes a user and shows them.
func (c *usersUpdate) Run(ctx context.Context, console console) error {
	in := c.userFlags.input()
	in.cleared(c.Clear)
	answer, err := c.ask(ctx, `mutation($id: String!, $version: Int, $input: UpdateUserInput!) {
		updateUser(id: $id, version: $version, input: $input) { `+users.all+` } }`,
		input{"id": c.ID, "version": c.IfVersion, "input": in})
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

type usersSetPassword struct {
	administration
	ID   string `arg:"" name:"id" help:"The user."`
	None bool   `help:"Take the password away."`
	passwordFrom
}

// Run sets a password and shows the user.
func (c *usersSetPassword) Run(ctx context.Context, console console) error {
	variables := input{"id": c.ID, "password": nil}
	if !c.None {
		password, err := c.passwordFrom.read(console)
		if err != nil {
			return err
		}
		variables["password"] = password
	}
	answer, err := c.ask(ctx, `mutation($id: String!, $password: String) {
		setUserPassword(id: $id, password: $password) { `+users.all+` } }`, variables)
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

type usersDelete struct{ deleting }

// Run deletes a user.
func (c *usersDelete) Run(ctx context.Context, console console) error {
	return c.delete(ctx, console, "deleteUser")
}
