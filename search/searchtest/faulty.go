package searchtest

import (
	"context"
	"iter"
	"slices"

	"github.com/filmstrip/filmstrip/search"
)

// BugOf is a planted fault of an engine of type E that properties must detect.
type BugOf[E any] struct {
	// Name describes the fault as docs/testing.md lists it.
	Name  string
	plant func(*E)
}

// faultyWrites are faults in the writes of an engine. Each hook that is set changes an input.
type faultyWrites[D any] struct {
	document func(*D)
	batch    func(*search.BatchOf[D])
	// merges makes a rebuild keep the existing documents.
	merges bool
}

func (f *faultyWrites[D]) apply(ctx context.Context, model search.WriterOf[D], batch search.BatchOf[D]) error {
	batch.Put = f.changed(batch.Put)
	if f.batch != nil {
		f.batch(&batch)
	}
	return model.Apply(ctx, batch)
}

func (f *faultyWrites[D]) rebuild(ctx context.Context, model search.WriterOf[D], position int64, documents iter.Seq2[D, error]) error {
	all, err := collected(documents)
	if err != nil {
		return err
	}
	if f.merges {
		return model.Apply(ctx, search.BatchOf[D]{Put: f.changed(all), Position: position})
	}
	return model.Rebuild(ctx, position, sequence(f.changed(all)))
}

func (f *faultyWrites[D]) changed(documents []D) []D {
	if f.document == nil {
		return documents
	}
	documents = slices.Clone(documents)
	for i := range documents {
		f.document(&documents[i])
	}
	return documents
}
