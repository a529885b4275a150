package resolvers

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
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
	of map[catalogue.ID][]catalogue.Record
}

// mostKeptTargets bounds what is remembered, in targets and the videos that they name.
const mostKeptTargets = 200_000

// themesByProvider are the themes of each provider, by title. It is nil where there are too many to remember.
func (r *resolver) themesByProvider(ctx context.Context) (map[catalogue.ID][]catalogue.Record, error) {
	count, newest, err := r.catalogue.CountRecords(ctx, catalogue.KindTheme)
	if err != nil || count > maxThemes {
		return nil, err
	}
	if last := r.themes.last.Load(); last != nil && last.count == count && last.newest == newest {
		return last.of, nil
	}
	stored, err := r.catalogue.RecordsSince(ctx, catalogue.KindTheme, 0, maxThemes+1)
	if err != nil || len(stored) > maxThemes || sizeOf(stored) > mostKeptTargets {
		return nil, err
	}
	sortByTitle(stored)
	read := &themesAt{count: count, newest: newest, of: map[catalogue.ID][]catalogue.Record{}}
	for _, record := range stored {
		owner := record.Owner().ID
		read.of[owner] = append(read.of[owner], record)
	}
	r.themes.last.Store(read)
	return read.of, nil
}

func sizeOf(themes []catalogue.Record) (size int) {
	for _, record := range themes {
		for _, topic := range record.(*catalogue.Theme).Topics {
			for _, target := range topic.Targets {
				size += 1 + len(target.VideoIDs)
			}
		}
	}
	return size
}

// sortByTitle orders themes by title, then by ID.
func sortByTitle(themes []catalogue.Record) {
	folded := make(map[catalogue.Record]string, len(themes))
	for _, record := range themes {
		folded[record] = catalogue.FoldName(record.(*catalogue.Theme).Title)
	}
	slices.SortFunc(themes, func(a, b catalogue.Record) int {
		return cmp.Or(strings.Compare(folded[a], folded[b]), strings.Compare(string(a.Head().ID), string(b.Head().ID)))
	})
}
