// Package redis is the cache engine that processes share: a Redis server, a server under Redis Sentinel, or a Redis
// Cluster. Any entry may vanish at any moment. The engine ignores data of others under its keys.
package redis

import (
	"cmp"
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

// The defaults of Options.
const (
	DefaultTTL      = 24 * time.Hour
	DefaultMaxValue = 1 << 20
	DefaultTimeout  = 250 * time.Millisecond
)

// concurrent is the maximum number of concurrent calls, and of connections to each server.
const concurrent = 32

// Options are the settings of a Cache. Zero values select the defaults, except for URL, which is required.
type Options struct {
	// URL is the address of the server, in the format of Validate.
	URL string
	// TLS is the configuration of connections with rediss. If it is nil, the system's certificate authorities apply.
	TLS *tls.Config
	// Namespace separates the keys and messages of this service from those of others on the same server. Each store has
	// a namespace of its own, so that the cache never returns data of another store. Namespace must not contain braces.
	Namespace string
	// TTL is the lifetime of an entry. Each entry lives up to a tenth longer or shorter, so that entries of one Put do
	// not expire together. The default is DefaultTTL.
	TTL time.Duration
	// MaxValue is the maximum length of a value in bytes. Put skips longer values. The default is DefaultMaxValue.
	MaxValue int
	// Timeout limits each call. The default is DefaultTimeout.
	Timeout time.Duration
	// Failures is the number of consecutive failures after which the circuit breaker opens. The default is 5.
	Failures int
	// Pause is the time after which the open circuit breaker lets one call try again. The default is one second.
	Pause time.Duration
	// Logger receives a line when the circuit breaker opens and when it closes. It may be nil.
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

// Open returns a Cache. An error means that the options are invalid. Open succeeds even if the server is unavailable,
// because every user of a cache works without it; Check reports an unavailable server.
func Open(ctx context.Context, options Options) (*Cache, error) {
	options.TTL, options.Timeout = cmp.Or(options.TTL, DefaultTTL), cmp.Or(options.Timeout, DefaultTimeout)
	options.MaxValue = cmp.Or(options.MaxValue, DefaultMaxValue)
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
			Engine: engine, Timeout: options.Timeout, Concurrent: concurrent,
			Failures: options.Failures, Pause: options.Pause, Logger: options.Logger,
		}),
		prefix:   options.Namespace + ":",
		ttl:      options.TTL,
		maxValue: options.MaxValue,
		close:    sync.OnceValue(client.Close),
	}
	// The ping opens a connection and loads the map of a cluster, so that the first request need not wait for them.
	_ = c.do(ctx, func(ctx context.Context) error { return client.Ping(ctx).Err() })
	return c, nil
}

// engine is the name of the server in messages and logs. Clients see the messages, so that they contain no address.
const engine = "Redis"

// Close closes all connections. Further calls return the result of the first.
func (c *Cache) Close() error { return c.close() }

// The kinds of keys. Each kind has its own prefix.
const (
	kindValue = "v:"
	kindCount = "n:"
)

func (c *Cache) key(kind, key string) string { return c.prefix + kind + key }

// counts are the counts of calls for Stats.
type counts struct {
	hits, misses, foreign, oversize, refused, errors atomic.Int64
}
