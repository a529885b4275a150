// Package resolvers is the behaviour of the domain: it implements the schema over the ports of store
// and search, and decides what a query means and who may see what. Both doors lead here, so neither
// is wider than the other.
package resolvers

import (
	"cmp"
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/maypok86/otter/v2"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/store"
)

// Config is what the domain stands on. Registry, SignIns, AccessLifetime, HashPassword, CursorKeys and Now may be absent;
// a schema that is for administration alone needs nothing but the first three.
type Config struct {
	Catalogue store.Catalogue
	Index     search.Reader
	// Distant: every question to Index is a journey, so that what may be needed is asked together.
	Distant  bool
	Analyzer *analysis.Analyzer
	// Collections keeps collections and who saved which, CollectionIndex finds them; nil: fields that need one
	// answer Unavailable.
	Collections     store.Collections
	CollectionIndex search.CollectionReader
	// Roster returns the content packages that are in force; nil: there are none.
	Roster func() *account.Roster
	// Registry and SignIns are what operators administer; nil: administration answers Unavailable.
	Registry store.Registry
	SignIns  store.SignIns
	// Deprecations keeps who uses what is deprecated; nil: fields that need it answer Unavailable.
	Deprecations store.Deprecations
	// AccessLifetime is how long access tokens live, and therefore for how long those of users who may
	// not come any more have to be refused; 0: a day.
	AccessLifetime time.Duration
	// HashPassword makes the hash that a password is stored as, with an error of code Invalid for one that
	// is none; nil: passwords cannot be set.
	HashPassword func(ctx context.Context, password string) (string, error)
	// Events takes what clients tell of use; EventLog is the log of it, Usage what is counted of it, Live shows it
	// as it comes. nil: fields that need one answer Unavailable.
	Events   EventSink
	EventLog store.Events
	Usage    store.Usage
	Live     EventSource
	// Statements makes statements, Persons knows of whom events are, Voids takes plays out of the counts. nil: fields that need them answer Unavailable.
	Statements Statements
	Persons    Persons
	Voids      Voids
	// Places finds schools and districts; nil: those fields answer Unavailable.
	Places Places
	// Embeds signs the addresses of embeds; nil: createEmbed answers Unavailable.
	Embeds EmbedSigner
	// Asked is told of searches and clicks, and shares phrases; nil: nothing is noted, none are shared. Queries is
	// what was noted; nil: the report answers Unavailable.
	SearchRecorder SearchRecorder
	SearchLog      store.SearchLog
	// PersonKey pseudonymises the users whom clients name (HMAC-SHA256); nil: they are kept as they are.
	PersonKey []byte
	// PersonKeyBefore is what they were pseudonymised with until that was switched off, so that they are found;
	// nil: they never were, or still are.
	PersonKeyBefore []byte
	// CursorKeys sign the feed's cursors: the first signs, all verify. Each has at least 32 bytes.
	CursorKeys [][]byte
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// EventSink stores events. Append returns event.Stored once they have reached the disk, event.Repeated where they had
// before under the same idempotency key; an error of code Mismatch where the key came with another request, and of
// code Unavailable where they could not be stored or it is not known. Recall is that of store.Events.
type EventSink interface {
	Append(ctx context.Context, submission event.Submission) (event.Verdict, error)
	Recall(ctx context.Context, submission event.Submission) (event.Verdict, error)
}

// EventSource shows events as they are stored. Watch hands the events that the filter keeps to show, from now
// on and in the order of the log, until the context ends, show returns an error, or the watcher is too slow;
// it returns why.
type EventSource interface {
	Watch(ctx context.Context, filter event.Filter, show func(*event.Event) error) error
}

// NewSchema makes the executable schema.
func NewSchema(config Config) graphql.ExecutableSchema {
	if config.Now == nil {
		config.Now = time.Now
	}
	root := &resolver{
		catalogue: config.Catalogue,
		index:     config.Index,
		distant:   config.Distant,
		analyzer:  config.Analyzer,
		registry:  config.Registry,
		shelves:   config.Collections,
		finder:    config.CollectionIndex,
		roster:    config.Roster,
		signIns:   config.SignIns,
		hash:      config.HashPassword,

		deprecations: config.Deprecations,

		events: config.Events, eventLog: config.EventLog, usage: config.Usage, live: config.Live,
		personKey: config.PersonKey, personKeyBefore: config.PersonKeyBefore,
		statements: config.Statements, people: config.Persons, voids: config.Voids, places: config.Places, embeds: config.Embeds,
		asked: config.SearchRecorder, queries: config.SearchLog,

		accessLifetime: cmp.Or(config.AccessLifetime, 24*time.Hour),

		cursors: cursors{keys: config.CursorKeys},
		now:     config.Now,
		pages:   otter.Must(&otter.Options[pageKey, *model.VideoSearch]{MaximumSize: rememberedPages}),
	}
	return graph.NewExecutableSchema(graph.Config{
		Resolvers:  root,
		Directives: graph.DirectiveRoot{Requires: requires},
		Complexity: complexity(),
	})
}

// requires is the directive of that name.
func requires(ctx context.Context, _ any, next graphql.Resolver, permission account.Permission) (any, error) {
	if err := account.Require(ctx, permission); err != nil {
		return nil, err
	}
	if err := checkConfined(ctx); err != nil {
		return nil, err
	}
	return next(ctx)
}

type resolver struct {
	catalogue store.Catalogue
	index     search.Reader
	distant   bool
	analyzer  *analysis.Analyzer
	registry  store.Registry
	shelves   store.Collections
	finder    search.CollectionReader
	roster    func() *account.Roster
	signIns   store.SignIns
	hash      func(ctx context.Context, password string) (string, error)

	deprecations store.Deprecations

	events   EventSink
	eventLog store.Events
	usage    store.Usage
	live     EventSource
	// personKey makes pseudonyms of new events, personKeyBefore made those of others.
	personKey, personKeyBefore []byte

	statements Statements
	people     Persons
	voids      Voids
	places     Places
	asked      SearchRecorder
	queries    store.SearchLog
	embeds     EmbedSigner

	accessLifetime time.Duration

	cursors cursors
	themes  keptThemes
	// steering is what operators say of texts.
	steering keptSteering
	now      func() time.Time
	pages    *otter.Cache[pageKey, *model.VideoSearch]
}

// The roots that the executor asks for.

func (r *resolver) Query() graph.QueryResolver                     { return query{r} }
func (r *resolver) Mutation() graph.MutationResolver               { return mutation{r} }
func (r *resolver) Subscription() graph.SubscriptionResolver       { return subscription{r} }
func (r *resolver) VideoSearch() graph.VideoSearchResolver         { return videoSearch{r} }
func (r *resolver) VideoConnection() graph.VideoConnectionResolver { return videoConnection{r} }

// query answers the fields of the root type Query; its methods are spread over one file per noun.
type query struct{ *resolver }

// subscription answers the fields of the root type Subscription.
type subscription struct{ *resolver }

// mutation answers the fields of the root type Mutation.
type mutation struct{ *resolver }

// today is the UTC day on which the request is answered.
func (r *resolver) today() catalogue.Date { return catalogue.DateOf(r.now()) }

// caller returns who asks. Every root field needs one: nothing is answered to nobody.
func caller(ctx context.Context) (*account.Caller, error) {
	if err := account.Require(ctx, account.Everyone); err != nil {
		return nil, err
	}
	return account.CallerOf(ctx), checkConfined(ctx)
}

// directory returns the small things as they stand: for whatever shows no video.
func (r *resolver) directory(ctx context.Context) (*catalogue.Directory, error) {
	return r.catalogue.Directory(ctx, 0)
}
