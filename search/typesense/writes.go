package typesense

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Apply implements search.Index. A document that is both put and deleted is deleted.
func (x *Index) Apply(ctx context.Context, batch search.Batch) error {
	newest := search.Newest(batch.Put, func(d *search.Document) catalogue.Ref { return d.Ref })
	return apply(ctx, x, batch.Position, newest, batch.Delete, (*writer).putVideo)
}

// apply puts documents, deletes documents, and moves the index to a position.
//
// It writes words first, then documents, then deletes, and the state last. If it is interrupted, a retry of the same
// batch repairs the index. In the meantime, searches see a part of the batch.
func apply[D any](
	ctx context.Context, x *Index, position int64, documents []*D, deleted []catalogue.ID,
	put func(*writer, context.Context, *D) error,
) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	at, err := x.beginWrite(ctx)
	if err != nil {
		return err
	}
	if at.collection == "" {
		if at, err = x.start(ctx); err != nil {
			return err
		}
	}
	w := x.newWriter(at)
	defer func() { _ = w.settle() }() // no request is pending anymore
	for _, d := range documents {
		if err := put(w, ctx, d); err != nil {
			return err
		}
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	if err := w.remove(ctx, deleted); err != nil {
		return err
	}
	w.state.Position = max(w.state.Position, position)
	if err := w.finish(ctx); err != nil {
		return err
	}
	return x.awaitVisible(ctx, w.build())
}

// beginWrite returns the current build, whichever process wrote it.
func (x *Index) beginWrite(ctx context.Context) (*build, error) {
	if err := ctx.Err(); err != nil {
		return nil, unavailable("was interrupted", err)
	}
	if x.closed {
		return nil, unavailable("is closed", nil)
	}
	if err := x.pollUntilShown(ctx); err != nil {
		return nil, err
	}
	return x.build()
}

// start creates the first build, empty and at position 0.
func (x *Index) start(ctx context.Context) (*build, error) {
	made, err := x.create(ctx, 1)
	if err != nil {
		return nil, err
	}
	w := x.newWriter(made)
	if err := w.finish(ctx); err != nil {
		return nil, err
	}
	return w.build(), x.publish(ctx, w.build())
}

// create creates the collections of a build. It writes the state first, so that sweep recognizes an unfinished build.
func (x *Index) create(ctx context.Context, number int64) (*build, error) {
	name := x.base + "-" + strings.ToLower(rand.Text()[:10])
	made := &build{
		collection: name,
		state:      state{Collection: name, Base: encode(x.base), Build: number, Building: true},
		vocabulary: &vocabulary{},
	}
	err := x.server.createCollection(ctx, stateSchema(x.stateCollection()))
	if err == nil {
		err = x.writeState(ctx, &made.state)
	}
	for _, schema := range []collectionSchema{x.schema(name), wordsSchema(wordsOf(name))} {
		if err == nil {
			err = x.server.createCollection(ctx, schema)
		}
	}
	if err != nil {
		x.discard(ctx, name)
		return nil, err
	}
	return made, nil
}

// discardTime limits the time for which a closing process waits for Typesense to delete a build.
const discardTime = 5 * time.Second

// discard deletes a build. If the deletion fails, a later sweep deletes the rest.
func (x *Index) discard(ctx context.Context, collection string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	err := errors.Join(
		x.server.deleteCollection(ctx, collection),
		x.server.deleteCollection(ctx, wordsOf(collection)),
		x.deleteState(ctx, collection))
	if err != nil {
		x.logger.Warn("an old search index remains for now", "collection", collection, "error", err)
	}
}

// publish points the alias to a complete build, and returns once searches use it.
func (x *Index) publish(ctx context.Context, made *build) error {
	if err := x.server.setAlias(ctx, x.base, made.collection); err != nil {
		return err
	}
	return x.awaitVisible(ctx, made)
}

// visibleTimeout limits the time until a completed write becomes visible. On the nodes of a cluster, this takes about a
// quarter of a second.
const visibleTimeout = 10 * time.Second

// awaitVisible returns once searches see a write.
func (x *Index) awaitVisible(ctx context.Context, made *build) error {
	ctx, cancel := context.WithTimeout(ctx, visibleTimeout)
	defer cancel()
	if err := x.polling.begin(ctx); err != nil {
		return err
	}
	x.prepared = made
	x.polling.finish()
	for pause := time.Millisecond; ; pause = min(2*pause, pollEvery) {
		err := x.poll(ctx)
		at, doubt := x.build()
		if err = errors.Join(err, doubt); err == nil && at.collection == made.collection && at.state.Serial >= made.state.Serial {
			return nil
		}
		select {
		case <-ctx.Done():
			return unavailable("does not show the latest write", errors.Join(ctx.Err(), err))
		case <-time.After(pause):
		}
	}
}
