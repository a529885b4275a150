// Package highlights finds parts of videos that match a query: stored highlights, and passages of the captions of videos
// that have no highlights.
package highlights

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	videos "github.com/filmstrip/filmstrip/resolvers/catalogue"
	searches "github.com/filmstrip/filmstrip/resolvers/search"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/highlight"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// maxHighlights is the most highlights of an answer.
	maxHighlights = 500
	// searchedVideos is the number of videos whose pieces are scored: the best that the index finds.
	searchedVideos = 100
)

// Resolver resolves the fields about highlights.
type Resolver struct {
	store    store.Catalogue
	videos   *videos.Resolver
	searches *searches.Resolver
	analyzer *analysis.Analyzer
}

// New makes a resolver.
func New(of store.Catalogue, visible *videos.Resolver, searcher *searches.Resolver, analyzer *analysis.Analyzer) *Resolver {
	return &Resolver{store: of, videos: visible, searches: searcher, analyzer: analyzer}
}

func (r *Resolver) Highlights(ctx context.Context, text string, threshold float64, size int, levels, channels []string, subtypes []catalogue.Subtype, maxOverlap *float64, hyperRelevance bool) ([]*graph.Highlight, error) {
	if err := check(threshold, size, maxOverlap); err != nil {
		return nil, err
	}
	parsed, err := r.searches.ParseText(text)
	if err != nil {
		return nil, err
	}
	if parsed.Blank() {
		return nil, fault.InvalidRequest("query is required: %q has no letter, no digit and no emoji", text)
	}
	found, err := r.findVideos(ctx, parsed, &graph.VideoFilter{EducationLevels: levels, Channels: channels, Subtypes: subtypes})
	if err != nil {
		return nil, err
	}
	pieces, err := r.piecesOf(ctx, found)
	if err != nil {
		return nil, err
	}
	question := highlight.NewQuestion(r.analyzer, parsed)
	if pieces, err = question.Score(ctx, pieces, threshold); err != nil {
		return nil, err
	}
	if hyperRelevance {
		if err := r.startWhereSpoken(ctx, question, pieces, found); err != nil {
			return nil, err
		}
	}
	return r.show(ctx, highlight.Best(pieces, size, maxOverlap), true)
}

func check(threshold float64, size int, maxOverlap *float64) error {
	isShare := func(share float64) bool { return share >= 0 && share <= 1 } // false for NaN
	switch {
	case !isShare(threshold):
		return fault.InvalidRequest("threshold %v is not between 0 and 1", threshold)
	case size < 1 || size > maxHighlights:
		return fault.InvalidRequest("size %d is not between 1 and %d", size, maxHighlights)
	case maxOverlap != nil && !isShare(*maxOverlap):
		return fault.InvalidRequest("maxOverlap %v is not between 0 and 1", *maxOverlap)
	}
	return nil
}

// findVideos finds the best videos for a text.
func (r *Resolver) findVideos(ctx context.Context, text search.Text, filter *graph.VideoFilter) ([]catalogue.State, error) {
	caller, directory, err := r.videos.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	query := search.Query{Text: text, Access: caller.Access, Today: r.videos.Today(), Size: searchedVideos}
	if query.Filter, err = r.searches.Filter(ctx, filter, caller.Access, directory); err != nil {
		return nil, err
	}
	found, err := r.searches.Find(ctx, query)
	if err != nil {
		return nil, err
	}
	return r.videos.VisibleStates(ctx, values.Map(found.Refs, func(ref catalogue.Ref) catalogue.ID { return ref.ID }))
}

// Highlight returns a stored highlight, or a passage by the ID that Highlights showed.
func (r *Resolver) Highlight(ctx context.Context, id string) (*graph.Highlight, error) {
	one, err := r.storedPiece(ctx, catalogue.ID(id))
	if one == nil && err == nil {
		one, err = r.passage(ctx, id)
	}
	if err != nil || one == nil {
		return nil, err
	}
	list, err := r.show(ctx, []*highlight.Piece{one}, false)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// show reads the videos of pieces in one call, and leaves out pieces of hidden videos.
func (r *Resolver) show(ctx context.Context, pieces []*highlight.Piece, scored bool) ([]*graph.Highlight, error) {
	ids := values.Map(pieces, func(p *highlight.Piece) catalogue.ID { return p.Video })
	slices.Sort(ids)
	loaded, err := r.videos.VideosByID(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	byID := make(map[catalogue.ID]*model.Video, len(loaded))
	for _, video := range loaded {
		byID[video.ID] = video
	}
	list := make([]*graph.Highlight, 0, len(pieces))
	for _, p := range pieces {
		if video := byID[p.Video]; video != nil {
			list = append(list, show(p, video, scored))
		}
	}
	return list, nil
}

func show(p *highlight.Piece, video *model.Video, scored bool) *graph.Highlight {
	shown := &graph.Highlight{
		ID: p.ID, VideoID: p.Video, Title: p.Title, Caption: p.Caption,
		StartTime: p.Start.Seconds(), EndTime: p.End.Seconds(), Duration: (p.End - p.Start).Seconds(),
		CreatedBy: video.CreatedBy(), ContentCategories: p.Categories, Links: model.HighlightLinks(p.ID, p.Video),
	}
	if shown.Title == "" {
		shown.Title = video.Title
	}
	if len(p.Categories) == 0 {
		shown.ContentCategories = video.ContentCategories
	}
	if scored {
		shown.Score = &p.Score
	}
	return shown
}
