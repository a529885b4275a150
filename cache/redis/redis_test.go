package redis_test

import (
	"strings"
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

func TestCheck(t *testing.T) {
	s := testservers.Redis(t, testservers.Password("secret"))
	c := open(t, redis.Options{URL: s.URL, Namespace: "filmstrip:check"})
	if err := c.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if advice, err := c.Advice(t.Context()); err != nil || !strings.Contains(advice, "maxmemory") {
		t.Errorf("advice %q, %v", advice, err)
	}
	s.Stop()
	if err := c.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("without a server: %v", err)
	}
}
