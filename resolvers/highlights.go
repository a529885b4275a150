package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/search"
)

const (
	maxHighlights = 500
	// highlightVideos is of how many videos pieces are looked at: the best that the index finds.
	highlightVideos = 100
)

func (q query) Highlights(ctx context.Context, text string, threshold float64, size int, levels, channels []string, subtypes []catalogue.Subtype, maxOverlap *float64, hyperRelevance bool) ([]*graph.Highlight, error) {
	if err := checkHighlights(threshold, size, maxOverlap); err != nil {
		return nil, err
	}
	parsed, err := q.parseText(text)
	if err != nil {
		return nil, err
	}
	if parsed.Blank() {
		return nil, fault.InvalidRequest("query is required: %q has no letter, no digit and no emoji", text)
	}
	videos, err := q.highlightVideos(ctx, parsed, &graph.VideoFilter{EducationLevels: levels, Channels: channels, Subtypes: subtypes})
	if err != nil {
		return nil, err
	}
	pieces, err := q.piecesOf(ctx, videos)
	if err != nil {
		return nil, err
	}
	asked := q.questionOf(parsed)
	if pieces, err = asked.score(ctx, pieces, threshold); err != nil {
		return nil, err
	}
	if hyperRelevance {
		if err := q.startWhereSpoken(ctx, asked, pieces, videos); err != nil {
			return nil, err
		}
	}
	return q.showPieces(ctx, best(pieces, size, maxOverlap), true)
}

func checkHighlights(threshold float64, size int, maxOverlap *float64) error {
	isShare := func(share float64) bool { return share >= 0 && share <= 1 } // which is false for what is no number
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

// highlightVideos finds the videos whose pieces are looked at, the best first.
func (r *resolver) highlightVideos(ctx context.Context, text search.Text, asked *graph.VideoFilter) ([]catalogue.State, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	directory, err := r.directory(ctx)
	if err != nil {
		return nil, err
	}
	query := search.Query{Text: text, Access: caller.Access, Today: r.today(), Size: highlightVideos}
	if query.Filter, err = r.filter(ctx, asked, caller.Access, directory); err != nil {
		return nil, err
	}
	found, err := r.find(ctx, query)
	if err != nil {
		return nil, err
	}
	ids := make([]catalogue.ID, len(found.Refs))
	for i, ref := range found.Refs {
		ids[i] = ref.ID
	}
	return r.visibleStates(ctx, ids)
}

// Highlight is a stored one, or a passage that Highlights showed.
func (q query) Highlight(ctx context.Context, id string) (*graph.Highlight, error) {
	one, err := q.storedPiece(ctx, catalogue.ID(id))
	if one == nil && err == nil {
		one, err = q.passage(ctx, id)
	}
	if err != nil || one == nil {
		return nil, err
	}
	list, err := q.showPieces(ctx, []*piece{one}, false)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// showPieces reads the videos of pieces, all at once, and leaves out those of videos that are not seen.
func (r *resolver) showPieces(ctx context.Context, pieces []*piece, scored bool) ([]*graph.Highlight, error) {
	ids := make([]catalogue.ID, len(pieces))
	for i, p := range pieces {
		ids[i] = p.video
	}
	slices.Sort(ids)
	videos, err := query{r}.VideosByID(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	byID := make(map[catalogue.ID]*model.Video, len(videos))
	for _, video := range videos {
		byID[video.ID()] = video
	}
	list := make([]*graph.Highlight, 0, len(pieces))
	for _, p := range pieces {
		if video := byID[p.video]; video != nil {
			list = append(list, shownPiece(p, video, scored))
		}
	}
	return list, nil
}

func shownPiece(p *piece, video *model.Video, scored bool) *graph.Highlight {
	highlight := &graph.Highlight{
		ID: p.id, VideoID: p.video, Title: p.title, Caption: p.caption,
		StartTime: p.start.Seconds(), EndTime: p.end.Seconds(), Duration: (p.end - p.start).Seconds(),
		CreatedBy: video.CreatedBy(), ContentCategories: p.categories, Links: model.HighlightLinks(p.id, p.video),
	}
	if highlight.Title == "" {
		highlight.Title = video.Title()
	}
	if len(p.categories) == 0 {
		highlight.ContentCategories = video.ContentCategories()
	}
	if scored {
		highlight.Score = &p.score
	}
	return highlight
}
