package search

import (
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/search"
)

// maxSimilar is the most videos that a caller may ask for.
const maxSimilar = 100

// SimilarVideos finds the videos that the caller may see and that are most like a video: by the vectors of the video if it
// has any, and otherwise by the words of its title and keywords. It returns nil if the caller cannot see the video.
func (r *Resolver) SimilarVideos(ctx context.Context, videoID string, size int) (*model.VideoSearch, error) {
	if size < 1 || size > maxSimilar {
		return nil, fault.InvalidRequest("size %d is not between 1 and %d", size, maxSimilar)
	}
	caller, _, err := r.Videos.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	video, err := r.Videos.Video(ctx, videoID, nil)
	if err != nil || video == nil {
		return nil, err
	}
	query := search.Query{Access: caller.Access, Today: r.today(), Size: size + 1} // the video itself is among the results
	if query.Meaning, err = r.meaningOfVideo(ctx, video.ID); err != nil {
		return nil, err
	}
	if query.Meaning == nil {
		r.describe(&query, video)
	}
	result, err := r.Index.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(result.Refs), func(ref catalogue.Ref) bool { return ref.ID == video.ID })
	others = others[:min(size, len(others))]
	return &model.VideoSearch{References: &model.References{List: others}, Total: len(others), Size: size, Facets: &model.Facets{}}, nil
}

// meaningOfVideo returns the mean of a video's vectors, or nil if it has none.
func (r *Resolver) meaningOfVideo(ctx context.Context, id catalogue.ID) (*search.Meaning, error) {
	if r.Meanings == nil {
		return nil, nil
	}
	stored, err := r.Catalogue.OwnedItems(ctx, catalogue.KindEmbedding, []catalogue.ID{id})
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	return r.Meanings.MeaningOf(stored[0].(*catalogue.Embedding)), nil
}

// describe makes a query ask for any word of a video's title and keywords.
func (r *Resolver) describe(query *search.Query, video *model.Video) {
	words := strings.Join(append([]string{video.Title}, video.Keywords...), " ")
	query.Text = search.Text{Words: strings.ReplaceAll(words, `"`, " ")}
	query.Level = search.MatchLevel{OptionalWords: max(0, len(r.Analyzer.Query(query.Text.Words))-1)}
}
