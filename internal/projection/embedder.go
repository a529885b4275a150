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
// Embeddings are stored with the catalogue, so each is computed once for all indexes, and a change of
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
	group := e.outdated(batch.Put)
	if err := e.embed(ctx, group); err != nil {
		return err
	}
	if err := e.write(ctx, group); err != nil {
		return err
	}
	e.position.Store(max(e.position.Load(), batch.Position))
	return nil
}

// rebuildGroup is the number of videos that a rebuild embeds at a time.
const rebuildGroup = 32

// Rebuild implements search.Writer. It computes the embeddings that are missing or outdated, not all. The store writes one
// group while the service computes the next.
func (e *embedder) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	begun, videos, passages := time.Now(), e.stats.Videos.Load(), e.stats.Passages.Load()
	written := make(chan error, 1)
	written <- nil
	defer func() { <-written }() // no write outlives the rebuild
	add := func(documents []search.Document) error {
		group := e.outdated(documents)
		if err := e.embed(ctx, group); err != nil {
			return err
		}
		if err := <-written; err != nil {
			written <- nil
			return err
		}
		go func() {
			written <- background.Protect(ctx, func(ctx context.Context) error { return e.write(ctx, group) })
		}()
		return nil
	}
	var some []search.Document
	for document, err := range documents {
		if err != nil {
			return err
		}
		if e.current(&document) {
			continue
		}
		if some = append(some, document); len(some) == rebuildGroup {
			if err := add(some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	if err := add(some); err != nil {
		return err
	}
	err := <-written
	written <- nil
	if err != nil {
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

// embeddingGroup contains embeddings that are computed and written together.
type embeddingGroup struct {
	items  []catalogue.Item
	texts  []string
	counts []int // of the texts of each item
}

// outdated returns the group of the documents that have no embedding or an outdated one, without vectors.
func (e *embedder) outdated(documents []search.Document) *embeddingGroup {
	var group embeddingGroup
	for i := range documents {
		d := &documents[i]
		if e.current(d) {
			continue
		}
		passages := semantic.Passages(d)
		group.items = append(group.items, &catalogue.Embedding{
			Meta:  catalogue.Meta{ID: d.ID},
			Model: e.service.Model(), Texts: semantic.Fingerprint(e.service.Model(), passages),
		})
		group.counts, group.texts = append(group.counts, len(passages)), append(group.texts, passages...)
	}
	return &group
}

// embed computes the vectors of a group.
func (e *embedder) embed(ctx context.Context, group *embeddingGroup) error {
	if len(group.items) == 0 {
		return nil
	}
	vectors, err := e.vectors(ctx, group.texts)
	if err != nil {
		return err
	}
	for i, item := range group.items {
		embedding := item.(*catalogue.Embedding)
		for _, vector := range vectors[:group.counts[i]] {
			embedding.Dimensions = len(vector)
			for _, component := range vector {
				embedding.Vectors = append(embedding.Vectors, byte(component))
			}
		}
		vectors = vectors[group.counts[i]:]
	}
	return nil
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

// write stores the embeddings of a group. A video that was deleted meanwhile needs none.
func (e *embedder) write(ctx context.Context, group *embeddingGroup) error {
	if len(group.items) == 0 {
		return nil
	}
	var (
		kept     []catalogue.Item
		outcomes []store.Outcome
	)
	err := e.store.Write(ctx, func(ctx context.Context, tx store.Tx) (err error) {
		videos, err := tx.Items(ctx, catalogue.KindVideo, idsOf(group.items))
		if err != nil {
			return err
		}
		kept = kept[:0]
		for _, item := range group.items {
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
			return fault.Errorf(fault.Internal, "the embedding of %s is rejected: %v", kept[i].Head().ID, outcome.Faults)
		}
	}
	e.stats.Videos.Add(int64(len(outcomes)))
	e.stats.Passages.Add(int64(len(group.texts)))
	return nil
}

func idsOf(items []catalogue.Item) []catalogue.ID {
	ids := make([]catalogue.ID, len(items))
	for i, item := range items {
		ids[i] = item.Head().ID
	}
	return ids
}
