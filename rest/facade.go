package rest

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// Config is what the facade stands on. All fields are required but those that say otherwise.
type Config struct {
	// Schema is the domain.
	Schema graphql.ExecutableSchema
	// Documents keeps rendered videos, Pages whole answers.
	Documents, Pages cache.Cache
	Streams          Streams
	// Protect lets requests with a valid token through, with their account.Caller in the context, and
	// answers 401 to all others.
	Protect func(http.Handler) http.Handler
	// Limit stands behind Protect and answers callers who ask too often; nil: nobody does.
	Limit func(http.Handler) http.Handler
	// Anonymous stands before requests without a token, and may refuse them; those that it lets through
	// see the index, subjects, and single videos with their transcripts, of channels that are not private.
	// nil: every request needs a token.
	Anonymous func(http.Handler) http.Handler
	// AddressOf finds the network address of a caller, for the events that it tells; nil, or the zero
	// address: it is not known.
	AddressOf func(*http.Request) netip.Addr
	// Base finds the public base address of a request.
	Base *Base
	// Doors are handlers of other rooms that this server serves too.
	Doors []Door
	// Origins are the origins of pages that may call with credentials.
	Origins Origins
	// Hosts admits requests by their Host header, except at doors for AnyHost; nil: every host is admitted.
	Hosts *LocalHosts
	// BodyMemory bounds what the bodies of requests that are under way take together, in bytes, a quarter of it (at
	// least 8 MiB) those of one client; 0: DefaultBodyMemory.
	BodyMemory int64
	// Timeout bounds every request, in all.
	Timeout time.Duration
	// NoCompression leaves answers as they are.
	NoCompression bool
	// Deprecations knows until when callers may use what is deprecated, and counts it; nil: nobody does.
	Deprecations *deprecation.Register
	// Observer is told of every request; nil: nobody is.
	Observer Observer
	Logger   *slog.Logger
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Door is a handler of another room. Two may have one path, if they take different methods.
type Door struct {
	// Path is the path that it serves; with Prefix, everything below it too.
	Path   string
	Prefix bool
	// Methods that it takes. GET brings HEAD along.
	Methods []string
	Handler http.Handler
	// Public doors need no token.
	Public bool
	// ChecksUserID: the door refuses a Service-User-Id that is none by itself, in its own words.
	ChecksUserID bool
	// Timeout bounds the requests of this door where it is not Config's; 0: it is.
	Timeout time.Duration
	// Endless reports which requests have no bound but their caller's patience, because they may be answered
	// by a stream; nil: none. It is asked before anything else. They are observed until their answer begins.
	Endless func(*http.Request) bool
	// AnyOrigin: the door answers pages of any origin, without credentials, and sets what CORS needs
	// by itself.
	AnyOrigin bool
	// AnyHost: the door answers whatever the Host header, even where Config's Hosts are restricted.
	AnyHost bool
}

// facade is what the endpoints share.
type facade struct {
	executor   *executor
	operations map[string]*operation
	documents  *documents
	pages      *pages
	compress   bool
	timeout    time.Duration
	slowDoors  []Door // those with times of their own
	baseOf     *Base
	addressOf  func(*http.Request) netip.Addr
	streams    Streams
	observer   Observer
	logger     *slog.Logger
	now        func() time.Time

	deprecations *deprecation.Register
	bodies       *bodies
}

// New makes the handler of the whole service: the facade, the doors of the other rooms, and what
// every answer has in common.
func New(config Config) (http.Handler, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	if config.AddressOf == nil {
		config.AddressOf = func(*http.Request) netip.Addr { return netip.Addr{} }
	}
	operations, err := loadOperations(config.Schema.Schema())
	if err != nil {
		return nil, err
	}
	if err := checkOperations(operations); err != nil {
		return nil, err
	}
	executor := &executor{schema: config.Schema}
	f := &facade{
		executor: executor, operations: operations, baseOf: config.Base, addressOf: config.AddressOf, streams: config.Streams,
		observer: config.Observer, logger: config.Logger, now: config.Now,
		deprecations: config.Deprecations, bodies: newBodies(cmp.Or(config.BodyMemory, DefaultBodyMemory)),
		pages: newPages(config.Pages, config.Logger), compress: !config.NoCompression, timeout: config.Timeout,
		documents: newDocuments(config.Documents, executor, operations["VideoDocuments"], config.Logger),
	}
	for _, door := range config.Doors {
		if door.Timeout > 0 || door.Endless != nil {
			f.slowDoors = append(f.slowDoors, door)
		}
	}
	description, err := f.describeOn(config)
	if err != nil {
		return nil, err
	}
	config.Doors = append(slices.Clip(config.Doors), description)
	return f.server(config), nil
}

// checkOperations holds what endpoints ask for against the operations that there are.
func checkOperations(operations map[string]*operation) error {
	for _, name := range operationNames {
		if operations[name] == nil {
			return fmt.Errorf("there is no operation %q", name)
		}
	}
	if unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(operations)), func(name string) bool {
		return slices.Contains(operationNames, name)
	}); len(unknown) > 0 {
		return fmt.Errorf("no endpoint uses the operations %v", unknown)
	}
	return nil
}

// base is the public base address of a request, without a slash at its end.
func (f *facade) base(r *http.Request) string { return f.baseOf.of(r) }

// view is what fills the slots of an answer to a request.
func (f *facade) view(r *http.Request) view {
	var rights account.Rights
	if caller := account.CallerOf(r.Context()); caller != nil {
		rights = caller.Rights
	}
	return view{base: f.base(r), rights: rights, streams: f.streams, now: f.now()}
}
