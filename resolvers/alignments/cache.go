package alignments

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// cache holds all themes as the store last had them. Themes change rarely and are asked for all at once; the cache saves
// reading, decoding and sorting them.
type cache struct{ last atomic.Pointer[cached] }

type cached struct {
	// count and newest identify a state of the store.
	count  int
	newest store.Position
	// themes holds the themes of each provider, by title. It is nil if they are too large to keep.
	themes byProvider
}

type byProvider map[catalogue.ID][]catalogue.OwnedItem

// maxCached is the most memory for themes, in bytes: that of their texts and, approximately, of the values that hold
// them.
const maxCached = 32 << 20

// themesOf returns the themes of providers in their order, then by title. Lists of themes have no pages, so one that is
// too long is refused.
func (r *Resolver) themesOf(ctx context.Context, providers []*catalogue.Provider) ([]catalogue.OwnedItem, error) {
	of, err := r.cachedThemes(ctx)
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
		return nil, fault.InvalidRequest("%d themes match, one answer shows at most %d: ask for the themes of one provider, or name themes by id", len(themes), maxThemes)
	}
	return themes, nil
}

// readThemes reads the themes of providers from the store.
func (r *Resolver) readThemes(ctx context.Context, providers []*catalogue.Provider) (byProvider, error) {
	owners := values.Map(providers, func(provider *catalogue.Provider) catalogue.ID { return provider.ID })
	stored, err := r.store.OwnedItemsOf(ctx, catalogue.KindTheme, owners)
	return sorted(stored), err
}

// cachedThemes returns the themes of all providers, or nil if there are too many to keep.
func (r *Resolver) cachedThemes(ctx context.Context) (byProvider, error) {
	count, newest, err := r.store.CountOwnedItems(ctx, catalogue.KindTheme)
	if err != nil || count > maxThemes {
		return nil, err
	}
	if last := r.cache.last.Load(); last != nil && last.count == count && last.newest == newest {
		return last.themes, nil
	}
	stored, err := r.store.OwnedItemsSince(ctx, catalogue.KindTheme, 0, maxThemes+1)
	if err != nil || len(stored) > maxThemes {
		return nil, err
	}
	read := &cached{count: count, newest: newest}
	if sizeOf(stored) <= maxCached {
		read.themes = sorted(stored)
	}
	r.cache.last.Store(read)
	return read.themes, nil
}

// sizeOf estimates the memory that themes take, in bytes.
func sizeOf(themes []catalogue.OwnedItem) (size int) {
	const ofTheme, ofTopic, ofTarget, ofVideo = 500, 100, 150, 60
	for _, record := range themes {
		theme := record.(*catalogue.Theme)
		size += ofTheme + len(theme.Title) + len(theme.LogoURL) + len(theme.Type)
		for _, topic := range theme.Topics {
			size += ofTopic + len(topic.Title)
			for _, target := range topic.Targets {
				size += ofTarget + len(target.Title) + ofVideo*len(target.VideoIDs)
			}
		}
	}
	return size
}

// sorted groups themes by provider and sorts them by title, then by ID.
func sorted(themes []catalogue.OwnedItem) byProvider {
	folded := make(map[catalogue.OwnedItem]string, len(themes))
	for _, record := range themes {
		folded[record] = catalogue.FoldName(record.(*catalogue.Theme).Title)
	}
	slices.SortFunc(themes, func(a, b catalogue.OwnedItem) int {
		return cmp.Or(strings.Compare(folded[a], folded[b]), strings.Compare(string(a.Head().ID), string(b.Head().ID)))
	})
	of := byProvider{}
	for _, record := range themes {
		of[record.Owner().ID] = append(of[record.Owner().ID], record)
	}
	return of
}
