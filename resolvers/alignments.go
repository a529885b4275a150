package resolvers

import (
	"cmp"
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

// maxThemes is the most themes of one list, maxNamedThemes the most that a request names, maxThemeVideos the most
// videos of which one theme shows all.
const (
	maxThemes      = 10_000
	maxNamedThemes = 1_000
	maxThemeVideos = catalogue.MaxVideosAtOnce
)

func (q query) Providers(ctx context.Context) ([]*graph.Provider, error) {
	providers, err := q.visibleProviders(ctx)
	return each(providers, shownProvider), err
}

func (q query) Provider(ctx context.Context, id string) (*graph.Provider, error) {
	providers, err := q.visibleProviders(ctx)
	i := slices.IndexFunc(providers, func(p *catalogue.Provider) bool { return string(p.ID) == id })
	if err != nil || i < 0 {
		return nil, err
	}
	return shownProvider(providers[i]), nil
}

// visibleProviders are those that the caller may know of, by name.
func (r *resolver) visibleProviders(ctx context.Context) ([]*catalogue.Provider, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	directory, err := r.directory(ctx)
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
		LogoURL: orNull(p.LogoURL), DefaultThemeLogoURL: orNull(p.DefaultThemeLogoURL), Hidden: p.Hidden, Links: model.ProviderLinks(p),
	}
}

// orNull is nil for what is "".
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (q query) Themes(ctx context.Context, slug *string, ids []string) ([]*graph.Theme, error) {
	if len(ids) > maxNamedThemes {
		return nil, fault.InvalidRequest("%d ids are more than the %d that one request may name", len(ids), maxNamedThemes)
	}
	providers, err := q.visibleProviders(ctx)
	if err != nil {
		return nil, err
	}
	if slug != nil {
		one := withSlug(providers, *slug)
		if one == nil {
			return nil, noSuch("provider", *slug)
		}
		providers = []*catalogue.Provider{one}
	}
	var themes []catalogue.OwnedItem
	if ids != nil {
		themes, err = q.catalogue.OwnedItems(ctx, catalogue.KindTheme, idsOf(ids))
	} else {
		themes, err = q.themesOf(ctx, providers)
	}
	if err != nil {
		return nil, err
	}
	return q.showThemes(ctx, themes, providers)
}

func withSlug(providers []*catalogue.Provider, slug string) *catalogue.Provider {
	for _, provider := range providers {
		if provider.Slug == slug {
			return provider
		}
	}
	return nil
}

// themesOf are the themes of these providers, in their order, then by title. Lists of themes have no pages: one that
// would be too long is refused, since whoever reads a part of it would take it for all.
func (r *resolver) themesOf(ctx context.Context, providers []*catalogue.Provider) ([]catalogue.OwnedItem, error) {
	of, err := r.themesByProvider(ctx)
	if err == nil && of == nil {
		of, err = r.readThemes(ctx, providers)
	}
	if err != nil {
		return nil, err
	}
	var themes []catalogue.OwnedItem
	for _, provider := range providers {
		themes = append(themes, of[provider.ID]...)
	}
	if len(themes) > maxThemes {
		return nil, fault.InvalidRequest("these are %d themes, one answer shows %d: ask for those of one provider, or for some by their ids", len(themes), maxThemes)
	}
	return themes, nil
}

// readThemes is themesByProvider for some providers, read from the store.
func (r *resolver) readThemes(ctx context.Context, providers []*catalogue.Provider) (map[catalogue.ID][]catalogue.OwnedItem, error) {
	owners := make([]catalogue.ID, len(providers))
	for i, provider := range providers {
		owners[i] = provider.ID
	}
	stored, err := r.catalogue.OwnedItemsOf(ctx, catalogue.KindTheme, owners)
	sortByTitle(stored)
	of := make(map[catalogue.ID][]catalogue.OwnedItem, len(owners))
	for _, record := range stored {
		of[record.Owner().ID] = append(of[record.Owner().ID], record)
	}
	return of, err
}

// Theme is the one theme, with its videos where they are asked for.
func (q query) Theme(ctx context.Context, slug, id string) (*graph.Theme, error) {
	providers, err := q.visibleProviders(ctx)
	if err != nil {
		return nil, err
	}
	provider := withSlug(providers, slug)
	if provider == nil {
		return nil, nil
	}
	stored, err := q.catalogue.OwnedItems(ctx, catalogue.KindTheme, []catalogue.ID{catalogue.ID(id)})
	if err != nil {
		return nil, err
	}
	themes, err := q.showThemes(ctx, stored, []*catalogue.Provider{provider})
	if err != nil || len(themes) == 0 {
		return nil, err
	}
	return themes[0], nil
}

// showThemes shows those of the themes that belong to one of the providers, with the videos that the caller
// may see.
func (r *resolver) showThemes(ctx context.Context, stored []catalogue.OwnedItem, providers []*catalogue.Provider) ([]*graph.Theme, error) {
	of := make(map[catalogue.ID]*catalogue.Provider, len(providers))
	for _, provider := range providers {
		of[provider.ID] = provider
	}
	stored = slices.DeleteFunc(stored, func(record catalogue.OwnedItem) bool { return of[record.Owner().ID] == nil })
	kept := r.themes.last.Load()
	visible, err := r.visibleVideos(ctx, kept.named(stored))
	if err != nil {
		return nil, err
	}
	videos := graphql.FieldRequested(ctx, "topics.targets.videos")
	references := videos || graphql.FieldRequested(ctx, "topics.targets.references")
	themes := make([]*graph.Theme, len(stored))
	for i, record := range stored {
		theme := record.(*catalogue.Theme)
		themes[i] = shownTheme(theme, of[theme.ProviderID])
		if !references {
			themes[i].Topics = kept.topicsFor(theme, visible)
		}
		if themes[i].Topics == nil {
			themes[i].Topics = visibleTopics(theme, visible)
		}
	}
	if videos {
		err = r.addThemeVideos(ctx, themes)
	}
	return themes, err
}

// videosOf are the videos that themes name, each once.
func videosOf(themes []catalogue.OwnedItem) []catalogue.ID {
	var ids []catalogue.ID
	for _, record := range themes {
		for _, topic := range record.(*catalogue.Theme).Topics {
			for _, target := range topic.Targets {
				ids = append(ids, target.VideoIDs...)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// visibleVideos are those of the videos that the caller may see.
func (r *resolver) visibleVideos(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]catalogue.Ref, error) {
	states, err := r.visibleStates(ctx, ids)
	visible := make(map[catalogue.ID]catalogue.Ref, len(states))
	for i := range states {
		visible[states[i].ID] = states[i].Ref
	}
	return visible, err
}

// visibleStates are the states of those of the videos that the caller may see, in their order.
func (r *resolver) visibleStates(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	caller, err := caller(ctx)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	states, err := r.catalogue.States(ctx, ids)
	today := r.today()
	return slices.DeleteFunc(states, func(s catalogue.State) bool { return !s.VisibleTo(caller.Access, today) }), err
}

// shownTheme shows all but the topics.
func shownTheme(t *catalogue.Theme, provider *catalogue.Provider) *graph.Theme {
	return &graph.Theme{
		ID: t.ID, Provider: provider.Name, Type: t.Type, Title: t.Title, LogoURL: orNull(cmp.Or(t.LogoURL, provider.DefaultThemeLogoURL)),
		Links: model.ThemeLinks(t, provider),
	}
}

// visibleTopics are those of a theme with the videos that are visible.
func visibleTopics(t *catalogue.Theme, visible map[catalogue.ID]catalogue.Ref) []*graph.ThemeTopic {
	room := maxThemeVideos // for videos that are shown as a whole
	return shownTopics(t, func(target catalogue.ThemeTarget) *graph.ThemeTarget { return shownTarget(target, visible, &room) })
}

// shownTopics are those of a theme by their index, each target as show makes it.
func shownTopics(t *catalogue.Theme, show func(catalogue.ThemeTarget) *graph.ThemeTarget) []*graph.ThemeTopic {
	topics := make([]*graph.ThemeTopic, len(t.Topics))
	for i, topic := range t.Topics {
		topics[i] = &graph.ThemeTopic{Index: topic.Index, Title: topic.Title, Targets: make([]*graph.ThemeTarget, len(topic.Targets))}
		for j, target := range topic.Targets {
			topics[i].Targets[j] = show(target)
		}
		slices.SortStableFunc(topics[i].Targets, func(a, b *graph.ThemeTarget) int { return cmp.Compare(a.Index, b.Index) })
	}
	slices.SortStableFunc(topics, func(a, b *graph.ThemeTopic) int { return cmp.Compare(a.Index, b.Index) })
	return topics
}

func shownTarget(target catalogue.ThemeTarget, visible map[catalogue.ID]catalogue.Ref, room *int) *graph.ThemeTarget {
	target.VideoIDs = slices.DeleteFunc(slices.Clone(target.VideoIDs), func(id catalogue.ID) bool { return visible[id].ID == "" })
	references := &model.References{}
	for _, id := range target.VideoIDs[:min(len(target.VideoIDs), *room)] {
		references.List = append(references.List, visible[id])
	}
	*room -= len(references.List)
	return &graph.ThemeTarget{
		Index: target.Index, Title: target.Title, VideoIds: append([]catalogue.ID{}, target.VideoIDs...),
		References: references, Videos: []*model.Video{},
	}
}

// addThemeVideos fills in the videos that targets refer to, all with one read.
func (r *resolver) addThemeVideos(ctx context.Context, themes []*graph.Theme) error {
	var ids []catalogue.ID
	eachTarget(themes, func(target *graph.ThemeTarget) {
		for _, ref := range target.References.List {
			ids = append(ids, ref.ID)
		}
	})
	slices.Sort(ids)
	videos, err := query{r}.VideosByID(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	byID := make(map[catalogue.ID]*model.Video, len(videos))
	for _, video := range videos {
		byID[video.ID()] = video
	}
	eachTarget(themes, func(target *graph.ThemeTarget) {
		for _, ref := range target.References.List {
			if video := byID[ref.ID]; video != nil {
				target.Videos = append(target.Videos, video)
			}
		}
	})
	return nil
}

func eachTarget(themes []*graph.Theme, do func(*graph.ThemeTarget)) {
	for _, theme := range themes {
		for _, topic := range theme.Topics {
			for _, target := range topic.Targets {
				do(target)
			}
		}
	}
}
