package typesense

import (
	"context"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// writer adds documents to a build. It encodes the next documents while Typesense indexes the previous ones.
type writer struct {
	index      *Index
	state      state
	vocabulary *vocabulary

	chunk []maker
	bytes int
	sent  chan error // result of the last request; nil after it has been read
}

// maker returns a document, and adds the words of the document that the vocabulary lacks to learned.
type maker func(learned *words) (outgoing, error)

// The limits of one chunk of documents. The writer looks up and sends a chunk together.
const (
	maxChunk      = 250
	maxChunkBytes = 4 << 20 // bytes of texts
)

func (x *Index) newWriter(at *build) *writer {
	w := &writer{index: x, state: at.state, vocabulary: at.vocabulary}
	w.state.Serial++
	return w
}

// build returns the build with everything that the writer has written so far.
func (w *writer) build() *build {
	return &build{collection: w.state.Collection, state: w.state, position: w.state.Position, vocabulary: w.vocabulary}
}

// putVideo puts the document of a video.
func (w *writer) putVideo(ctx context.Context, d *search.Document) error {
	if err := w.acceptVectors(ctx, d); err != nil {
		return err
	}
	return w.put(ctx, len(d.Title)+len(d.Description)+len(d.Transcript), func(learned *words) (outgoing, error) {
		one, err := newDocument(d, w.index.analyzer, learned)
		if err != nil {
			return outgoing{}, err
		}
		one.setVectors(d.Vectors, w.state.Dimensions)
		return outgoing{one.ID, one.Version, one, one.VectorsSum}, nil
	})
}

// put adds the maker of a document with texts of the given number of bytes. The document is written by the next flush
// at the latest.
func (w *writer) put(ctx context.Context, bytes int, next maker) error {
	w.chunk = append(w.chunk, next)
	w.bytes += bytes
	if len(w.chunk) < maxChunk && w.bytes < maxChunkBytes {
		return nil
	}
	return w.send(ctx)
}

// flush writes every document that was put, and waits for the responses.
func (w *writer) flush(ctx context.Context) error {
	if err := w.send(ctx); err != nil {
		return err
	}
	return w.settle()
}

// settle waits for the response to the last documents.
func (w *writer) settle() error {
	if w.sent == nil {
		return nil
	}
	err := <-w.sent
	w.sent = nil
	return err
}

// send writes the words of the chunk and then starts to write its documents, so that searches find a document by all
// its words as soon as it exists.
func (w *writer) send(ctx context.Context) error {
	if len(w.chunk) == 0 {
		return nil
	}
	learned := newWords(w.vocabulary)
	all := make([]outgoing, len(w.chunk))
	ids := make([]string, len(w.chunk))
	for i, next := range w.chunk {
		one, err := next(learned)
		if err != nil {
			return err
		}
		all[i], ids[i] = one, one.id
	}
	w.chunk, w.bytes = w.chunk[:0], 0
	if err := w.settle(); err != nil {
		return err
	}
	there, err := w.existing(ctx, ids)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(one outgoing) bool { return there[one.id].Version > one.version })
	if err := w.removeVectors(ctx, there, all); err != nil {
		return err
	}
	for _, one := range all {
		if _, known := there[one.id]; !known {
			w.state.Count++
		}
		w.state.Witness, w.state.WitnessVersion = one.id, one.version
	}
	if err := w.addWords(ctx, learned); err != nil {
		return err
	}
	w.sent = make(chan error, 1)
	into, sent := w.index.server.importInto(w.state.Collection), w.sent
	go func() { sent <- into.all(ctx, all) }()
	return nil
}

// addWords writes words that the build lacks.
func (w *writer) addWords(ctx context.Context, added *words) error {
	if added.len() == 0 {
		return nil
	}
	into := w.index.server.importInto(wordsOf(w.state.Collection))
	for some := range added.documents(w.state.Serial) {
		if err := into.add(ctx, some.ID, some); err != nil {
			return err
		}
	}
	if err := into.flush(ctx); err != nil {
		return err
	}
	w.vocabulary = w.vocabulary.with(added)
	w.state.Words = int64(w.vocabulary.size())
	return nil
}

// removeVectors deletes the documents whose vectors others replace, also from there. Typesense keeps the place of a
// vector in its graph under the number of the document. It may give that place to a vector of another document, and then
// no longer finds a document that had one vector after the other under its number. A document that is created again has
// a new number.
func (w *writer) removeVectors(ctx context.Context, there map[string]existingDocument, all []outgoing) error {
	var changed []string
	for i := range all {
		if sum := there[all[i].id].VectorsSum; sum != "" && sum != all[i].vectorsSum {
			changed = append(changed, all[i].id)
			delete(there, all[i].id)
		}
	}
	return w.removeDocuments(ctx, changed)
}

// existingDocument contains the fields of an existing document that a writer compares.
type existingDocument struct {
	ID         string `json:"id"`
	Version    int64  `json:"version"`
	VectorsSum string `json:"vectors_sum"`
}

// existing returns the existing documents by id.
func (w *writer) existing(ctx context.Context, ids []string) (map[string]existingDocument, error) {
	there := make(map[string]existingDocument, len(ids))
	for some := range slices.Chunk(ids, maxSearches*maxPerPage) {
		var requests []searchRequest
		for page := range slices.Chunk(some, maxPerPage) {
			requests = append(requests, searchRequest{
				Q: "*", FilterBy: anyOf("id", page), PerPage: maxPerPage, IncludeFields: "id," + fieldVectorsSum + "," + fieldVersion,
			})
		}
		var answers []searchAnswer
		err := w.index.server.writes.Do(ctx, func(ctx context.Context) (err error) {
			answers, err = w.index.server.searchIn(ctx, w.state.Collection, requests)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, answer := range answers {
			found, err := documentsOf[existingDocument](answer.Hits)
			if err != nil {
				return nil, err
			}
			for _, one := range found {
				there[one.ID] = one
			}
		}
	}
	return there, nil
}

// remove deletes the documents of IDs.
func (w *writer) remove(ctx context.Context, deleted []catalogue.ID) error {
	if len(deleted) == 0 {
		return nil
	}
	ids := make([]string, len(deleted))
	for i, id := range deleted {
		ids[i] = encodeID(id)
	}
	there, err := w.existing(ctx, ids)
	if err != nil {
		return err
	}
	return w.removeDocuments(ctx, slices.Collect(maps.Keys(there)))
}

// removeDocuments deletes existing documents. It first writes a state with a lower Count, so that no process mistakes
// the deleted documents for documents that are still loading.
func (w *writer) removeDocuments(ctx context.Context, present []string) error {
	if len(present) == 0 {
		return nil
	}
	w.state.Count -= int64(len(present))
	w.state.Witness, w.state.WitnessVersion = "", 0
	before := w.state
	before.Serial-- // apart from Count, this is still the state of the last write
	if err := w.index.writeState(ctx, &before); err != nil {
		return err
	}
	w.state.Witness = present[len(present)-1]
	return w.index.server.deleteDocuments(ctx, w.state.Collection, present)
}

// finish writes the state, which completes the write.
func (w *writer) finish(ctx context.Context) error {
	w.state.Building = false
	return w.index.writeState(ctx, &w.state)
}
