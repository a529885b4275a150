package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

type tiersCommand struct {
	List   listing[tiersKind]  `cmd:"" help:"List the tiers."`
	Show   showing[tiersKind]  `cmd:"" set:"record=tier" help:"Show a tier."`
	Put    tiersPut            `cmd:"" help:"Add a tier, or replace the one with its id."`
	Delete deleting[tiersKind] `cmd:"" help:"Delete a tier that no account has."`
}

var tiers = records{
	kind: "Tier", name: "tier", columns: "id name roles",
	all: "id name roles features { name enabled } createdAt updatedAt version",
}

type tiersKind struct{}

func (tiersKind) records() records { return tiers }

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
	return c.show(ctx, console, c.ask, `mutation($input: TierInput!, $version: Int) {
		putTier(input: $input, version: $version) { `+tiers.all+` } }`, input{"input": in, "version": c.IfVersion})
}
