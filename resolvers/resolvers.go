// Package resolvers implements the schema over the ports of store, search and events. Both APIs lead here, so neither
// shows more than the other.
//
// Each noun has a package, whose Config or New lists the ports that it needs. NewSchema composes them. A package imports
// only packages in the lines below its own:
//
//	resolvers
//	events
//	collections, highlights, alignments, embeds, usage, jobs
//	search
//	catalogue, accounts, billing, deprecations, editing, places, system
//	registry, authz, inputs, paging, values
package resolvers

import (
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/imports"
	work "github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/resolvers/accounts"
	"github.com/filmstrip/filmstrip/resolvers/alignments"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/billing"
	"github.com/filmstrip/filmstrip/resolvers/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/collections"
	"github.com/filmstrip/filmstrip/resolvers/deprecations"
	"github.com/filmstrip/filmstrip/resolvers/editing"
	"github.com/filmstrip/filmstrip/resolvers/embeds"
	"github.com/filmstrip/filmstrip/resolvers/events"
	"github.com/filmstrip/filmstrip/resolvers/highlights"
	"github.com/filmstrip/filmstrip/resolvers/jobs"
	"github.com/filmstrip/filmstrip/resolvers/places"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	searches "github.com/filmstrip/filmstrip/resolvers/search"
	"github.com/filmstrip/filmstrip/resolvers/system"
	"github.com/filmstrip/filmstrip/resolvers/usage"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/store"
)

// Config lists the ports of the domain. A schema needs only those of the fields that it serves: most fields whose port is
// nil return an error with the code Unavailable.
type Config struct {
	Catalogue store.Catalogue
	Index     search.Reader
	// Remote: a call of Index crosses the network, so calls that may be needed run at the same time.
	Remote   bool
	Analyzer *analysis.Analyzer
	// Meanings knows what texts mean; nil: search uses words alone.
	Meanings searches.Meanings
	// SearchRecorder records searches and clicks, and knows the phrases that accounts share. SearchLog has what was
	// recorded.
	SearchRecorder SearchRecorder
	SearchLog      store.SearchLog
	// CursorKeys sign the cursors of feeds. The first key signs, all keys verify; each has at least 32 bytes.
	CursorKeys [][]byte

	Collections     store.Collections
	CollectionIndex search.CollectionReader
	// Roster returns the accounts and content packages that are in force.
	Roster func() *account.Roster

	// Registry and SignIns hold the accounts that operators administer.
	Registry store.Registry
	SignIns  store.SignIns
	// Deprecations records who uses deprecated parts of the API.
	Deprecations store.Deprecations
	// AccessLifetime is the lifetime of access tokens, for which those of disabled users are refused; 0: a day.
	AccessLifetime time.Duration
	// HashPassword returns the hash under which a password is stored. The error has the code Invalid if the password is
	// not acceptable.
	HashPassword func(ctx context.Context, password string) (string, error)
	// LimitCodes is called before a code of a user's second factor is checked. An error refuses the code. nil: no limit.
	LimitCodes func(ctx context.Context, user string) error

	// CheckProvider tests the identity provider of an account; see accounts.Config.
	CheckProvider func(ctx context.Context, of string, provider *account.IdentityProvider) string

	// Events records events, Live shows them.
	Events events.Sink
	Live   events.Source
	// Usage holds what is counted, Statements composes statements, Persons anonymizes events, and Voids takes plays out
	// of the counts.
	Usage      store.Usage
	Statements usage.Statements
	Persons    usage.Persons
	Voids      usage.Voids
	// PersonKey makes pseudonyms of the users that clients name (HMAC-SHA256); nil: their names are stored.
	PersonKey []byte
	// FormerPersonKey made the pseudonyms before they were switched off; nil: there were none, or there still are.
	FormerPersonKey []byte

	// Jobs holds the jobs, WakeJobs makes this process look for one at once, and Imports imports uploads. Files of jobs are
	// served below FilesPath.
	Jobs      store.Jobs
	WakeJobs  func()
	Imports   *imports.Imports
	FilesPath string
	// CanMaintain says what maintenance can be done; see jobs.Config.
	CanMaintain func(kind string) error

	// Version, Parts and Keys describe the service to operators, and RotateKeys adds keys; see system.Config.
	Version     string
	Parts       func(ctx context.Context) []system.Part
	Sizes       func(ctx context.Context) []system.Size
	Keys        store.Keys
	SigningKeys string
	RotateKeys  func(ctx context.Context, now time.Time, withdraw bool) error

	// Places finds schools and districts.
	Places places.Index
	// Embeds signs the addresses of embeds.
	Embeds embeds.Signer
	// Clock returns what the processes observed about their wall clocks.
	Clock func(ctx context.Context) (store.ClockRecord, error)
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// SearchRecorder records searches and the clicks that follow them.
type SearchRecorder interface {
	searches.Recorder
	events.Clicks
}

// Domain is one set of resolvers.
type Domain struct{ root *root }

// New makes the resolvers.
func New(config Config) Domain { return Domain{newRoot(&config)} }

// NewSchema makes the executable schema of resolvers of its own.
func NewSchema(config Config) graphql.ExecutableSchema { return New(config).Schema() }

// JobKinds returns what the domain does as jobs.
func (d Domain) JobKinds() map[string]work.Func { return d.root.Kinds() }

// Schema makes the executable schema.
func (d Domain) Schema() graphql.ExecutableSchema {
	return graph.NewExecutableSchema(graph.Config{
		Resolvers:  typeRoot{d.root},
		Directives: graph.DirectiveRoot{Requires: authz.Requires},
		Complexity: complexity(),
	})
}

func newRoot(c *Config) *root {
	now := c.Now
	if now == nil {
		now = time.Now
	}
	var addressKey []byte
	if len(c.CursorKeys) > 0 {
		addressKey = c.CursorKeys[0]
	}
	records := registry.New(c.Registry)
	videos := catalogue.New(catalogue.Config{Store: c.Catalogue, Index: c.Index, CursorKeys: c.CursorKeys, Now: now})
	searching := searches.New(searches.Config{
		Videos: videos, Index: c.Index, Analyzer: c.Analyzer, Remote: c.Remote, Registry: records, Roster: c.Roster,
		Collections: c.Collections, Meanings: c.Meanings, Catalogue: c.Catalogue, Recorder: c.SearchRecorder, Log: c.SearchLog, Now: now,
	})
	lists := collections.New(collections.Config{
		Videos: videos, Catalogue: c.Catalogue, Store: c.Collections, Index: c.CollectionIndex, Analyzer: c.Analyzer,
		Registry: records, Roster: c.Roster, Now: now,
	})
	edits := editing.New(c.Catalogue, c.Collections, records, now)
	return &root{
		videos, searching, lists,
		alignments.New(c.Catalogue, videos),
		highlights.New(c.Catalogue, videos, searching, c.Analyzer),
		embeds.New(videos, c.Embeds, now),
		places.New(c.Places, c.Analyzer),
		events.New(events.Config{
			Videos: videos, Collections: lists, Registry: records, Sink: c.Events, Source: c.Live, Clicks: c.SearchRecorder,
			PersonKey: c.PersonKey, AddressKey: addressKey, Now: now,
		}),
		usage.New(usage.Config{
			Videos: videos, Registry: records, Catalogue: c.Catalogue, Roster: c.Roster, Counts: c.Usage, Statements: c.Statements, Persons: c.Persons, Voids: c.Voids,
			PersonKey: c.PersonKey, FormerPersonKey: c.FormerPersonKey, Now: now,
		}),
		accounts.New(accounts.Config{
			Registry: records, SignIns: c.SignIns, Catalogue: c.Catalogue, Collections: c.Collections, Searches: c.SearchLog, Counts: c.Usage,
			AccessLifetime: c.AccessLifetime, HashPassword: c.HashPassword, CheckProvider: c.CheckProvider, LimitCodes: c.LimitCodes, Now: now,
		}),
		deprecations.New(records, c.Deprecations, now),
		edits,
		billing.New(billing.Config{Registry: records, Catalogue: c.Catalogue, Counts: c.Usage, Clock: c.Clock, Now: now}),
		system.New(system.Config{
			Version: c.Version, Parts: c.Parts, Sizes: c.Sizes, Jobs: c.Jobs, Catalogue: c.Catalogue, Keys: c.Keys, SigningKeys: c.SigningKeys, RotateKeys: c.RotateKeys,
			Registry: records, Now: now,
		}),
		jobs.New(jobs.Config{
			Store: c.Jobs, Wake: c.WakeJobs, Imports: c.Imports, Editing: edits, Search: searching, Registry: records, FilesPath: c.FilesPath, CanMaintain: c.CanMaintain,
		}),
	}
}

// root resolves all root fields: each package has the methods of its own.
type root struct {
	*catalogueFields
	*searchFields
	*collectionFields
	*alignmentFields
	*highlightFields
	*embedFields
	*placeFields
	*eventFields
	*usageFields
	*accountFields
	*deprecationFields
	*editingFields
	*billingFields
	*systemFields
	*jobFields
}

// An embedded field needs a name of its own.
type (
	catalogueFields   = catalogue.Resolver
	searchFields      = searches.Resolver
	collectionFields  = collections.Resolver
	alignmentFields   = alignments.Resolver
	highlightFields   = highlights.Resolver
	embedFields       = embeds.Resolver
	placeFields       = places.Resolver
	eventFields       = events.Resolver
	usageFields       = usage.Resolver
	accountFields     = accounts.Resolver
	deprecationFields = deprecations.Resolver
	editingFields     = editing.Resolver
	billingFields     = billing.Resolver
	systemFields      = system.Resolver
	jobFields         = jobs.Resolver
)

// typeRoot adds the resolvers of types that share their name with a root field.
type typeRoot struct{ *root }

func (r typeRoot) User() graph.UserResolver { return accounts.UserFields{Resolver: r.accountFields} }

func (r typeRoot) System() graph.SystemResolver { return system.Fields{Resolver: r.systemFields} }

// PreviewContentPackage checks rules as accounts do, and shows what searches find with them.
func (r *root) PreviewContentPackage(ctx context.Context, rules []*graph.AccessRuleInput) (*graph.ContentPackagePreview, error) {
	checked, err := r.CheckedRules(ctx, rules)
	if err != nil {
		return nil, err
	}
	return r.Preview(ctx, checked)
}

func (r *root) Query() graph.QueryResolver               { return r }
func (r *root) Mutation() graph.MutationResolver         { return r }
func (r *root) Subscription() graph.SubscriptionResolver { return r }
func (r *root) Deprecation() graph.DeprecationResolver   { return r.deprecationFields }
func (r *root) Playback() graph.PlaybackResolver         { return embeds.Pictures{} }
func (r *root) VideoSearch() graph.VideoSearchResolver {
	return searches.Page{Resolver: r.searchFields}
}
func (r *root) VideoConnection() graph.VideoConnectionResolver {
	return catalogue.Connection{Resolver: r.catalogueFields}
}
