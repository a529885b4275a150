// Package typesense implements the search engine on a Typesense server.
//
// A build of the index consists of a collection of videos, a collection of the words in them, and a state that records
// the progress of the build. Searches use the build that an alias points to. The name of the alias contains a
// fingerprint of the rules for documents, so that two releases with different rules have separate indexes. Filters
// decide every result: they use tokens that our own analyzer produces and that Typesense's analyzer leaves unchanged
// (encode). Typesense's text scores only decide the order.
//
// One limit of Typesense: until Apply returns, a search may see some documents of the batch and not others, because
// Typesense replaces documents one by one. Searches do not wait for Apply, since an import would delay all of them. A
// search sees either all of a Rebuild or nothing of it.
//
// The generated client of typesense-go builds requests, and our own transport sends them: the client's transport counts
// callers that disconnect as failures, never retries a single server, and has data races between several servers. Our
// own structs decode responses, because the client's maps turn versions into floating-point numbers. Our own structs
// also encode searches, whose parameters must never be null.
//
// The package supports versions 0.24.1 to 29 in the same way. It uses only features that all of them implement alike:
//   - page and per_page, because offset requires 0.25;
//   - separate fields for buckets, because facet ranges require 0.25 and count wrongly;
//   - neither _eval with several clauses (26) nor facet_strategy (27);
//   - updates by whole documents, because emplace keeps fragments before 0.25;
//   - ids in a filter up to the maximum length of a URL.
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

// Options are the settings of an Index.
type Options struct {
	// Addresses are the addresses of the nodes, in the form http://HOST:PORT or https://HOST:PORT. At least one is
	// required.
	Addresses []string
	// Key is a Typesense API key with all permissions on collections, aliases and documents.
	Key string
	// Namespace is the prefix of every name that the index creates: 1 to 64 characters of a-z, 0-9 and hyphen. A
	// namespace belongs to one store: the index treats everything under it as an index of that store.
	Namespace string
	// Analyzer analyzes texts. The default has no synonyms of an operator.
	Analyzer *analysis.Analyzer
	// Model is the name of the model that the vectors of documents come from; "": they have none. Each model has an
	// index of its own.
	Model string
	// TLS applies to https addresses. The default uses the system's certificates.
	TLS *tls.Config
	// Guard limits searches. Open sets its Engine and its Logger.
	Guard guard.Options
	// Logger receives errors of background work. It may be nil.
	Logger *slog.Logger
	// Now returns the current time. The default is time.Now.
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
	failure atomic.Pointer[error] // of the last poll that failed; nil before
	node    atomic.Uint32         // index of the address that current was read from

	polling  cancelableLock // held while current or the following fields change
	prepared *build         // the result of this process's last write, which needs no loading
	believed *snapshot      // less than its state promises, but all that exists
	mark     state          // the last mark of this process

	awaitedSince time.Time // when the preferred node first lacked the last document of a state

	writing  sync.Mutex // held during a write
	closed   bool
	linger   time.Duration  // how long searches may continue in a replaced build
	retiring sync.WaitGroup // one for each replaced build that still exists

	frequencies known[int]    // number of documents that meet a condition
	phrases     known[string] // the conditions of longer phrases
	near        known[*nearest]
	permissions permissions

	stop    context.CancelFunc
	stopped chan struct{}
}

// build is the immutable state of the index that a search uses.
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

// Open opens an index, even if no server answers yet. Searches work as soon as one does, and Check reports problems. An
// error means that an option is invalid.
func Open(ctx context.Context, options Options) (*Index, error) {
	kind := ""
	if options.Model != "" {
		kind = "model " + options.Model
	}
	return open(ctx, options, kind, videosSchema)
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
	// Writes have a separate circuit breaker, because the transport retries them for a long time and their failures do
	// not affect searches.
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
		polling:   make(cancelableLock, 1),
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

// fingerprint returns eight hexadecimal digits that identify the rules for documents. A release with other rules has a
// separate index. kind distinguishes the indexes of one release.
func fingerprint(analyzer *analysis.Analyzer, kind string) string {
	return digest(fmt.Sprintf("%d %d %x", schemaVersion, encodingVersion, analyzer.Fingerprint())+kind, 4)
}

// Close closes the index and keeps its data. After a Rebuild, it waits until no search can still use the replaced
// build, and deletes that build.
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

// build returns the build that searches use now. Its error is a *fault.Error with code Unavailable.
func (x *Index) build() (*build, error) {
	switch x.doubt.Load() {
	case away:
		var cause error
		if failure := x.failure.Load(); failure != nil {
			cause = *failure
		}
		return nil, unavailable("does not answer", cause)
	case loading:
		return nil, unavailable("is loading its documents", nil)
	}
	return x.current.Load(), nil
}

// maxMoved is the maximum number of times that consult repeats a question because another node answered it.
const maxMoved = 3

// consult asks a question about the current build, within the limits of the guard. It asks again if the build was
// deleted in the meantime, or if the answer came from another node than the build. Every question of a search goes
// through consult.
func consult[R any](ctx context.Context, x *Index, ask func(ctx context.Context, at *build) (R, error)) (none R, err error) {
	for moved := 0; ; {
		node := x.node.Load()
		at, err := x.build()
		if err != nil {
			return none, err
		}
		var answer R
		err = x.reads.Do(ctx, func(ctx context.Context) (err error) {
			answer, err = ask(ctx, at)
			if errors.Is(err, errGone) {
				return &fault.Error{Code: fault.NotFound, Cause: err} // the guard does not count it as a failure
			}
			return err
		})
		switch {
		case errors.Is(err, errGone):
		case err != nil:
			return none, err
		case x.server.transport.preferred.Load() != node && moved < maxMoved:
			moved++
		default:
			return answer, nil
		}
		if failed := x.poll(ctx); failed != nil {
			return none, failed
		}
		if err != nil && x.current.Load() == at {
			return none, unavailable("has lost its documents", errGone)
		}
	}
}

// Position implements search.Index. While no server answers, it returns the last known position.
func (x *Index) Position(context.Context) (int64, error) {
	at := x.current.Load()
	if at == nil || x.doubt.Load() == loading {
		return 0, unavailable("is loading its documents", nil)
	}
	return at.position, nil
}

// Count implements search.Index.
func (x *Index) Count(ctx context.Context) (int, error) {
	return consult(ctx, x, func(ctx context.Context, at *build) (int, error) {
		if at.collection == "" {
			return 0, nil
		}
		info, err := x.server.collection(ctx, at.collection)
		if isStatus(err, http.StatusNotFound) {
			return 0, errGone
		}
		return info.NumDocuments, err
	})
}

// Generation implements search.Index. It returns the name of the collection that searches use, which contains the
// fingerprint of its rules, or "" before the first write.
func (x *Index) Generation() string {
	if at := x.current.Load(); at != nil {
		return at.collection
	}
	return ""
}

// Name returns the name of the index. All processes of the index share it.
func (x *Index) Name() string { return x.base }

// LeftAlone reports whether searches currently fail without a request, because Typesense failed before or is still
// loading.
func (x *Index) LeftAlone() bool { return x.reads.Open() || x.doubt.Load() != certain }
