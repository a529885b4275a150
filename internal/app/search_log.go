package app

import (
	"context"

	"github.com/filmstrip/filmstrip/internal/searchlog"
)

// openSearchLog starts to record searches, unless --keep-queries is 0.
func (s *App) openSearchLog(ctx context.Context, settings *Settings) error {
	if settings.KeepQueries == 0 {
		return nil
	}
	s.searches = searchlog.New(searchlog.Options{Queries: s.stores.Queries, Fold: s.analyzer.Fold, Logger: s.logger})
	s.whileOpen(ctx, s.searches.Run, s.searches.Share)
	return nil
}

// droppedSearches returns the number of searches that the server did not record, for metrics.
func (s *App) droppedSearches() int64 {
	if s.searches == nil {
		return 0
	}
	return s.searches.Dropped()
}
