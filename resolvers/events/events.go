// Package events records what clients report, and shows events live.
package events

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/resolvers/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/collections"
	"github.com/filmstrip/filmstrip/resolvers/registry"
)

// Config lists the ports that events need. Sink, Source and Clicks may be nil.
type Config struct {
	Videos      *catalogue.Resolver
	Collections *collections.Resolver
	// Registry has the audit log that notes expired access.
	Registry *registry.Registry
	Sink     Sink
	Source   Source
	Clicks   Clicks
	// PersonKey makes pseudonyms of the users that clients name (HMAC-SHA256); nil: their names are stored.
	PersonKey []byte
	// AddressKey hides the addresses of callers without a client of their own, in idempotency keys.
	AddressKey []byte
	Now        func() time.Time
}

// Sink stores events. Append returns event.Stored once they are on disk, and event.Repeated if they were stored before
// under the same idempotency key. The error has the code Mismatch if the key came with another request, and Unavailable
// if the events could not be stored, or if that is unknown. Recall is that of store.Events.
type Sink interface {
	Append(ctx context.Context, submission event.Submission) (event.Verdict, error)
	Recall(ctx context.Context, submission event.Submission) (event.Verdict, error)
}

// Source shows events as they are stored. Watch calls show with the events that match a filter, from now on and in the
// order of the log, until the context ends, show returns an error, or the watcher is too slow. It returns the reason.
type Source interface {
	Watch(ctx context.Context, filter event.Filter, show func(*event.Event) error) error
}

// Clicks records that an account's user opened a video after a search for a text. It does not wait for a store.
type Clicks interface {
	Clicked(by *account.Account, text, video string)
}

// Resolver resolves the fields about events.
type Resolver struct{ Config }

// New makes a resolver.
func New(config Config) *Resolver { return &Resolver{config} }
