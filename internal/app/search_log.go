package app

import (
	"context"

	"github.com/filmstrip/filmstrip/internal/searchlog"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store"
)

// openQueries notes what is searched for, where any of it is to be kept, until the service closes.
func (s *App) openQueries(ctx context.Context, settings *Settings) {
	if settings.KeepQueries == 0 {
		return
	}
	s.searches = searchlog.New(searchlog.Options{Queries: s.stores.Queries, Fold: s.analyzer.Fold, Logger: s.logger})
	s.whileOpen(ctx, s.searches.Run, s.searches.Share)
}

// searchLog is who is told of searches, queryStore what keeps them; nil: nothing is noted.
func (s *App) searchLog() resolvers.SearchRecorder {
	if s.searches == nil {
		return nil
	}
	return s.searches
}

func (s *App) queryStore() store.SearchLog {
	if s.searches == nil {
		return nil
	}
	return s.stores.Queries
}

// droppedQueries is what the metrics tell of searches.
func (s *App) droppedQueries() int64 {
	if s.searches == nil {
		return 0
	}
	return s.searches.Dropped()
}
