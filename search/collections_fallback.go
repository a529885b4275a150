package search

import (
	"context"
	"log/slog"
)

// CollectionsWithFallback returns a reader that asks primary, and second if primary is Unavailable, as WithFallback does.
func CollectionsWithFallback(primary, second CollectionReader, logger *slog.Logger) CollectionReader {
	if logger != nil {
		logger = logger.With("index", "collections")
	}
	return &collectionsFallback{primary, newStandIn(primary, second, logger)}
}

type collectionsFallback struct {
	CollectionReader
	standIn standIn[CollectionReader]
}

// Find implements CollectionReader.
func (f *collectionsFallback) Find(ctx context.Context, query CollectionQuery) (*CollectionResult, error) {
	return answer(ctx, &f.standIn, func(index CollectionReader) (*CollectionResult, error) { return index.Find(ctx, query) })
}
