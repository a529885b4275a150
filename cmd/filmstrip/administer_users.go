package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	xterm "golang.org/x/term"

	"github.com/filmstrip/filmstrip/account"
)

type usersCommand struct {
	List               usersList               `cmd:"" help:"List the users."`
	Show               showing[usersKind]      `cmd:"" set:"record=user" help:"Show a user."`
	Create             usersCreate             `cmd:"" help:"Add a user."`
	Update             usersUpdate             `cmd:"" help:"Change the given fields of a user."`
	SetPassword        usersSetPassword        `cmd:"" help:"Replace or remove a user's password and end the user's sessions."`
	RemoveSecondFactor usersRemoveSecondFactor `cmd:"" help:"Remove the second factor of a user who has lost their device and recovery codes."`
	Delete             deleting[usersKind]     `cmd:"" help:"Delete a user and end the user's sessions and tokens."`
	Export             usersExport             `cmd:"" help:"Write the events of one user with all stored fields."`
	Forget             usersForget             `cmd:"" help:"Remove one user's identity from the user's events; bills do not change."`
}

var users = records{
	kind: "User", name: "user", arguments: "account:String externalId:String username:String",
	columns: "id account externalId username email disabled",
	all: `id account externalId username hasPassword issuer subject email emailVerified givenName familyName disabled
		createdAt updatedAt version`,
}

type usersKind struct{}

func (usersKind) records() records { return users }

type usersList struct {
	administration
	Account    *string `help:"Only those of one account."`
	ExternalID *string `name:"external-id" help:"Only the user with this external id (Service-User-Id)."`
	Username   *string `help:"Only the user with this user name."`
}

// Run lists users.
func (c *usersList) Run(ctx context.Context, console console) error {
	return c.list(ctx, console, users, input{"account": c.Account, "externalId": c.ExternalID, "username": c.Username})
}

// userFlags are the fields of a user.
type userFlags struct {
	ExternalID    *string `json:"externalId,omitzero" name:"external-id" help:"The id of the user at the account's clients (Service-User-Id)."`
	Username      *string `json:"username,omitzero" help:"The user name for signing in with a password."`
	Issuer        *string `json:"issuer,omitzero" help:"The issuer of the user's identity provider; requires --subject."`
	Subject       *string `json:"subject,omitzero" help:"The subject of the user at the identity provider."`
	Email         *string `json:"email,omitzero" help:"The e-mail address."`
	EmailVerified *bool   `json:"emailVerified,omitzero" negatable:"" help:"Whether the e-mail address is verified."`
	GivenName     *string `json:"givenName,omitzero" help:"The given name."`
	FamilyName    *string `json:"familyName,omitzero" help:"The family name."`
	Disabled      *bool   `json:"disabled,omitzero" negatable:"" help:"Refuse the user, and end the user's sessions and tokens."`
}

// passwordFrom selects the source of a password. It is never an argument, because other users of the machine can see
// the arguments.
type passwordFrom struct {
	PasswordFile string `help:"A file with the password in its first line; - is standard input." placeholder:"FILE"`
}

type usersCreate struct {
	administration
	Account string `required:"" help:"The account of the user."`
	userFlags
	StaffRole string `help:"The role of a user of the operator's account: OWNER, EDITOR, CUSTOMER_MANAGER, SUPPORT, FINANCE, ENGINEER or VIEWER." enum:",OWNER,EDITOR,CUSTOMER_MANAGER,SUPPORT,FINANCE,ENGINEER,VIEWER" default:"" placeholder:"ROLE"`
	Password  bool   `help:"Prompt for a password."`
	passwordFrom
}

// Run adds a user and shows them.
func (c *usersCreate) Run(ctx context.Context, console console) error {
	in, err := inputOf(c.userFlags)
	if err != nil {
		return err
	}
	in["account"] = c.Account
	if c.Password || c.PasswordFile != "" {
		password, err := c.passwordFrom.read(console)
		if err != nil {
			return err
		}
		in["password"] = password
		if takes, err := takesPasswords(ctx, c.ask, c.Account); err != nil {
			return err
		} else if !takes {
			console.warn(noPasswords, c.Account)
		}
	}
	if c.StaffRole == "" {
		return c.create(ctx, console, c.ask, users, in)
	}
	return c.createStaff(ctx, console, in)
}

// noPasswords is the message about an account for which takesPasswords is false.
const noPasswords = "users of the account %[1]q cannot sign in with a password; to allow it beside the account's identity providers, run: filmstrip accounts update %[1]s --password-sign-in"

// takesPasswords reports whether users of an account may sign in with a password, as for an account that does not exist.
func takesPasswords(ctx context.Context, ask asker, id string) (bool, error) {
	answer, err := ask(ctx, `query($id: String!) { account(id: $id) { passwordSignIn identityProviders { alias } } }`, input{"id": id})
	if err != nil {
		return false, err
	}
	var of account.Account
	err = json.Unmarshal(answer, &of)
	return of.TakesPasswords(), err
}

// createStaff adds a user and gives them their role.
func (c *usersCreate) createStaff(ctx context.Context, console console, in input) error {
	answer, err := c.ask(ctx, `mutation($input: CreateUserInput!) { createUser(input: $input) { id } }`, input{"input": in})
	if err != nil {
		return err
	}
	var made struct{ ID string }
	if err := json.Unmarshal(answer, &made); err != nil {
		return err
	}
	return c.show(ctx, console, c.ask, setStaffRole, input{"user": made.ID, "role": c.StaffRole})
}

// read prompts for the password twice at a terminal; elsewhere it reads the first line of the input.
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
		return "", errors.New("the two passwords differ")
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
	in, err := inputOf(c.userFlags)
	if err != nil {
		return err
	}
	in.cleared(c.Clear)
	return c.update(ctx, console, c.ask, users, c.ID, c.IfVersion, in)
}

type usersSetPassword struct {
	administration
	ID   string `arg:"" name:"id" help:"The user."`
	None bool   `help:"Remove the password."`
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
	return c.show(ctx, console, c.ask, `mutation($id: String!, $password: String) {
		setUserPassword(id: $id, password: $password) { `+users.all+` } }`, variables)
}

type usersRemoveSecondFactor struct {
	administration
	ID string `arg:"" name:"id" help:"The user."`
}

// Run removes a second factor and shows the user.
func (c *usersRemoveSecondFactor) Run(ctx context.Context, console console) error {
	return c.show(ctx, console, c.ask, `mutation($id: ID!) { removeUserSecondFactor(user: $id) { `+users.all+` } }`, input{"id": c.ID})
}
