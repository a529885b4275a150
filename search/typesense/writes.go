package typesense

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Apply implements search.Index. A document that is both put and deleted is deleted.
//
// Words are written first, then documents, then deletes, the state last: what is interrupted in between
// is made good when the batch comes again. For a while searches see some of the batch and not the rest.
func (x *Index) Apply(ctx context.Context, batch search.Batch) error {
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
	for _, d := range newest(batch.Put) {
		if err := w.put(ctx, d); err != nil {
			return err
		}
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	if err := w.remove(ctx, batch.Delete); err != nil {
		return err
	}
	w.state.Position = max(w.state.Position, batch.Position)
	if err := w.finish(ctx); err != nil {
		return err
	}
	return x.awaitSight(ctx, w.build())
}

// newest leaves of each document the newest version, the last of equal ones.
func newest(documents []search.Document) []*search.Document {
	kept := make([]*search.Document, 0, len(documents))
	places := make(map[catalogue.ID]int, len(documents))
	for i := range documents {
		d := &documents[i]
		place, known := places[d.ID]
		switch {
		case !known:
			places[d.ID] = len(kept)
			kept = append(kept, d)
		case d.Version >= kept[place].Version:
			kept[place] = d
		}
	}
	return kept
}

// beginWrite returns the build as it stands now, whoever wrote it.
func (x *Index) beginWrite(ctx context.Context) (*build, error) {
	if err := ctx.Err(); err != nil {
		return nil, unavailable("was interrupted", err)
	}
	if x.closed {
		return nil, unavailable("is closed", nil)
	}
	if err := x.lookUntilShown(ctx); err != nil {
		return nil, err
	}
	return x.build()
}

// start makes the first build, empty and at position 0.
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

// create makes the collections of a build. Its state is there before them, so that a build which is
// never finished is known for one.
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
	for _, schema := range []collectionSchema{videosSchema(name), wordsSchema(wordsOf(name))} {
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

// discard removes a build that nobody needs, as far as possible: what remains is swept later.
func (x *Index) discard(ctx context.Context, collection string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writingTimeout)
	defer cancel()
	err := errors.Join(
		x.server.deleteCollection(ctx, collection),
		x.server.deleteCollection(ctx, wordsOf(collection)),
		x.deleteState(ctx, collection))
	if err != nil {
		x.logger.Warn("an old search index remains for now", "collection", collection, "error", err)
	}
}

// publish lets the alias point to a build that is complete, and searches look at it.
func (x *Index) publish(ctx context.Context, made *build) error {
	if err := x.server.setAlias(ctx, x.base, made.collection); err != nil {
		return err
	}
	return x.awaitSight(ctx, made)
}

// sightTimeout bounds how long a write that was answered may take to be seen: on the nodes of a cluster
// it takes a quarter of a second.
const sightTimeout = 10 * time.Second

// awaitSight returns when searches see what was written.
func (x *Index) awaitSight(ctx context.Context, made *build) error {
	ctx, cancel := context.WithTimeout(ctx, sightTimeout)
	defer cancel()
	if err := x.looking.take(ctx); err != nil {
		return err
	}
	x.prepared = made
	x.looking.leave()
	for pause := time.Millisecond; ; pause = min(2*pause, lookEvery) {
		err := x.look(ctx)
		at, doubt := x.build()
		if err = errors.Join(err, doubt); err == nil && at.collection == made.collection && at.state.Serial >= made.state.Serial {
			return nil
		}
		select {
		case <-ctx.Done():
			return unavailable("does not show what was written", errors.Join(ctx.Err(), err))
		case <-time.After(pause):
		}
	}
}

// writer adds to a build.
type writer struct {
	index      *Index
	state      state
	vocabulary *vocabulary

	chunk []*search.Document
	bytes int
}

// The documents that are looked up and sent together.
const (
	maxChunk      = 500
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

// put takes a document. It is written with the next flush at the latest.
func (w *writer) put(ctx context.Context, d *search.Document) error {
	w.chunk = append(w.chunk, d)
	w.bytes += len(d.Title) + len(d.Description) + len(d.Transcript)
	if len(w.chunk) < maxChunk && w.bytes < maxChunkBytes {
		return nil
	}
	return w.flush(ctx)
}

// flush writes what was put: first its new words, so that a document that is found can be searched for
// by all of them.
func (w *writer) flush(ctx context.Context) error {
	if len(w.chunk) == 0 {
		return nil
	}
	ids := make([]string, len(w.chunk))
	for i, d := range w.chunk {
		ids[i] = encodeID(d.ID)
	}
	there, err := w.versions(ctx, ids)
	if err != nil {
		return err
	}
	learned := newWords(w.vocabulary)
	documents := w.index.server.importInto(w.state.Collection)
	made := make([]*document, 0, len(w.chunk))
	for i, d := range w.chunk {
		version, known := there[ids[i]]
		if known && version > d.Version {
			continue
		}
		if !known {
			w.state.Count++
		}
		one, err := newDocument(d, w.index.analyzer, learned)
		if err != nil {
			return err
		}
		made = append(made, one)
		w.state.Witness, w.state.WitnessVersion = one.ID, one.Version
	}
	if err := w.addWords(ctx, learned); err != nil {
		return err
	}
	for _, one := range made {
		if err := documents.add(ctx, one.ID, one); err != nil {
			return err
		}
	}
	w.chunk, w.bytes = w.chunk[:0], 0
	return documents.flush(ctx)
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
