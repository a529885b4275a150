package telemetry

import (
	"context"
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// IndexReader measures and traces the calls of a reader of an engine, except Position and Generation, which are answered
// from memory.
func (t *Telemetry) IndexReader(next search.Reader, engine string) search.Reader {
	of := func(name string) *operation { return t.engines.operation("search", engine, name) }
	return &watchedReader{Reader: next, search: of("search"), matches: of("matches"), finds: of("finds"), phrases: of("phrases"), corrections: of("corrections")}
}

// IndexWriter measures and traces the calls of a writer of an engine, except Position.
func (t *Telemetry) IndexWriter(next search.Writer, engine string) search.Writer {
	return watchWriter(t, next, "search", engine)
}

type watchedReader struct {
	search.Reader
	search, matches, finds, phrases, corrections *operation
}

type watchedWriter[D any] struct {
	search.WriterOf[D]
	apply, rebuild, count *operation
}

func watchWriter[D any](t *Telemetry, next search.WriterOf[D], port, engine string) *watchedWriter[D] {
	of := func(name string) *operation { return t.engines.operation(port, engine, name) }
	return &watchedWriter[D]{next, of("apply"), of("rebuild"), of("count")}
}

func (w *watchedReader) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	return measure1(ctx, w.search, w.Reader.Search, query)
}

func (w *watchedReader) Matches(
	ctx context.Context, text search.Text, levels []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	return measure(ctx, w.matches, func(ctx context.Context) ([]int, error) {
		return w.Reader.Matches(ctx, text, levels, access, today, enough)
	})
}

func (w *watchedReader) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	return measure(ctx, w.finds, func(ctx context.Context) ([]bool, error) {
		return w.Reader.Finds(ctx, texts, access, today)
	})
}

func (w *watchedReader) Corrections(ctx context.Context, text search.Text) ([][]string, error) {
	return measure1(ctx, w.corrections, w.Reader.Corrections, text)
}

func (w *watchedReader) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]search.Phrase, error) {
	return measure(ctx, w.phrases, func(ctx context.Context) ([]search.Phrase, error) {
		return w.Reader.Phrases(ctx, text, access, today, limit)
	})
}

func (w *watchedWriter[D]) Apply(ctx context.Context, batch search.BatchOf[D]) error {
	return w.apply.run(ctx, func(ctx context.Context) error { return w.WriterOf.Apply(ctx, batch) })
}

func (w *watchedWriter[D]) Rebuild(ctx context.Context, position int64, documents iter.Seq2[D, error]) error {
	return w.rebuild.run(ctx, func(ctx context.Context) error { return w.WriterOf.Rebuild(ctx, position, documents) })
}

func (w *watchedWriter[D]) Count(ctx context.Context) (int, error) {
	return measure(ctx, w.count, w.WriterOf.Count)
}
