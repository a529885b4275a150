package telemetry

import (
	"context"
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Index counts the calls of an index, and traces calls of recorded requests. engine names it. Methods of next beyond
// the port (snapshots) are available on next only. Closing the result closes next.
func (t *Telemetry) Index(next search.Index, engine string) search.Index {
	of := func(name string) *operation { return t.engines.operation("search", engine, name) }
	return &watchedIndex{
		Index:  next,
		search: of("search"), matches: of("matches"), finds: of("finds"), phrases: of("phrases"),
		apply: of("apply"), rebuild: of("rebuild"), count: of("count"),
	}
}

// watchedIndex does not measure Position and Generation, which every search calls and which read memory.
type watchedIndex struct {
	search.Index
	search, matches, finds, phrases, apply, rebuild, count *operation
}

func (w *watchedIndex) Search(ctx context.Context, query search.Query) (result *search.Result, err error) {
	ctx, call := w.search.begin(ctx)
	defer func() { call.end(err) }()
	return w.Index.Search(ctx, query)
}

func (w *watchedIndex) Matches(
	ctx context.Context, text search.Text, steps []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) (counts []int, err error) {
	ctx, call := w.matches.begin(ctx)
	defer func() { call.end(err) }()
	return w.Index.Matches(ctx, text, steps, access, today, enough)
}

func (w *watchedIndex) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) (finds []bool, err error) {
	ctx, call := w.finds.begin(ctx)
	defer func() { call.end(err) }()
	return w.Index.Finds(ctx, texts, access, today)
}

func (w *watchedIndex) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) (phrases []search.Phrase, err error) {
	ctx, call := w.phrases.begin(ctx)
	defer func() { call.end(err) }()
	return w.Index.Phrases(ctx, text, access, today, limit)
}

func (w *watchedIndex) Apply(ctx context.Context, batch search.Batch) (err error) {
	ctx, call := w.apply.begin(ctx)
	defer func() { call.end(err) }()
	return w.Index.Apply(ctx, batch)
}

func (w *watchedIndex) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) (err error) {
	ctx, call := w.rebuild.begin(ctx)
	defer func() { call.end(err) }()
	return w.Index.Rebuild(ctx, position, documents)
}

func (w *watchedIndex) Count(ctx context.Context) (n int, err error) {
	ctx, call := w.count.begin(ctx)
	defer func() { call.end(err) }()
	return w.Index.Count(ctx)
}
