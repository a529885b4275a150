package main

import (
	"context"
)

type packagesCommand struct {
	List   packagesList   `cmd:"" help:"List the content packages."`
	Show   packagesShow   `cmd:"" help:"Show a content package."`
	Put    packagesPut    `cmd:"" help:"Add a content package, or change the one with its id."`
	Delete packagesDelete `cmd:"" help:"Delete a content package that no account has."`
}

var packages = records{
	field: "contentPackages", columns: "id name updatedAt",
	all: "id name rules { type values } createdAt updatedAt version",
}

type packagesList struct{ administration }

// Run lists all packages.
func (c *packagesList) Run(ctx context.Context, console console) error {
	return c.list(ctx, console, packages, input{})
}

type packagesShow struct {
	administration
	ID string `arg:"" name:"id" help:"The content package."`
}

const packageQuery = `query($id: String!) { contentPackage(id: $id) { `

// Run shows one package.
func (c *packagesShow) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, packageQuery+packages.all+` } }`, input{"id": c.ID})
	if answer, err = existing(answer, err, "content package", c.ID); err != nil {
		return err
	}
	return c.print(console, answer)
}

type packagesPut struct {
	administration
	ID        string  `arg:"" name:"id" help:"The content package."`
	Name      *string `help:"The name; a new content package without one is named by its id."`
	Rules     *string `help:"A JSON file with the list of rules (docs/accounts.md); - is standard input." placeholder:"FILE"`
	IfVersion *int    `help:"Change nothing if the package has another version."`
}

// Run adds or changes a package and shows it.
func (c *packagesPut) Run(ctx context.Context, console console) error {
	in := input{}
	given(in, "name", c.Name)
	if c.Rules != nil {
		rules, err := readJSON(*c.Rules, console)
		if err != nil {
			return err
		}
		in["rules"] = rules
	}
	there, err := c.ask(ctx, packageQuery+`id } }`, input{"id": c.ID})
	if err != nil {
		return err
	}
	operation, variables := `mutation($id: String!, $version: Int, $input: UpdateContentPackageInput!) {
		updateContentPackage(id: $id, version: $version, input: $input) { `, input{"id": c.ID, "version": c.IfVersion, "input": in}
	if string(there) == "null" && c.IfVersion == nil {
		operation, variables = c.creation(in)
	}
	ask := c.ask
	if c.Rules != nil {
		ask = c.askNaming
	}
	answer, err := ask(ctx, operation+packages.all+` } }`, variables)
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

func (c *packagesPut) creation(in input) (string, input) {
	in["id"] = c.ID
	if c.Name == nil {
		in["name"] = c.ID
	}
	return `mutation($input: CreateContentPackageInput!) { createContentPackage(input: $input) { `, input{"input": in}
}

type packagesDelete struct{ deleting }

// Run deletes a package.
func (c *packagesDelete) Run(ctx context.Context, console console) error {
	return c.delete(ctx, console, "deleteContentPackage")
}
