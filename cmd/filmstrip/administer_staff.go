package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"
)

type staffCommand struct {
	List   staffList   `cmd:"" help:"List the operator's users who have a role."`
	Set    staffSet    `cmd:"" help:"Give a user of the operator's account a role, or another one."`
	Remove staffRemove `cmd:"" help:"Take a user's role away."`
}

const (
	staffColumns = "id role username email givenName familyName"
	staffFields  = staffColumns + " account createdAt updatedAt version"
)

type staffList struct{ administration }

// Run lists the staff.
func (c *staffList) Run(ctx context.Context, console console) error {
	fields := staffColumns
	if console.json {
		fields = staffFields
	}
	answer, err := c.ask(ctx, `{ staff { `+fields+` } }`, nil)
	if err != nil {
		return err
	}
	var members []json.RawMessage
	if err := json.Unmarshal(answer, &members); err != nil {
		return err
	}
	return console.print(members, func(w io.Writer) error { return printTable(w, strings.Fields(staffColumns), members) })
}

type staffSet struct {
	administration
	User string `arg:"" help:"The id of the user."`
	Role string `arg:"" help:"OWNER, EDITOR, CUSTOMER_MANAGER, SUPPORT, FINANCE, ENGINEER or VIEWER."`
}

// setStaffRole is the operation that sets a role, or removes it for null.
const setStaffRole = `mutation($user: ID!, $role: StaffRole) { setStaffRole(user: $user, role: $role) { ` + staffFields + ` } }`

// Run sets the role and shows it.
func (c *staffSet) Run(ctx context.Context, console console) error {
	return c.show(ctx, console, c.ask, setStaffRole, input{"user": c.User, "role": strings.ToUpper(c.Role)})
}

type staffRemove struct {
	administration
	User string `arg:"" help:"The id of the user."`
}

// Run removes the role.
func (c *staffRemove) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, setStaffRole, input{"user": c.User, "role": nil})
	if err != nil {
		return err
	}
	return console.printf(answer, "%s has no role\n", c.User)
}
