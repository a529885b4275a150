package search

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

// FoundIDs returns the IDs of all videos that SearchVideos finds. The error has the code Invalid if there are more than
// most, which is at most 10,000.
func (r *Resolver) FoundIDs(ctx context.Context, text *string, filter *graph.VideoFilter, most int) (ids []catalogue.ID, err error) {
	caller, directory, err := r.Videos.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	query, err := r.searchOf(ctx, caller, directory, text, filter)
	if err != nil {
		return nil, err
	}
	query.ByReleaseDate, query.Size = true, catalogue.MaxSearchSize
	for {
		result, err := r.Find(ctx, query)
		if err != nil {
			return nil, err
		}
		if result.Total > most {
			return nil, fault.InvalidRequest("the search finds %d videos; at most %d can change at once: narrow it", result.Total, most)
		}
		for _, found := range result.Refs {
			ids = append(ids, found.ID)
		}
		if query.Offset += query.Size; query.Offset >= result.Total || len(result.Refs) == 0 {
			return values.Distinct(ids), nil
		}
	}
}
