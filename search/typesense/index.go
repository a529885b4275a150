// Package typesense is the search engine that lies in Typesense, 0.24.1 to the 29 line.
package typesense

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/typesense/typesense-go/v3/typesense/api"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Options are what an Index needs.
type Options struct {
	// Addresses are the nodes, "http://HOST:PORT" or "https://…", at least one.
	Addresses []string
	// Key is a key of Typesense's API with every right on collections, aliases and documents.
	Key string
	// Namespace starts the names of everything that the index makes: 1 to 64 characters of a-z, 0-9 and
	// hyphen. It belongs to one store: indexes of one namespace are taken for builds of the same.
	Namespace string
	// Analyzer takes the texts apart; nil: one without an operator's synonyms.
	Analyzer *analysis.Analyzer
	// TLS is for addresses with https; nil: the system's certificates.
	TLS *tls.Config
	// Guard bounds searches. Its Engine is set here.
	Guard guard.Options
	// Logger takes what goes wrong in the background; nil: none.
	Logger *slog.Logger
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Index is a search.Index.
type Index struct {
	namespace string
	base      string // the alias
	analyzer  *analysis.Analyzer
	server    *server
	reads     *guard.Guard
	logger    *slog.Logger
	now       func() time.Time

	current atomic.Pointer[build] // nil: it was never seen
	writing sync.Mutex
}

// build is what a search looks at: taken at one moment, never changed.
type build struct {
	collection string // "": there is none, the index is empty and new
	position   int64
	vocabulary *vocabulary
}

// Open opens an index.
func Open(ctx context.Context, options Options) (*Index, error) {
	if options.Analyzer == nil {
		options.Analyzer = analysis.New(analysis.Synonyms{})
	}
	t := &transport{client: &http.Client{}, key: options.Key, patience: 15 * time.Second}
	for _, address := range options.Addresses {
		parsed, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		t.addresses = append(t.addresses, parsed)
	}
	client, err := api.NewClient("http://typesense", api.WithHTTPClient(t))
	if err != nil {
		return nil, err
	}
	options.Guard.Engine = engine
	return &Index{
		namespace: options.Namespace, analyzer: options.Analyzer, server: &server{client, t},
		reads: guard.New(options.Guard), now: time.Now,
	}, nil
}

// build returns what searches look at now. The error is a *catalogue.Error of code Unavailable.
func (x *Index) build() (*build, error) {
	if at := x.current.Load(); at != nil {
		return at, nil
	}
	return nil, catalogue.Errorf(catalogue.Unavailable, "the index is being loaded")
}

// consult asks a question of the index as it stands, within the limits of the guard. Where the build
// has been replaced meanwhile it asks again. Every question that a search asks goes this way.
func (x *Index) consult(ctx context.Context, ask func(ctx context.Context, at *build) error) error {
	for attempt := 1; ; attempt++ {
		at, err := x.build()
		if err != nil {
			return err
		}
		err = x.reads.Do(ctx, func(ctx context.Context) error { return ask(ctx, at) })
		if !errors.Is(err, errGone) || attempt == maxAttempts {
			return err
		}
	}
}

// maxAttempts is how often a question is asked while builds are replaced.
const maxAttempts = 5
