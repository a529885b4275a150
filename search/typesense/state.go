package typesense

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/typesense/typesense-go/v3/typesense/api"
)

// state is what whoever writes a build says of it, under the name of its collection in the namespace's
// state collection. It is written last, so what it says is there.
type state struct {
	Collection string `json:"id"`
	Base       string `json:"base"` // encode of the alias
	// Build numbers the builds of an alias, Serial the writes to one build. Both only grow.
	Build  int64 `json:"build"`
	Serial int64 `json:"serial"`
	// Position is the place in the log.
	Position int64 `json:"position"`
	// Count is how many documents there are at least, Words how many words.
	Count int64 `json:"count"`
	Words int64 `json:"words"`
	// Beat is when it was written, in seconds of Unix time.
	Beat int64 `json:"beat"`
	// Building: it is being filled, and no alias points to it yet.
	Building bool `json:"building"`
	// Witness is the id of the last document that was written, and its version; 0: it was removed.
	Witness        string `json:"witness,omitempty"`
	WitnessVersion int64  `json:"witness_version,omitempty"`
}

func stateSchema(name string) collectionSchema {
	fields := append(required("string", "base"), required("int64", "build", "serial", "position", "count", "words", "beat")...)
	return collectionSchema{Name: name, Fields: append(fields, required("bool", "building")...)}
}

func wordsSchema(name string) collectionSchema {
	return collectionSchema{Name: name, Fields: append(required("int64", "serial"), stored("string[]", "words")...)}
}

// wordsOf names the collection of words beside one of videos.
func wordsOf(collection string) string { return collection + "-words" }

// stateCollection names where the states of a namespace are.
func (x *Index) stateCollection() string { return x.namespace + "-state" }

// writeState writes a state. The beat is set here.
func (x *Index) writeState(ctx context.Context, s *state) error {
	s.Beat = x.now().Unix()
	into := x.server.importInto(x.stateCollection())
	if err := into.add(ctx, s.Collection, s); err != nil {
		return err
	}
	return into.flush(ctx)
}

// keep says that a build is in use, whether anything is written to it or not. Nothing else of its state
// is touched: another process may be writing that.
func (x *Index) keep(ctx context.Context, collection string) error {
	into := x.server.importInto(x.stateCollection())
	into.action = api.Update
	if err := into.add(ctx, collection, map[string]any{"id": collection, "beat": x.now().Unix()}); err != nil {
		return err
	}
	return into.flush(ctx)
}

// deleteState forgets a build.
func (x *Index) deleteState(ctx context.Context, collection string) error {
	err := x.server.deleteDocuments(ctx, x.stateCollection(), []string{collection})
	if isStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// sight is what one look at the server sees.
type sight struct {
	collection string // what the alias points to; "": nothing that is there
	documents  int    // how many it has
	known      bool   // whether state is there
	state      state
}

// whole reports whether everything is there that the state promises. After a start, Typesense answers
// before its documents and its last writes are back.
func (s *sight) whole() bool { return s.known && int64(s.documents) >= s.state.Count }

// see looks what is there, in one request. What the alias points to is asked first, and then its state:
// documents that are added meanwhile make no difference.
func (x *Index) see(ctx context.Context) (sight, error) {
	answers, err := x.server.search(ctx, []searchRequest{
		{Collection: x.base, Q: "*"},
		{Collection: x.stateCollection(), Q: "*", FilterBy: "base:=" + encode(x.base), SortBy: "beat:desc", PerPage: maxPerPage},
	})
	if err != nil {
		return sight{}, err
	}
	videos, states := &answers[0], &answers[1]
	for _, answer := range answers {
		if err := answer.fault(); err != nil && answer.Code != http.StatusNotFound {
			return sight{}, err
		}
	}
	// A collection of the alias's own name hides the alias.
	if videos.Code == http.StatusNotFound || videos.Params.Collection == x.base {
		return sight{}, nil
	}
	seen := sight{collection: videos.Params.Collection, documents: videos.OutOf}
	written, err := readStates(states.Hits)
	for _, s := range written {
		if s.Collection == seen.collection {
			seen.known, seen.state = true, s
		}
	}
	return seen, err
}

// states returns those of every build of the namespace, the newest first; there may be more than are
// worth reading.
func (x *Index) states(ctx context.Context) ([]state, error) {
	answers, err := x.server.search(ctx, []searchRequest{
		{Collection: x.stateCollection(), Q: "*", SortBy: "beat:desc", PerPage: maxPerPage},
	})
	if err != nil {
		return nil, err
	}
	if err := answers[0].fault(); err != nil && answers[0].Code != http.StatusNotFound {
		return nil, err
	}
	return readStates(answers[0].Hits)
}

func readStates(hits []searchHit) ([]state, error) {
	states := make([]state, len(hits))
	for i, hit := range hits {
		if err := json.Unmarshal(hit.Document, &states[i]); err != nil {
			return nil, unavailable("keeps what is no state", err)
		}
	}
	return states, nil
}

// loadVocabulary adds to a vocabulary what was written after a serial.
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
