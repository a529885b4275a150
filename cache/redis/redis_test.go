package redis_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/cachetest"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

func TestSuite(t *testing.T) {
	s := testservers.SharedRedis(t)
	cachetest.Run(t, func(t *testing.T) cache.Cache {
		return open(t, redis.Options{URL: s.URL, Namespace: s.Prefix + t.Name(), Timeout: patience})
	}, cachetest.Options{})
}

func TestSize(t *testing.T) {
	s := testservers.SharedRedis(t)
	c := open(t, redis.Options{URL: s.URL, Namespace: s.Prefix + t.Name(), Timeout: patience})
	if err := c.Put(t.Context(), []cache.Item{{Key: "a", Entry: cache.Entry{Version: 1, Value: []byte("text")}}}); err != nil {
		t.Fatal(err)
	}
	if bytes, keys, err := c.Size(t.Context()); err != nil || bytes < 1000 || keys < 1 {
		t.Errorf("%d bytes in %d keys, %v", bytes, keys, err)
	}
}
