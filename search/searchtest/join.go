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
	return struct {
		search.Reader
		joined[search.Document]
	}{reader, joined[search.Document]{writer, closers}}
}

// JoinCollections is Join for collections.
func JoinCollections(reader search.CollectionReader, writer search.CollectionWriter, closers ...io.Closer) search.CollectionIndex {
	return struct {
		search.CollectionReader
		joined[search.CollectionDocument]
	}{reader, joined[search.CollectionDocument]{writer, closers}}
}

// joined has the methods of an index that its reader does not have.
type joined[D any] struct {
	writer  search.WriterOf[D]
	closers []io.Closer
}

func (j joined[D]) Apply(ctx context.Context, batch search.BatchOf[D]) error {
	return j.writer.Apply(ctx, batch)
}

func (j joined[D]) Rebuild(ctx context.Context, position int64, documents iter.Seq2[D, error]) error {
	return j.writer.Rebuild(ctx, position, documents)
}

func (j joined[D]) Count(ctx context.Context) (int, error) { return j.writer.Count(ctx) }

func (j joined[D]) Close() (err error) {
	for _, c := range j.closers {
		err = errors.Join(err, c.Close())
	}
	return err
}
