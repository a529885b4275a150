package main

import (
	"context"
	"sync"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/semantic"
)

// meanings computes vectors of documents and questions; nil: search uses words alone.
type meanings struct {
	service *semantic.Service
	least   float32
}

// newMeanings returns nil without the address of a service.
func newMeanings(address, model string, least float64) *meanings {
	if address == "" {
		return nil
	}
	return &meanings{semantic.NewService(semantic.Options{URL: address, Model: model}), float32(least)}
}

// addTo gives each document its vectors.
func (m *meanings) addTo(ctx context.Context, documents []search.Document) error {
	if m == nil {
		return nil
	}
	const workers = 2
	errs := make([]error, workers)
	var running sync.WaitGroup
	for worker := range workers {
		running.Go(func() {
			for i := worker; i < len(documents) && errs[worker] == nil; i += workers {
				documents[i].Vectors, errs[worker] = m.service.Embed(ctx, semantic.Passages(&documents[i]))
			}
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// of returns the meaning of a text.
func (m *meanings) of(ctx context.Context, text search.Text) (*search.Meaning, error) {
	if m == nil || text.Words == "" || len(text.Phrases) > 0 {
		return nil, nil
	}
	vectors, err := m.service.Embed(ctx, []string{text.Words})
	if err != nil {
		return nil, err
	}
	return &search.Meaning{Vector: vectors[0], Least: m.least}, nil
}
