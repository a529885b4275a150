package redis

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/fault"
)

// Get implements cache.Cache. It takes one round trip; in a cluster, one round trip per node, in parallel. If some keys
// fail, Get returns the entries of the others without an error.
func (c *Cache) Get(ctx context.Context, asks []cache.Ask, into []cache.Entry) error {
	clear(into)
	if len(asks) == 0 {
		return nil
	}
	var found []*redis.StringCmd
	err := c.do(ctx, func(ctx context.Context) error {
		found = c.fetch(ctx, asks)
		return verdict(ctx, found)
	})
	if found == nil {
		c.counts.refused.Add(1)
		return err
	}
	var foreign []call
	answered := false
	for i, reply := range found {
		b, failed := reply.Bytes()
		entry, sound := decode(asks[i].Key, b)
		switch {
		case failed != nil && !isWrongType(failed):
			c.counts.errors.Add(1)
			continue
		case sound:
			into[i] = entry
			c.counts.hits.Add(1)
		case failed != nil:
			c.counts.foreign.Add(1) // Put replaces the key
		case len(b) == 0:
			c.counts.misses.Add(1)
		default:
			c.counts.foreign.Add(1)
			foreign = append(foreign, call{c.key(kindValue, asks[i].Key), []any{b[:min(len(b), headerSize)]}})
		}
		answered = true
	}
	if foreign != nil {
		c.drop(ctx, foreign)
	}
	if answered {
		return nil
	}
	return err
}

// fetch reads at most the maximum length of an entry of each key, because other clients may store anything there.
func (c *Cache) fetch(ctx context.Context, asks []cache.Ask) []*redis.StringCmd {
	found := make([]*redis.StringCmd, len(asks))
	pipeline := c.client.Pipeline()
	for i := range asks {
		found[i] = pipeline.GetRange(ctx, c.key(kindValue, asks[i].Key), 0, int64(headerSize+c.maxValue))
	}
	_, _ = pipeline.Exec(ctx) // each command has its own error
	return found
}

// drop deletes foreign data. Its header could be mistaken for one with a high version, which Put would not replace.
func (c *Cache) drop(ctx context.Context, foreign []call) {
	_ = c.do(ctx, func(ctx context.Context) error {
		return verdict(ctx, c.runAll(ctx, dropScript, foreign))
	})
}

// Put implements cache.Cache. It takes one round trip; in a cluster, one round trip per node, in parallel. It skips
// values that are longer than MaxValue.
func (c *Cache) Put(ctx context.Context, items []cache.Item) error {
	for _, item := range items {
		if err := item.Check(); err != nil {
			return err
		}
	}
	calls := c.puts(items)
	if len(calls) == 0 {
		return nil
	}
	var results []*redis.Cmd
	err := c.do(ctx, func(ctx context.Context) error {
		results = c.runAll(ctx, putScript, calls)
		return verdict(ctx, results)
	})
	if results == nil {
		c.counts.refused.Add(1)
	}
	for _, result := range results {
		if failed := result.Err(); failed != nil {
			c.counts.errors.Add(1)
			if err == nil {
				err = &fault.Error{Code: fault.Unavailable, Message: engine + " did not keep a value", Cause: failed}
			}
		}
	}
	return err
}

func (c *Cache) puts(items []cache.Item) []call {
	calls := make([]call, 0, len(items))
	for i := range items {
		if len(items[i].Value) > c.maxValue {
			c.counts.oversize.Add(1)
			continue
		}
		entry := encode(&items[i])
		calls = append(calls, call{
			c.key(kindValue, items[i].Key),
			[]any{entry, entry[:lengthAt], c.lifetime().Milliseconds()},
		})
	}
	return calls
}

func (c *Cache) lifetime() time.Duration {
	spread := int64(c.ttl) / 10
	return max(c.ttl+time.Duration(rand.Int64N(2*spread+1)-spread), time.Millisecond) //nolint:gosec // it spreads a load, and hides nothing
}

func isWrongType(err error) bool { return redis.HasErrorPrefix(err, "WRONGTYPE") }
