package search

import (
	"context"
	"log/slog"
)

// CollectionsWithFallback is primary, but where primary is Unavailable for Find, second answers it, as with
// WithFallback: all else is primary's. logger takes a line whenever the answers begin to come from the other;
// nil: none.
func CollectionsWithFallback(primary, second Collections, logger *slog.Logger) Collections {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &collectionsFallback{primary, standIn[Collections]{
		primary: primary, second: second, logger: logger.With("index", "collections"),
	}}
}

type collectionsFallback struct {
	Collections
	standIn standIn[Collections]
}

// Find implements Collections.
func (f *collectionsFallback) Find(ctx context.Context, query CollectionQuery) (*CollectionResult, error) {
	return answer(ctx, &f.standIn, func(engine Collections) (*CollectionResult, error) { return engine.Find(ctx, query) })
}
