package embedded

import (
	"context"
	"hash/crc32"
	"iter"
	"runtime"
	"sync"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// maxBuilders limits the goroutines of a rebuild, each of which needs memory for the notes of a segment. buildChunk is the number
// of documents that one of them receives at a time.
const (
	maxBuilders = 4
	buildChunk  = 64
)

// buildParts creates the parts of an index of all documents. Several goroutines build segments, each of the documents whose IDs
// have the same hash: documents with the same ID meet in their order.
func buildParts(ctx context.Context, analyzer *analysis.Analyzer, documents iter.Seq2[search.Document, error]) ([]part, error) {
	type share struct {
		chunks  chan []search.Document
		pending []search.Document
		parts   *partList
	}
	shares := make([]share, min(runtime.GOMAXPROCS(0), maxBuilders))
	var building sync.WaitGroup
	for i := range shares {
		s := &shares[i]
		s.chunks, s.parts = make(chan []search.Document, 1), newPartList(nil)
		building.Go(func() {
			b := newBuilder(analyzer)
			for chunk := range s.chunks {
				for i := range chunk {
					b = s.parts.add(b, &chunk[i], origin{print: printOf(&chunk[i])})
				}
			}
			s.parts.finish(b)
		})
	}
	err := func() error {
		for document, err := range documents {
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return unavailable("the search index was interrupted", err)
			}
			s := &shares[crc32.ChecksumIEEE([]byte(document.ID))%uint32(len(shares))]
			if s.pending = append(s.pending, document); len(s.pending) == buildChunk {
				s.chunks <- s.pending
				s.pending = make([]search.Document, 0, buildChunk)
			}
		}
		return nil
	}()
	for _, s := range shares {
		if err == nil {
			s.chunks <- s.pending
		}
		close(s.chunks)
	}
	building.Wait()
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, s := range shares {
		parts = append(parts, s.parts.alive()...)
	}
	return parts, nil
}
