package testservers_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

func redisClient(t *testing.T, s *testservers.Server) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries = -1
	options.ContextTimeoutEnabled = true
	client := redis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	return client
}

func TestRedisRestarts(t *testing.T) {
	t.Parallel()
	s := testservers.Redis(t)
	client := redisClient(t, s)
	ctx := t.Context()
	if err := client.Set(ctx, "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	first := s.PID()
	s.Stop()
	if err := client.Get(ctx, "key").Err(); err == nil {
		t.Error("a stopped Redis answered")
	}
	s.Start()
	if value, err := client.Get(ctx, "key").Result(); err != nil || value != "value" {
		t.Errorf("after an orderly stop: %q, %v", value, err)
	}
	if s.PID() == first {
		t.Error("the process is the same")
	}
	if err := client.Set(ctx, "later", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	s.Kill()
	if err := client.Ping(ctx).Err(); err == nil {
		t.Error("a killed Redis answered")
	}
	s.Start()
	if err := client.Get(ctx, "later").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("an unsaved value outlived a kill: %v", err)
	}
}

func TestRedisPauses(t *testing.T) {
	t.Parallel()
	s := testservers.Redis(t, testservers.Password("secret"))
	client := redisClient(t, s)
	s.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var late net.Error
	if err := client.Ping(ctx).Err(); !errors.As(err, &late) || !late.Timeout() {
		t.Errorf("a paused Redis: %v", err)
	}
	s.Resume()
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("a resumed Redis: %v", err)
	}
	s.Pause() // cleanup also ends a paused server
}

func TestSharedRedisIsOne(t *testing.T) {
	a, b := testservers.SharedRedis(t), testservers.SharedRedis(t)
	if a.URL != b.URL || a.Prefix == b.Prefix || a.Prefix == "" {
		t.Errorf("two parts: %s %q, %s %q", a.URL, a.Prefix, b.URL, b.Prefix)
	}
	if err := redisClient(t, a).Set(t.Context(), a.Prefix+"key", 1, time.Minute).Err(); err != nil {
		t.Error(err)
	}
}
