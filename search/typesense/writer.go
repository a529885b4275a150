package typesense

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// writer adds to a build. While Typesense indexes what was sent last, the next documents are made.
type writer struct {
	index      *Index
	state      state
	vocabulary *vocabulary

	chunk []maker
	bytes int
	sent  chan error // what became of the documents that were sent last; nil: they are settled
}

// maker makes a document. What the vocabulary does not hold of it is learned.
type maker func(learned *words) (made, error)

// The documents that are looked up and sent together.
const (
	maxChunk      = 250
	maxChunkBytes = 4 << 20 // of their texts
)

func (x *Index) newWriter(at *build) *writer {
	w := &writer{index: x, state: at.state, vocabulary: at.vocabulary}
	w.state.Serial++
	return w
}

// build is what was written so far.
func (w *writer) build() *build {
	return &build{collection: w.state.Collection, state: w.state, position: w.state.Position, vocabulary: w.vocabulary}
}

// putVideo takes a video.
func (w *writer) putVideo(ctx context.Context, d *search.Document) error {
	return w.put(ctx, len(d.Title)+len(d.Description)+len(d.Transcript), func(learned *words) (made, error) {
		one, err := newDocument(d, w.index.analyzer, learned)
		if err != nil {
			return made{}, err
		}
		return made{one.ID, one.Version, one}, nil
	})
}

// put takes what makes a document, with texts of so many bytes. It is written with the next flush at the
// latest.
func (w *writer) put(ctx context.Context, bytes int, next maker) error {
	w.chunk = append(w.chunk, next)
	w.bytes += bytes
	if len(w.chunk) < maxChunk && w.bytes < maxChunkBytes {
		return nil
	}
	return w.send(ctx)
}

// flush writes all that was put.
func (w *writer) flush(ctx context.Context) error {
	if err := w.send(ctx); err != nil {
		return err
	}
	return w.settle()
}

// settle waits for the documents that were sent last.
func (w *writer) settle() error {
	if w.sent == nil {
		return nil
	}
	err := <-w.sent
	w.sent = nil
	return err
}

// send writes what was put as far as its words, so that a document that is found can be searched for by
// all of them, and begins to write the documents.
func (w *writer) send(ctx context.Context) error {
	if len(w.chunk) == 0 {
		return nil
	}
	learned := newWords(w.vocabulary)
	all := make([]made, len(w.chunk))
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
	there, err := w.versions(ctx, ids)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(one made) bool { return there[one.id] > one.version })
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

// addWords writes words that the build does not have.
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

// versions returns those of the documents that are there, by id.
func (w *writer) versions(ctx context.Context, ids []string) (map[string]int64, error) {
	there := make(map[string]int64, len(ids))
	for len(ids) > 0 {
		var requests []searchRequest
		for len(ids) > 0 && len(requests) < maxSearches {
			n := min(maxPerPage, len(ids))
			requests = append(requests, searchRequest{
				Q: "*", FilterBy: "id:[" + strings.Join(ids[:n], ",") + "]", PerPage: maxPerPage,
				IncludeFields: "id," + fieldVersion,
			})
			ids = ids[n:]
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
			for _, hit := range answer.Hits {
				var found struct {
					ID      string `json:"id"`
					Version int64  `json:"version"`
				}
				if err := json.Unmarshal(hit.Document, &found); err != nil {
					return nil, unavailable("keeps what is no document", err)
				}
				there[found.ID] = found.Version
			}
		}
	}
	return there, nil
}

// remove deletes documents. The state promises fewer of them before they go, so that nobody takes them
// for documents that are still being loaded.
func (w *writer) remove(ctx context.Context, deleted []catalogue.ID) error {
	if len(deleted) == 0 {
		return nil
	}
	ids := make([]string, len(deleted))
	for i, id := range deleted {
		ids[i] = encodeID(id)
	}
	there, err := w.versions(ctx, ids)
	if err != nil || len(there) == 0 {
		return err
	}
	w.state.Count -= int64(len(there))
	present := make([]string, 0, len(there))
	for id := range there {
		present = append(present, id)
	}
	w.state.Witness, w.state.WitnessVersion = "", 0
	before := w.state
	before.Serial-- // what is promised otherwise is the write before this one
	if err := w.index.writeState(ctx, &before); err != nil {
		return err
	}
	w.state.Witness = present[len(present)-1]
	return w.index.server.deleteDocuments(ctx, w.state.Collection, present)
}

// finish writes the state: the build is complete up to here.
func (w *writer) finish(ctx context.Context) error {
	w.state.Building = false
	return w.index.writeState(ctx, &w.state)
}
