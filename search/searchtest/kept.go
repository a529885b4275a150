package searchtest

import (
	"context"
	"iter"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// kept implements the writes of a model, which keeps each document in the form K.
type kept[D, K any] struct {
	form  func(D) K
	refOf func(K) catalogue.Ref

	mu        sync.RWMutex
	documents map[catalogue.ID]K
	position  int64
}

// Apply implements search.WriterOf.
func (k *kept[D, K]) Apply(ctx context.Context, batch search.BatchOf[D]) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range batch.Put {
		k.put(d)
	}
	for _, id := range batch.Delete {
		delete(k.documents, id)
	}
	k.position = max(k.position, batch.Position)
	return nil
}

func (k *kept[D, K]) put(d D) {
	formed := k.form(d)
	ref := k.refOf(formed)
	if known, there := k.documents[ref.ID]; !there || ref.Version >= k.refOf(known).Version {
		k.documents[ref.ID] = formed
	}
}

// Rebuild implements search.WriterOf.
func (k *kept[D, K]) Rebuild(ctx context.Context, position int64, documents iter.Seq2[D, error]) error {
	all, err := collected(documents)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.documents)
	for _, d := range all {
		k.put(d)
	}
	k.position = position
	return nil
}

// Position returns the position of the last Apply or Rebuild.
func (k *kept[D, K]) Position(context.Context) (int64, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.position, nil
}

// Count returns the number of documents.
func (k *kept[D, K]) Count(context.Context) (int, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return len(k.documents), nil
}

// Close does nothing.
func (k *kept[D, K]) Close() error { return nil }

// sequence returns a sequence of documents without an error.
func sequence[D any](documents []D) iter.Seq2[D, error] {
	return func(yield func(D, error) bool) {
		for _, d := range documents {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// collected returns the documents of a sequence, or its error.
func collected[D any](documents iter.Seq2[D, error]) (all []D, err error) {
	for d, err := range documents {
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}
