// Package typesense is the search engine that lies in Typesense.
//
// A build of the index is a collection of videos, one of the words that they have, and a state, which
// says how far it has come. An alias points to the build that searches look at; its name holds the
// rules by which documents are made, so that two releases side by side have an index each. Every answer
// depends on filters over tokens that our own analyser made and that Typesense's leaves as they are
// (encode); what Typesense thinks of a text only orders.
//
// What Typesense cannot do: a search may see some documents of a batch and not yet the others, as long
// as Apply has not returned, since Typesense replaces them one after the other. Nothing makes searches
// wait for it: an import would hold up all of them. A Rebuild is seen as a whole, or not at all.
//
// Requests are put together by the generated client of typesense-go and sent by a transport of our own:
// the client's counts callers who hang up as failures, tries no single server again, and has data races
// between several. Answers are decoded by structs of our own, as the client's maps make floating-point
// numbers of versions, and so are the requests of a search, whose parameters must never be null.
//
// Versions 0.24.1 to 29 are spoken to in one way, which keeps to what all of them understand alike:
// pages by page and per_page, since offset came with 0.25; buckets by fields of their own, since ranges
// of facets came with 0.25 and count wrongly; no _eval of several clauses and no facet_strategy (26,
// 27); updates by whole documents, since emplace kept fragments before 0.25; ids of a filter in as many
// characters as an address may have. 0.24.1 is what the tests run on.
package typesense

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Options are what an Index needs.
type Options struct {
	// Addresses are the nodes, "http://HOST:PORT" or "https://HOST:PORT", at least one.
	Addresses []string
	// Key is a key of Typesense's API with every right on collections, aliases and documents.
	Key string
	// Namespace starts the names of everything that the index makes: 1 to 64 characters of a-z, 0-9 and
	// hyphen. It belongs to one store: whatever is found under it is taken for an index of that.
	Namespace string
	// Analyzer takes the texts apart; nil: one without an operator's synonyms.
	Analyzer *analysis.Analyzer
	// TLS is for addresses with https; nil: the system's certificates.
	TLS *tls.Config
	// Guard bounds searches. Its Engine and its Logger are set here.
	Guard guard.Options
	// Logger takes what goes wrong in the background; nil: none.
	Logger *slog.Logger
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Index is a search.Index. Apply and Rebuild wait for each other, searches for neither.
type Index struct {
	namespace string
	base      string // the alias
	schema    func(collection string) collectionSchema
	analyzer  *analysis.Analyzer
	server    *server
	reads     *guard.Guard
	logger    *slog.Logger
	now       func() time.Time

	current atomic.Pointer[build] // nil: nothing was seen yet
	doubt   atomic.Int32          // certain, away or loading
	node    atomic.Uint32         // the address that has shown current

	looking  turn   // held by everything that sets what follows, or current
	prepared *build // what an own write has just made, so that it need not be loaded
	believed *sight // what was less than promised, and is all there is
	mark     state  // the last own mark

	awaitedSince time.Time // when the node that is asked first lacked what a state speaks of

	writing  sync.Mutex // held by whoever writes
	closed   bool
	linger   time.Duration  // how long searches may go on in a build that was replaced
	retiring sync.WaitGroup // replaced builds that are not removed yet

	frequencies known[int]    // how many documents meet a condition
	phrases     known[string] // the conditions of longer phrases
	permissions permissions

	stop    context.CancelFunc
	stopped chan struct{}
}

// build is what a search looks at: taken at one moment, never changed.
type build struct {
	collection string // "": there is none, the index is empty and new
	state      state
	position   int64
	vocabulary *vocabulary
}

// empty is what there is before the first write.
func empty() *build { return &build{vocabulary: &vocabulary{}} }

const (
	// lookEvery is how soon an index sees what another process wrote.
	lookEvery = 100 * time.Millisecond
	// lookTimeout bounds one look, but for what must be loaded.
	lookTimeout = 5 * time.Second
	// loadTimeout bounds reading the words of a build that another process made.
	loadTimeout = 5 * time.Minute
	// searchTimeout bounds one search, unless the options say otherwise.
	searchTimeout = 5 * time.Second
	// writingTimeout bounds one request that writes, with all its attempts.
	writingTimeout = time.Minute
)

var validNamespace = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// Open opens an index. Where no server answers yet it is opened nevertheless, and answers once one does:
// Check says what is wrong. The error is one of the options.
func Open(ctx context.Context, options Options) (*Index, error) {
	return open(ctx, options, "", videosSchema)
}

// open opens an index of documents of one kind, whose name makes another index of it.
func open(ctx context.Context, options Options, kind string, schema func(collection string) collectionSchema) (*Index, error) {
	if !validNamespace.MatchString(options.Namespace) {
		return nil, fmt.Errorf("the namespace %q of the search index is not 1 to 64 characters of a-z, 0-9 and hyphen", options.Namespace)
	}
	transport, err := newTransport(&options)
	if err != nil {
		return nil, err
	}
	if options.Analyzer == nil {
		options.Analyzer = analysis.New(analysis.Synonyms{})
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Guard.Timeout <= 0 {
		options.Guard.Timeout = searchTimeout
	}
	options.Guard.Engine, options.Guard.Logger = engine, options.Logger
	// A write is tried again for long, and says nothing of whether searches are answered: it has a breaker
	// of its own.
	server, err := newServer(transport, guard.New(guard.Options{
		Engine: engine + " (writes)", Timeout: writingTimeout, Pause: options.Guard.Pause, Logger: options.Logger,
	}))
	if err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	x := &Index{
		namespace: options.Namespace,
		base:      fmt.Sprintf("%s-%s", options.Namespace, fingerprint(options.Analyzer, kind)),
		schema:    schema,
		analyzer:  options.Analyzer,
		server:    server,
		reads:     guard.New(options.Guard),
		logger:    options.Logger,
		now:       options.Now,
		mark:      state{Collection: "mark-" + strings.ToLower(rand.Text()), Base: encode(markBase)},
		looking:   make(turn, 1),
		linger:    options.Guard.Timeout + 2*lookEvery,
		stop:      stop,
		stopped:   make(chan struct{}),
	}
	x.doubt.Store(away)
	limited, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	if err := x.look(limited); err != nil {
		x.logger.Warn("the search index cannot be seen yet", "error", err)
	}
	go x.watch(watching)
	return x, nil
}

// fingerprint names what documents are made by, in eight hexadecimal digits: releases that would make
// others have another index beside this one. kind sets indexes of one release apart.
func fingerprint(analyzer *analysis.Analyzer, kind string) string {
	return digest(fmt.Sprintf("%d %d %x", schemaVersion, encodingVersion, analyzer.Fingerprint())+kind, 4)
}

// Close ends the index; what it wrote remains. After a Rebuild it waits, as long as a search may take,
// until it can remove what was there before.
func (x *Index) Close() error {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	x.retiring.Wait()
	x.stop()
	<-x.stopped
	x.server.transport.client.CloseIdleConnections()
	return nil
}

// build returns what searches look at now. The error is a *catalogue.Error of code Unavailable.
func (x *Index) build() (*build, error) {
	switch x.doubt.Load() {
	case away:
		return nil, unavailable("does not answer", nil)
	case loading:
		return nil, unavailable("is loading its documents", nil)
	}
	return x.current.Load(), nil
}

// maxMoved is how often a question is asked again because another node has answered it.
const maxMoved = 3

// consult asks a question of the index as it stands, within the limits of the guard. Where the build
// has been replaced meanwhile, or another node has answered than the one that has shown it, it asks again.
// Every question that a search asks goes this way.
func (x *Index) consult(ctx context.Context, ask func(ctx context.Context, at *build) error) error {
	for moved := 0; ; {
		node := x.node.Load()
		at, err := x.build()
		if err != nil {
			return err
		}
		err = x.reads.Do(ctx, func(ctx context.Context) error {
			err := ask(ctx, at)
			if errors.Is(err, errGone) {
				return &fault.Error{Code: fault.NotFound, Cause: err} // no failure for the guard
			}
			return err
		})
		switch {
		case errors.Is(err, errGone):
		case err == nil && x.server.transport.preferred.Load() != node && moved < maxMoved:
			moved++
		default:
			return err
		}
		if looked := x.look(ctx); looked != nil {
			return looked
		}
		if err != nil && x.current.Load() == at {
			return unavailable("has lost its documents", errGone)
		}
	}
}

// Position implements search.Index. While no server answers it is the last one that was seen.
func (x *Index) Position(context.Context) (int64, error) {
	at := x.current.Load()
	if at == nil || x.doubt.Load() == loading {
		return 0, unavailable("is loading its documents", nil)
	}
	return at.position, nil
}

// Count implements search.Index.
func (x *Index) Count(ctx context.Context) (n int, err error) {
	err = x.consult(ctx, func(ctx context.Context, at *build) error {
		if at.collection == "" {
			n = 0
			return nil
		}
		info, err := x.server.collection(ctx, at.collection)
		if isStatus(err, http.StatusNotFound) {
			return errGone
		}
		n = info.NumDocuments
		return err
	})
	return n, err
}

// Generation implements search.Index: the collection that searches look at, whose name holds the rules
// that it was made by; "" before the first.
func (x *Index) Generation() string {
	if at := x.current.Load(); at != nil {
		return at.collection
	}
	return ""
}
