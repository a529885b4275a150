package searchtest

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/filmstrip/filmstrip/search"
)

// Join returns an index that reads from reader and writes to writer. Its Close closes the closers in order.
func Join(reader search.Reader, writer search.Writer, closers ...io.Closer) search.Index {
	return &joined{reader, writer, closers}
}

type joined struct {
	search.Reader
	writer  search.Writer
	closers []io.Closer
}

func (j *joined) Apply(ctx context.Context, batch search.Batch) error {
	return j.writer.Apply(ctx, batch)
}
func (j *joined) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	return j.writer.Rebuild(ctx, position, documents)
}
func (j *joined) Count(ctx context.Context) (int, error) { return j.writer.Count(ctx) }
func (j *joined) Close() error                           { return closeAll(j.closers) }

// JoinCollections is Join for collections.
func JoinCollections(reader search.CollectionReader, writer search.CollectionWriter, closers ...io.Closer) search.CollectionIndex {
	return &joinedCollections{reader, writer, closers}
}

type joinedCollections struct {
	search.CollectionReader
	writer  search.CollectionWriter
	closers []io.Closer
}

func (j *joinedCollections) Apply(ctx context.Context, batch search.CollectionBatch) error {
	return j.writer.Apply(ctx, batch)
}
func (j *joinedCollections) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.CollectionDocument, error]) error {
	return j.writer.Rebuild(ctx, position, documents)
}
func (j *joinedCollections) Count(ctx context.Context) (int, error) { return j.writer.Count(ctx) }
func (j *joinedCollections) Close() error                           { return closeAll(j.closers) }

func closeAll(closers []io.Closer) (err error) {
	for _, c := range closers {
		err = errors.Join(err, c.Close())
	}
	return err
}
