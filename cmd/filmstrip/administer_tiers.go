package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

type tiersCommand struct {
	List   tiersList   `cmd:"" help:"List the tiers."`
	Show   tiersShow   `cmd:"" help:"Show a tier."`
	Put    tiersPut    `cmd:"" help:"Add a tier, or replace the one with its id."`
	Delete tiersDelete `cmd:"" help:"Delete a tier that no account has."`
}

var tiers = records{
	field: "tiers", columns: "id name roles",
	all: "id name roles features { name enabled } createdAt updatedAt version",
}

type tiersList struct{ administration }

// Run lists all tiers.
func (c *tiersList) Run(ctx context.Context, console console) error {
	return c.list(ctx, console, tiers, input{})
}

type tiersShow struct {
	administration
	ID string `arg:"" name:"id" help:"The tier."`
}

// Run shows one tier.
func (c *tiersShow) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `query($id: String!) { tier(id: $id) { `+tiers.all+` } }`, input{"id": c.ID})
	if answer, err = existing(answer, err, "tier", c.ID); err != nil {
		return err
	}
	return c.print(console, answer)
}

type tiersPut struct {
	administration
	ID        string          `arg:"" name:"id" help:"The tier."`
	Name      string          `help:"The name; defaults to the id."`
	Roles     []string        `help:"The roles of its accounts, such as VIEW_VIDEOS."`
	Features  map[string]bool `mapsep:"," help:"Features to turn on or off, such as LEARNING_MATERIAL=true."`
	IfVersion *int            `help:"Change nothing if the tier has another version; 0 means that the tier must be new."`
}

// Run adds or replaces a tier and shows it.
func (c *tiersPut) Run(ctx context.Context, console console) error {
	features := []input{}
	for _, name := range slices.Sorted(maps.Keys(c.Features)) {
		features = append(features, input{"name": name, "enabled": c.Features[name]})
	}
	in := input{"id": c.ID, "name": cmp.Or(c.Name, c.ID), "roles": append([]string{}, c.Roles...), "features": features}
	answer, err := c.ask(ctx, `mutation($input: TierInput!, $version: Int) {
		putTier(input: $input, version: $version) { `+tiers.all+` } }`, input{"input": in, "version": c.IfVersion})
	if err != nil {
		return err
	}
	return c.print(console, answer)
}

type tiersDelete struct{ deleting }

// Run deletes a tier.
func (c *tiersDelete) Run(ctx context.Context, console console) error {
	return c.delete(ctx, console, "deleteTier")
}
