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
