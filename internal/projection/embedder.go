package projection

import (
	"context"
	"iter"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/semantic"
	"github.com/filmstrip/filmstrip/store"
)

// embedderBatch is the number of videos that one write embeds: few, so that a lease never waits long for it.
const embedderBatch = 8

// NewEmbedder returns a Follower that keeps the embeddings in the store up to date with the texts of videos. It ignores
// Index, Subscribers and Snapshots of the options. Model of the options is that of the service.
//
// Embeddings are stored with the catalogue, so each is computed once, whatever indexes are built from it, and a change of
// one is an entry in the log that brings it into every index.
func NewEmbedder(service *semantic.Service, options Options) (*Follower, *EmbedderStats) {
	setDefault(&options.Batch, embedderBatch)
	options.setDefaults()
	options.Gather, options.Subscribers, options.Snapshots, options.Model = options.Batch, nil, nil, service.Model()
	options.Logger = options.Logger.With("index", "embeddings")
	e := &embedder{store: options.Store, service: service, logger: options.Logger, wait: options.BackOff}
	options.Index = e
	return newFollower(options, &videos{store: options.Store, index: e, model: options.Model}), &e.stats
}

// EmbedderStats counts the work of an embedder since NewEmbedder. It may be read at any time.
type EmbedderStats struct {
	Videos, Passages atomic.Int64
	Waited           atomic.Int64 // milliseconds for answers of the service
}

// embedder is a search.Writer whose index is the embeddings of the store.
type embedder struct {
	store    store.Catalogue
	service  *semantic.Service
	logger   *slog.Logger
	wait     time.Duration // after an error of the service
	position atomic.Int64
	stats    EmbedderStats
}

// Position implements search.Writer. After a start it is 0, so that all videos are checked.
func (e *embedder) Position(context.Context) (int64, error) { return e.position.Load(), nil }

// Count implements search.Writer.
func (e *embedder) Count(ctx context.Context) (int, error) { return e.store.CountVideos(ctx) }

// Apply implements search.Writer. The store deletes the embedding of a deleted video itself.
func (e *embedder) Apply(ctx context.Context, batch search.Batch) error {
	if err := e.embed(ctx, batch.Put); err != nil {
		return err
	}
	e.position.Store(max(e.position.Load(), batch.Position))
	return nil
}

// Rebuild implements search.Writer. It computes the embeddings that are missing or outdated, not all.
func (e *embedder) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	begun, videos, passages := time.Now(), e.stats.Videos.Load(), e.stats.Passages.Load()
	var some []search.Document
	for document, err := range documents {
		if err != nil {
			return err
		}
		if e.current(&document) {
			continue
		}
		if some = append(some, document); len(some) == embedderBatch {
			if err := e.embed(ctx, some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	if err := e.embed(ctx, some); err != nil {
		return err
	}
	e.position.Store(position)
	if made := e.stats.Videos.Load() - videos; made > 0 {
		took := time.Since(begun)
		e.logger.InfoContext(ctx, "videos are embedded", "videos", made, "passages", e.stats.Passages.Load()-passages,
			"seconds", took.Seconds(), "seconds_per_video", took.Seconds()/float64(made), "tokens", e.service.Stats().Tokens)
	}
	return nil
}

func (e *embedder) current(d *search.Document) bool {
	return d.Embedded == semantic.Fingerprint(e.service.Model(), semantic.Passages(d))
}

// embed computes and stores the embeddings of documents that have none or an outdated one.
func (e *embedder) embed(ctx context.Context, documents []search.Document) error {
	var (
		items  []catalogue.Item
		counts []int
		texts  []string
	)
	for i := range documents {
		d := &documents[i]
		if e.current(d) {
			continue
		}
		passages := semantic.Passages(d)
		items = append(items, &catalogue.Embedding{
			Meta:  catalogue.Meta{ID: d.ID},
			Model: e.service.Model(), Texts: semantic.Fingerprint(e.service.Model(), passages),
		})
		counts, texts = append(counts, len(passages)), append(texts, passages...)
	}
	if len(items) == 0 {
		return nil
	}
	vectors, err := e.vectors(ctx, texts)
	if err != nil {
		return err
	}
	for i, item := range items {
		embedding := item.(*catalogue.Embedding)
		for _, vector := range vectors[:counts[i]] {
			embedding.Dimensions = len(vector)
			for _, component := range vector {
				embedding.Vectors = append(embedding.Vectors, byte(component))
			}
		}
		vectors = vectors[counts[i]:]
	}
	return e.write(ctx, items, len(texts))
}

// vectors asks the service until it answers or the context ends: what has been embedded so far is stored, and the next
// attempt of a Follower would read all videos again.
func (e *embedder) vectors(ctx context.Context, texts []string) ([]search.Vector, error) {
	task := background.Task{Name: "embed videos", Logger: e.logger, BackOff: e.wait, MaxBackOff: time.Minute}
	begun := time.Now()
	defer func() { e.stats.Waited.Add(time.Since(begun).Milliseconds()) }()
	for {
		var vectors []search.Vector
		embedded := task.Try(ctx, func(ctx context.Context) (err error) {
			vectors, err = e.service.Embed(ctx, texts)
			return err
		})
		if embedded || ctx.Err() != nil {
			return vectors, ctx.Err()
		}
	}
}

// write stores embeddings. A video that was deleted meanwhile needs none.
func (e *embedder) write(ctx context.Context, items []catalogue.Item, passages int) error {
	var outcomes []store.Outcome
	err := e.store.Write(ctx, func(ctx context.Context, tx store.Tx) (err error) {
		videos, err := tx.Items(ctx, catalogue.KindVideo, idsOf(items))
		if err != nil {
			return err
		}
		kept := items[:0:0]
		for _, item := range items {
			if videos[item.Head().ID] != nil {
				kept = append(kept, item)
			}
		}
		outcomes, err = tx.Put(ctx, kept)
		return err
	})
	if err != nil {
		return err
	}
	for i, outcome := range outcomes {
		if outcome.Status == store.Rejected {
			return fault.Errorf(fault.Internal, "the embedding of %s is rejected: %v", items[i].Head().ID, outcome.Faults)
		}
	}
	e.stats.Videos.Add(int64(len(outcomes)))
	e.stats.Passages.Add(int64(passages))
	return nil
}

func idsOf(items []catalogue.Item) []catalogue.ID {
	ids := make([]catalogue.ID, len(items))
	for i, item := range items {
		ids[i] = item.Head().ID
	}
	return ids
}
