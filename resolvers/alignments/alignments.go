// Package alignments shows providers and their themes, which align videos with textbooks and curricula.
package alignments

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	videos "github.com/filmstrip/filmstrip/resolvers/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// maxThemes is the most themes of one list.
	maxThemes = 10_000
	// maxNamedThemes is the most themes that a request names.
	maxNamedThemes = 1_000
)

// Resolver resolves the fields about providers and themes.
type Resolver struct {
	store  store.Catalogue
	videos *videos.Resolver
	cache  cache
}

// New makes a resolver.
func New(of store.Catalogue, visible *videos.Resolver) *Resolver {
	return &Resolver{store: of, videos: visible}
}

func (r *Resolver) Providers(ctx context.Context) ([]*graph.Provider, error) {
	providers, err := r.visibleProviders(ctx)
	return values.Map(providers, shownProvider), err
}

func (r *Resolver) Provider(ctx context.Context, id string) (*graph.Provider, error) {
	providers, err := r.visibleProviders(ctx)
	i := slices.IndexFunc(providers, func(p *catalogue.Provider) bool { return string(p.ID) == id })
	if err != nil || i < 0 {
		return nil, err
	}
	return shownProvider(providers[i]), nil
}

// visibleProviders returns the providers that the caller sees, by name. Only operators see hidden ones.
func (r *Resolver) visibleProviders(ctx context.Context) ([]*catalogue.Provider, error) {
	caller, directory, err := r.videos.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	if caller.Permissions.Has(account.Operate) {
		return directory.Providers, nil
	}
	return slices.DeleteFunc(slices.Clone(directory.Providers), func(p *catalogue.Provider) bool { return p.Hidden }), nil
}

func shownProvider(p *catalogue.Provider) *graph.Provider {
	return &graph.Provider{
		ID: p.ID, Name: p.Name, NavigationPath: p.Slug, Types: append([]string{}, p.Types...), Description: p.Description,
		LogoURL: values.OrNil(p.LogoURL), DefaultThemeLogoURL: values.OrNil(p.DefaultThemeLogoURL), Hidden: p.Hidden, Links: model.ProviderLinks(p),
	}
}

func (r *Resolver) Themes(ctx context.Context, slug *string, ids []string) ([]*graph.Theme, error) {
	if len(ids) > maxNamedThemes {
		return nil, fault.InvalidRequest("%d ids are more than the %d that one request may name", len(ids), maxNamedThemes)
	}
	providers, err := r.visibleProviders(ctx)
	if err != nil {
		return nil, err
	}
	if slug != nil {
		one := withSlug(providers, *slug)
		if one == nil {
			return nil, inputs.NotFound("provider", *slug)
		}
		providers = []*catalogue.Provider{one}
	}
	var themes []catalogue.OwnedItem
	if ids != nil {
		themes, err = r.store.OwnedItems(ctx, catalogue.KindTheme, values.IDs(ids))
	} else {
		themes, err = r.themesOf(ctx, providers)
	}
	if err != nil {
		return nil, err
	}
	return r.showThemes(ctx, themes, providers)
}

func withSlug(providers []*catalogue.Provider, slug string) *catalogue.Provider {
	i := slices.IndexFunc(providers, func(p *catalogue.Provider) bool { return p.Slug == slug })
	if i < 0 {
		return nil
	}
	return providers[i]
}

// Theme returns one theme, with its videos if the operation selects them.
func (r *Resolver) Theme(ctx context.Context, slug, id string) (*graph.Theme, error) {
	providers, err := r.visibleProviders(ctx)
	if err != nil {
		return nil, err
	}
	provider := withSlug(providers, slug)
	if provider == nil {
		return nil, nil
	}
	stored, err := r.store.OwnedItems(ctx, catalogue.KindTheme, []catalogue.ID{catalogue.ID(id)})
	if err != nil {
		return nil, err
	}
	themes, err := r.showThemes(ctx, stored, []*catalogue.Provider{provider})
	if err != nil || len(themes) == 0 {
		return nil, err
	}
	return themes[0], nil
}

// showThemes shows those of the themes that belong to one of the providers, with the videos that the caller sees.
func (r *Resolver) showThemes(ctx context.Context, stored []catalogue.OwnedItem, providers []*catalogue.Provider) ([]*graph.Theme, error) {
	of := make(map[catalogue.ID]*catalogue.Provider, len(providers))
	for _, provider := range providers {
		of[provider.ID] = provider
	}
	stored = slices.DeleteFunc(stored, func(record catalogue.OwnedItem) bool { return of[record.Owner().ID] == nil })
	shown, err := r.visibleIn(ctx, stored)
	if err != nil {
		return nil, err
	}
	return values.Map(stored, func(record catalogue.OwnedItem) *graph.Theme {
		theme := record.(*catalogue.Theme)
		provider := of[theme.ProviderID]
		return &graph.Theme{
			ID: theme.ID, Provider: provider.Name, Type: theme.Type, Title: theme.Title,
			LogoURL: values.OrNil(cmp.Or(theme.LogoURL, provider.DefaultThemeLogoURL)),
			Topics:  shown.topics(theme), Links: model.ThemeLinks(theme, provider),
		}
	}), nil
}
