package resolvers

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/store"
)

func (q query) Tiers(ctx context.Context, first int, after *string) (*graph.TierConnection, error) {
	nodes, info, err := shownPage(ctx, q.resolver, account.KindTier, nil, first, after, shownTier)
	return &graph.TierConnection{Nodes: nodes, PageInfo: info}, err
}

func (q query) Tier(ctx context.Context, id string) (*graph.Tier, error) {
	return shownRecord(ctx, q.resolver, tierKey(id), shownTier)
}

func tierKey(id string) account.EntityKey { return account.EntityKey{Kind: account.KindTier, ID: id} }

func (m mutation) PutTier(ctx context.Context, input graph.TierInput, version *int) (*graph.Tier, error) {
	features, err := featuresOf(input.Features)
	if err != nil {
		return nil, err
	}
	var tier *account.Tier
	err = m.edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		tier = &account.Tier{ID: input.ID, Name: input.Name, Roles: input.Roles, Features: features}
		if err := takeOver(ctx, tx, tier, version); err != nil {
			return err
		}
		return tx.Put(ctx, tier)
	})
	if err != nil {
		return nil, err
	}
	return shownTier(tier), nil
}

// takeOver lets a record replace the one with its key, where there is one. A version that is given must
// be that of the record, 0 where there is none.
func takeOver(ctx context.Context, tx store.RegistryTx, record account.Entity, version *int) error {
	found, err := tx.Entity(ctx, record.Key())
	if err != nil {
		return err
	}
	if found != nil {
		*record.Head() = *found.Head()
	}
	return checkVersion(record, version)
}

func featuresOf(inputs []*graph.FeatureInput) (map[string]bool, error) {
	features := map[string]bool{}
	for i, input := range inputs {
		if _, twice := features[input.Name]; twice {
			return nil, invalidField(fmt.Sprintf("features[%d].name", i), "%q is there already", catalogue.Shorten(input.Name))
		}
		features[input.Name] = input.Enabled
	}
	if len(features) == 0 {
		return nil, nil
	}
	return features, nil
}

func (m mutation) DeleteTier(ctx context.Context, id string, version *int) (string, error) {
	return id, m.remove(ctx, tierKey(id), version)
}

func shownTier(t *account.Tier) *graph.Tier {
	shown := &graph.Tier{
		ID: t.ID, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, Version: int(t.Version),
		Name: t.Name, Roles: list(t.Roles), Features: []*graph.Feature{},
	}
	for name, enabled := range t.Features {
		shown.Features = append(shown.Features, &graph.Feature{Name: name, Enabled: enabled})
	}
	slices.SortFunc(shown.Features, func(a, b *graph.Feature) int { return cmp.Compare(a.Name, b.Name) })
	return shown
}
