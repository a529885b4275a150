package main

import "context"

type packagesCommand struct {
	List   listing[packagesKind]  `cmd:"" help:"List the content packages."`
	Show   showing[packagesKind]  `cmd:"" set:"record=content package" help:"Show a content package."`
	Put    packagesPut            `cmd:"" help:"Add a content package, or change the one with its id."`
	Delete deleting[packagesKind] `cmd:"" help:"Delete a content package that no account has."`
}

var packages = records{
	kind: "ContentPackage", name: "content package", columns: "id name updatedAt",
	all: "id name rules { type values } createdAt updatedAt version",
}

type packagesKind struct{}

func (packagesKind) records() records { return packages }

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
	there, err := c.ask(ctx, `query($id: String!) { contentPackage(id: $id) { id } }`, input{"id": c.ID})
	if err != nil {
		return err
	}
	ask := c.ask
	if c.Rules != nil {
		ask = c.askNaming
	}
	if string(there) != "null" || c.IfVersion != nil {
		return c.update(ctx, console, ask, packages, c.ID, c.IfVersion, in)
	}
	in["id"] = c.ID
	if c.Name == nil {
		in["name"] = c.ID
	}
	return c.create(ctx, console, ask, packages, in)
}
