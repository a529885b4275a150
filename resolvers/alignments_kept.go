package resolvers

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/store"
)

// keptThemes remembers all themes, which change rarely and are asked for as a whole, for as long as the
// store has as many, and none that is newer. What it hands out is shared.
type keptThemes struct{ last atomic.Pointer[themesAt] }

// themesAt are themes as they stood at a version.
type themesAt struct {
	count  int
	newest store.Position
	// of are the themes of each provider, by title.
	of map[catalogue.ID][]catalogue.OwnedItem
	// whole are the same by reference, videos all that they name, sorted, each once.
	whole  map[catalogue.Ref]*wholeTheme
	videos []catalogue.ID
}

// wholeTheme is a theme as whoever sees all of its videos is shown it. It is shared.
type wholeTheme struct {
	// topics lack what references are for.
	topics []*graph.ThemeTopic
	// videos are those that it names, sorted, each once.
	videos []catalogue.ID
}

// mostKeptThemes bounds what is remembered, in bytes: those of the texts and, about, of what holds them.
const mostKeptThemes = 32 << 20

// themesByProvider are the themes of each provider, by title. It is nil where there are too many to remember.
func (r *resolver) themesByProvider(ctx context.Context) (map[catalogue.ID][]catalogue.OwnedItem, error) {
	count, newest, err := r.catalogue.CountOwnedItems(ctx, catalogue.KindTheme)
	if err != nil || count > maxThemes {
		return nil, err
	}
	if last := r.themes.last.Load(); last != nil && last.count == count && last.newest == newest {
		return last.of, nil
	}
	stored, err := r.catalogue.OwnedItemsSince(ctx, catalogue.KindTheme, 0, maxThemes+1)
	if err != nil || len(stored) > maxThemes {
		return nil, err
	}
	if sizeOf(stored) > mostKeptThemes { // they need not be read again to learn that
		r.themes.last.Store(&themesAt{count: count, newest: newest})
		return nil, nil
	}
	sortByTitle(stored)
	read := &themesAt{
		count: count, newest: newest, of: map[catalogue.ID][]catalogue.OwnedItem{},
		whole: make(map[catalogue.Ref]*wholeTheme, len(stored)), videos: videosOf(stored),
	}
	for _, record := range stored {
		owner := record.Owner().ID
		read.of[owner] = append(read.of[owner], record)
		read.whole[record.Head().Ref()] = newWholeTheme(record.(*catalogue.Theme))
	}
	r.themes.last.Store(read)
	return read.of, nil
}

func newWholeTheme(theme *catalogue.Theme) *wholeTheme {
	topics := shownTopics(theme, func(target catalogue.ThemeTarget) *graph.ThemeTarget {
		return &graph.ThemeTarget{
			Index: target.Index, Title: target.Title, VideoIds: append([]catalogue.ID{}, target.VideoIDs...),
			References: &model.References{}, Videos: []*model.Video{},
		}
	})
	return &wholeTheme{topics: topics, videos: videosOf([]catalogue.OwnedItem{theme})}
}

// named are the videos that themes name, sorted, each once. Where the themes are most of those that are remembered, they
// are the videos of all of these, which saves putting them together.
func (at *themesAt) named(themes []catalogue.OwnedItem) []catalogue.ID {
	if at == nil || 2*len(themes) <= len(at.whole) {
		return videosOf(themes)
	}
	for _, record := range themes {
		if at.whole[record.Head().Ref()] == nil {
			return videosOf(themes)
		}
	}
	return at.videos
}

// topicsFor are those of a theme for a caller who sees these videos; nil: the caller does not see all of its videos, or
// it is not remembered.
func (at *themesAt) topicsFor(theme *catalogue.Theme, visible map[catalogue.ID]catalogue.Ref) []*graph.ThemeTopic {
	if at == nil {
		return nil
	}
	whole := at.whole[theme.Ref()]
	if whole == nil || slices.ContainsFunc(whole.videos, func(id catalogue.ID) bool { return visible[id].ID == "" }) {
		return nil
	}
	return whole.topics
}

// sizeOf is about how many bytes it takes to remember themes, in both of their forms.
func sizeOf(themes []catalogue.OwnedItem) (size int) {
	const ofTheme, ofTopic, ofTarget, ofVideo = 1_000, 200, 300, 120
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

// sortByTitle orders themes by title, then by ID.
func sortByTitle(themes []catalogue.OwnedItem) {
	folded := make(map[catalogue.OwnedItem]string, len(themes))
	for _, record := range themes {
		folded[record] = catalogue.FoldName(record.(*catalogue.Theme).Title)
	}
	slices.SortFunc(themes, func(a, b catalogue.OwnedItem) int {
		return cmp.Or(strings.Compare(folded[a], folded[b]), strings.Compare(string(a.Head().ID), string(b.Head().ID)))
	})
}
