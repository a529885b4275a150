// Package redis is the cache engine that several processes share: a Redis server, one that Sentinel
// watches over, or a Redis Cluster. All that is kept there may vanish at any moment, and whatever bytes
// others leave under its keys are taken for nothing.
package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/internal/guard"
)

// Defaults of Options.
const (
	DefaultTTL        = 24 * time.Hour
	DefaultMaxValue   = 1 << 20
	DefaultTimeout    = 250 * time.Millisecond
	DefaultConcurrent = 32
)

// Options are the settings of a Cache. Zero settings, but for URL, stand for the defaults.
type Options struct {
	// URL says where the server is; Validate describes it.
	URL string
	// Password of the server; it wins over the URL's.
	Password string
	// SentinelPassword is the password of the Sentinels, where they have one; it wins over the URL's.
	SentinelPassword string
	// TLS is how the server is known with rediss://; nil: by the system's authorities.
	TLS *tls.Config
	// Namespace sets this service's keys and messages apart from those of others on the same server. It
	// changes with the store behind it, so that nothing of another one is found. It holds no braces.
	Namespace string
	// TTL is how long an entry is kept; each is kept up to a tenth longer or shorter, so that what was
	// put at once does not vanish at once. 0: DefaultTTL.
	TTL time.Duration
	// MaxValue is the longest value that is kept, in bytes; longer ones are passed over. 0: DefaultMaxValue.
	MaxValue int
	// Timeout bounds each call. 0: DefaultTimeout.
	Timeout time.Duration
	// Concurrent is how many calls run at once, and how many connections they use with each server.
	// 0: DefaultConcurrent.
	Concurrent int
	// Failures in a row after which Redis is left alone for a while. 0: 5.
	Failures int
	// Pause is how long it is left alone before one call tries again. 0: one second.
	Pause time.Duration
	// Logger takes a line when Redis is left alone and when it is used again; nil: none.
	Logger *slog.Logger
}

// Cache is a cache.Cache and a cache.Counters in Redis.
type Cache struct {
	client   redis.UniversalClient
	guard    *guard.Guard
	prefix   string
	ttl      time.Duration
	maxValue int
	counts   counts
	close    func() error
}

var (
	_ cache.Cache    = (*Cache)(nil)
	_ cache.Counters = (*Cache)(nil)
)

// Open makes a Cache. An error means that Options are wrong. That the server is away is none, as all
// that uses a cache works without one: Check tells.
func Open(ctx context.Context, options Options) (*Cache, error) {
	options = options.withDefaults()
	if strings.ContainsAny(options.Namespace, "{}") {
		return nil, errors.New("redis: a namespace with braces would put all keys on one node of a cluster")
	}
	client, err := connect(options)
	if err != nil {
		return nil, err
	}
	c := &Cache{
		client: client,
		guard: guard.New(guard.Options{
			Engine: engine, Timeout: options.Timeout, Concurrent: options.Concurrent,
			Failures: options.Failures, Pause: options.Pause, Logger: options.Logger,
		}),
		prefix:   options.Namespace + ":",
		ttl:      options.TTL,
		maxValue: options.MaxValue,
		close:    sync.OnceValue(client.Close),
	}
	// The first page need not wait for a connection, nor for the map of a cluster.
	_ = c.do(ctx, func(ctx context.Context) error { return client.Ping(ctx).Err() })
	return c, nil
}

// engine is what messages and logs call the server: they go to clients too, and name no address.
const engine = "Redis"

func (o Options) withDefaults() Options {
	if o.TTL <= 0 {
		o.TTL = DefaultTTL
	}
	if o.MaxValue <= 0 {
		o.MaxValue = DefaultMaxValue
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Concurrent <= 0 {
		o.Concurrent = DefaultConcurrent
	}
	return o
}

// Close ends all connections. Closing again does nothing.
func (c *Cache) Close() error { return c.close() }

// The kinds of keys, each in a space of its own.
const (
	kindValue = "v:"
	kindCount = "n:"
	kindWake  = "wake"
)

func (c *Cache) key(kind, key string) string { return c.prefix + kind + key }

// counts are what Stats reports of calls.
type counts struct {
	hits, misses, foreign, oversize, refused, errors atomic.Int64
}
