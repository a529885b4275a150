// Package typesense implements the search engine on a Typesense server.
//
// A build of the index consists of a collection of videos, a collection of the words in them, and a state that records
// how far the build has come. Searches use the build that an alias points to. The alias's name contains a fingerprint
// of the rules by which documents are made, so two releases that run side by side each have an index of their own.
// Filters decide every answer: they use tokens that our own analyser makes and that Typesense's analyser leaves
// unchanged (encode). Typesense's text scores only decide the order.
//
// One limit of Typesense: until Apply returns, a search may see some documents of the batch and not others, because
// Typesense replaces documents one by one. Searches do not wait for Apply, since an import would delay all of them. A
// search sees either all of a Rebuild or nothing of it.
//
// The generated client of typesense-go builds requests and our own transport sends them: the client's transport counts
// callers that hang up as failures, never retries a single server, and has data races between several servers. Our own
// structs decode answers, because the client's maps turn versions into floating-point numbers. They also encode
// searches, whose parameters must never be null.
//
// The package speaks to versions 0.24.1 to 29 in one way, and uses only what all of them treat alike:
//   - pages by page and per_page, because offset came with 0.25;
//   - fields of their own for buckets, because facet ranges came with 0.25 and count wrongly;
//   - no _eval with several clauses (26) and no facet_strategy (27);
//   - updates by whole documents, because before 0.25 emplace kept fragments;
//   - at most as many characters for the ids of a filter as an address may have.
//
// The tests run on 0.24.1.
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

// Options configure an Index.
type Options struct {
	// Addresses are the addresses of the nodes, "http://HOST:PORT" or "https://HOST:PORT"; at least one.
	Addresses []string
	// Key is a Typesense API key with all rights on collections, aliases and documents.
	Key string
	// Namespace is the prefix of every name that the index creates: 1 to 64 characters of a-z, 0-9 and hyphen. It
	// belongs to one store: the index treats everything under it as an index of that store.
	Namespace string
	// Analyzer analyses texts; nil: one without an operator's synonyms.
	Analyzer *analysis.Analyzer
	// TLS applies to https addresses; nil: the system's certificates.
	TLS *tls.Config
	// Guard limits searches. Open sets its Engine and its Logger.
	Guard guard.Options
	// Logger receives errors of background work; nil: none.
	Logger *slog.Logger
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Index is a search.Index. Apply and Rebuild exclude each other; searches wait for neither.
type Index struct {
	namespace string
	base      string // the alias
	schema    func(collection string) collectionSchema
	analyzer  *analysis.Analyzer
	server    *server
	reads     *guard.Guard
	logger    *slog.Logger
	now       func() time.Time

	current atomic.Pointer[build] // nil until the first snapshot
	doubt   atomic.Int32          // certain, away or loading
	node    atomic.Uint32         // index of the address that current was read from

	polling  turn      // held while current or the following fields change
	prepared *build    // the result of this process's last write, which needs no loading
	believed *snapshot // less than its state promises, but all that exists
	mark     state     // the last mark of this process

	awaitedSince time.Time // when the preferred node first lacked the last document of a state

	writing  sync.Mutex // held during a write
	closed   bool
	linger   time.Duration  // how long searches may continue in a replaced build
	retiring sync.WaitGroup // one for each replaced build that still exists

	frequencies known[int]    // number of documents that meet a condition
	phrases     known[string] // the conditions of longer phrases
	permissions permissions

	stop    context.CancelFunc
	stopped chan struct{}
}

// build is what a search uses: the index at one moment. It never changes.
type build struct {
	collection string // "" if the index is new and empty
	state      state
	position   int64
	vocabulary *vocabulary
}

// empty returns the build before the first write.
func empty() *build { return &build{vocabulary: &vocabulary{}} }

const (
	// pollEvery is the interval at which an index checks for writes of other processes.
	pollEvery = 100 * time.Millisecond
	// pollTimeout limits one poll, without the loading of words.
	pollTimeout = 5 * time.Second
	// loadTimeout limits the loading of words that another process wrote.
	loadTimeout = 5 * time.Minute
	// searchTimeout limits one search, unless the options set another limit.
	searchTimeout = 5 * time.Second
	// writingTimeout limits one write request with all its attempts.
	writingTimeout = time.Minute
)

var validNamespace = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// Open opens an index, even if no server answers yet; searches work as soon as one does, and Check reports what is
// wrong. An error means that an option is invalid.
func Open(ctx context.Context, options Options) (*Index, error) {
	return open(ctx, options, "", videosSchema)
}

// open opens an index of one kind of documents. Each kind has an index of its own.
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
	// Writes have a breaker of their own: they are retried for long, and their failures say nothing about searches.
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
		polling:   make(turn, 1),
		linger:    options.Guard.Timeout + 2*pollEvery,
		stop:      stop,
		stopped:   make(chan struct{}),
	}
	x.doubt.Store(away)
	limited, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	if err := x.poll(limited); err != nil {
		x.logger.Warn("the search index cannot be seen yet", "error", err)
	}
	go x.watch(watching)
	return x, nil
}

// fingerprint returns eight hexadecimal digits that identify the rules by which documents are made. Releases with other
// rules use another index beside this one. kind distinguishes the indexes of one release.
func fingerprint(analyzer *analysis.Analyzer, kind string) string {
	return digest(fmt.Sprintf("%d %d %x", schemaVersion, encodingVersion, analyzer.Fingerprint())+kind, 4)
}

// Close closes the index and keeps its data. After a Rebuild it waits until no search can still use the replaced build,
// and removes that build.
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

// build returns the build that searches use now. The error is a *fault.Error with code Unavailable.
func (x *Index) build() (*build, error) {
	switch x.doubt.Load() {
	case away:
		return nil, unavailable("does not answer", nil)
	case loading:
		return nil, unavailable("is loading its documents", nil)
	}
	return x.current.Load(), nil
}

// maxMoved is how often consult repeats a question because another node answered it.
const maxMoved = 3

// consult asks a question about the current build, within the limits of the guard. It asks again if the build was
// removed in the meantime, or if another node answered than the one that the build came from. Every question of a
// search goes through consult.
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
				return &fault.Error{Code: fault.NotFound, Cause: err} // the guard does not count it as a failure
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
		if failed := x.poll(ctx); failed != nil {
			return failed
		}
		if err != nil && x.current.Load() == at {
			return unavailable("has lost its documents", errGone)
		}
	}
}

// Position implements search.Index. While no server answers, it is the last known position.
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

// Generation implements search.Index. It returns the name of the collection that searches use, which contains the
// fingerprint of its rules; "" before the first write.
func (x *Index) Generation() string {
	if at := x.current.Load(); at != nil {
		return at.collection
	}
	return ""
}
