package typesense

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/typesense/typesense-go/v3/typesense/api"
)

// state describes a build. It is a document of the namespace's state collection; its name is that of the build's
// collection. A write saves the state last, so that everything that the state describes exists.
type state struct {
	Collection string `json:"id"`
	Base       string `json:"base"` // encoded alias
	// Build is the number of the build of an alias, and Serial the number of the last write to the build. Both only
	// increase.
	Build  int64 `json:"build"`
	Serial int64 `json:"serial"`
	// Position is the position in the log.
	Position int64 `json:"position"`
	// Count is the minimum number of documents, and Words the number of words.
	Count int64 `json:"count"`
	Words int64 `json:"words"`
	// Heartbeat is the time of the last write to the state, in seconds of Unix time.
	Heartbeat int64 `json:"beat"`
	// Building means that a Rebuild is filling the build and no alias points to it yet.
	Building bool `json:"building"`
	// Witness is the id of the last document that was written or deleted. WitnessVersion is its version, or 0 if it was
	// deleted.
	Witness        string `json:"witness,omitempty"`
	WitnessVersion int64  `json:"witness_version,omitempty"`
	// Dimensions is the number of dimensions of the vector fields, or 0 if the collection has none.
	Dimensions int `json:"dimensions,omitempty"`
}

func stateSchema(name string) collectionSchema {
	fields := append(required("string", "base"), required("int64", "build", "serial", "position", "count", "words", "beat")...)
	return collectionSchema{Name: name, Fields: append(fields, required("bool", "building")...)}
}

func wordsSchema(name string) collectionSchema {
	return collectionSchema{Name: name, Fields: append(required("int64", "serial"), stored("string[]", "words")...)}
}

// wordsOf returns the name of the collection of words for a collection of videos.
func wordsOf(collection string) string { return collection + "-words" }

// stateCollection returns the name of the namespace's state collection.
func (x *Index) stateCollection() string { return x.namespace + "-state" }

// writeState writes a state and sets its Heartbeat.
func (x *Index) writeState(ctx context.Context, s *state) error {
	s.Heartbeat = x.now().Unix()
	return x.server.importInto(x.stateCollection()).all(ctx, []outgoing{{id: s.Collection, body: s}})
}

// keep records that a build is in use although no process writes to it. It changes the Heartbeat only, because another
// process may be writing the rest of the state.
func (x *Index) keep(ctx context.Context, collection string) error {
	into := x.server.importInto(x.stateCollection())
	into.action = api.Update
	return into.all(ctx, []outgoing{{id: collection, body: map[string]any{"id": collection, "beat": x.now().Unix()}}})
}

// deleteState deletes the state of a build.
func (x *Index) deleteState(ctx context.Context, collection string) error {
	err := x.server.deleteDocuments(ctx, x.stateCollection(), []string{collection})
	if isStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// snapshot is the server's description of an index at one moment.
type snapshot struct {
	collection string // target of the alias; "" without an alias or such a collection
	documents  int    // number of documents in the collection
	known      bool   // whether the collection has a state
	state      state
}

// complete reports whether the collection has at least as many documents as the state requires. After a start,
// Typesense answers requests before it has loaded its documents and its last writes.
func (s *snapshot) complete() bool { return s.known && int64(s.documents) >= s.state.Count }

// takeSnapshot reads the target of the alias and then its state in one request. In this order, documents that are added
// in between do no harm.
func (x *Index) takeSnapshot(ctx context.Context) (snapshot, error) {
	answers, err := x.server.search(ctx, []searchRequest{
		{Collection: x.base, Q: "*"},
		{Collection: x.stateCollection(), Q: "*", FilterBy: "base:=" + encode(x.base), SortBy: "beat:desc", PerPage: maxPerPage},
	})
	if err != nil {
		return snapshot{}, err
	}
	videos, states := &answers[0], &answers[1]
	for _, answer := range answers {
		if err := answer.fault(); err != nil && answer.Code != http.StatusNotFound {
			return snapshot{}, err
		}
	}
	// A collection with the alias's name hides the alias.
	if videos.Code == http.StatusNotFound || videos.Params.Collection == x.base {
		return snapshot{}, nil
	}
	seen := snapshot{collection: videos.Params.Collection, documents: videos.OutOf}
	written, err := documentsOf[state](states.Hits)
	for _, s := range written {
		if s.Collection == seen.collection {
			seen.known, seen.state = true, s
		}
	}
	return seen, err
}

// states returns the states of the namespace, newest first, up to one page of them.
func (x *Index) states(ctx context.Context) ([]state, error) {
	answer, err := x.server.searchOne(ctx, x.stateCollection(), searchRequest{Q: "*", SortBy: "beat:desc", PerPage: maxPerPage})
	switch {
	case errors.Is(err, errGone):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return documentsOf[state](answer.Hits)
}

// loadVocabulary returns the vocabulary together with the words that were written after a serial.
func (x *Index) loadVocabulary(ctx context.Context, v *vocabulary, collection string, after int64) (*vocabulary, error) {
	export, err := x.server.export(ctx, wordsOf(collection), "serial:>"+strconv.FormatInt(after, 10), "id,words")
	if err != nil {
		return nil, err
	}
	added, err := v.readWords(export)
	if err != nil {
		return nil, err
	}
	return v.with(added), nil
}
