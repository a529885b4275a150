package accounts

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

func (r *Resolver) Tiers(ctx context.Context, first int, after *string) (*graph.TierConnection, error) {
	nodes, info, err := registry.Page(ctx, r.Registry, registry.Query{Kind: account.KindTier}, first, after, nil, shownTier)
	return &graph.TierConnection{Nodes: nodes, PageInfo: info}, err
}

func (r *Resolver) Tier(ctx context.Context, id string) (*graph.Tier, error) {
	return registry.View(ctx, r.Registry, account.KindTier.Key(id), shownTier)
}

func (r *Resolver) PutTier(ctx context.Context, input graph.TierInput, version *int) (*graph.Tier, error) {
	features, err := featuresOf(input.Features)
	if err != nil {
		return nil, err
	}
	create := func() *account.Tier { return &account.Tier{ID: input.ID} }
	tier, err := registry.Put(ctx, r.Registry, version, create, func(_ context.Context, _ store.RegistryTx, tier *account.Tier) error {
		tier.Name, tier.Roles, tier.Features = input.Name, input.Roles, features
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shownTier(tier), nil
}

func featuresOf(list []*graph.FeatureInput) (map[string]bool, error) {
	features := map[string]bool{}
	for i, input := range list {
		if _, twice := features[input.Name]; twice {
			return nil, inputs.Invalid(fmt.Sprintf("features[%d].name", i), "%q occurs twice", fault.Shorten(input.Name))
		}
		features[input.Name] = input.Enabled
	}
	if len(features) == 0 {
		return nil, nil
	}
	return features, nil
}

func (r *Resolver) DeleteTier(ctx context.Context, id string, version *int) (string, error) {
	return id, r.Registry.Remove(ctx, account.KindTier.Key(id), version)
}

func shownTier(t *account.Tier) *graph.Tier {
	shown := &graph.Tier{
		ID: t.ID, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, Version: int(t.Version),
		Name: t.Name, Roles: values.List(t.Roles), Features: []*graph.Feature{},
	}
	for name, enabled := range t.Features {
		shown.Features = append(shown.Features, &graph.Feature{Name: name, Enabled: enabled})
	}
	slices.SortFunc(shown.Features, func(a, b *graph.Feature) int { return cmp.Compare(a.Name, b.Name) })
	return shown
}
