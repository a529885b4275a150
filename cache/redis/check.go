package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/fault"
)

// checkTimeout limits Check and Advice. It is longer than the limit of a call, because connecting takes longer.
const checkTimeout = 3 * time.Second

// Check tries every operation of the cache, even while the circuit breaker is open. It returns an error with code
// Unavailable and a message that describes the problem; only the cause of the error may contain addresses and users.
func (c *Cache) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err := c.forEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return node.Ping(ctx).Err() })
	if err == nil {
		err = c.try(ctx)
	}
	if err == nil {
		return nil
	}
	return &fault.Error{Code: fault.Unavailable, Message: engine + " " + explain(err), Cause: err}
}

// try performs each operation that needs a permission once.
func (c *Cache) try(ctx context.Context) error {
	const name = "check"
	probe := cache.Item{Key: name, Entry: cache.Entry{Version: 1}}
	value, count := c.key(kindValue, name), c.key(kindCount, name)
	entry := encode(&probe)
	attempts := []redis.Cmder{
		c.client.GetRange(ctx, value, 0, 1),
		c.runAll(ctx, putScript, []call{{value, []any{entry, entry[:lengthAt], checkTimeout.Milliseconds()}}})[0],
		c.runAll(ctx, dropScript, []call{{value, []any{entry}}})[0],
		c.runAll(ctx, countScript, []call{{count, []any{1, checkTimeout.Milliseconds()}}})[0],
		c.client.Publish(ctx, c.prefix+name, ""),
	}
	for _, attempt := range attempts {
		if err := attempt.Err(); err != nil {
			return err
		}
	}
	return nil
}

// IsRefusal reports whether an error of Check means that Redis refuses the credentials or grants them too few rights.
func IsRefusal(err error) bool { return redis.IsAuthError(err) || redis.IsPermissionError(err) }

func explain(err error) string {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return "has a certificate that cannot be verified"
	case redis.HasErrorPrefix(err, "NOAUTH"):
		return "asks for a password, and none is set"
	case redis.IsAuthError(err):
		return "does not accept the user and the password"
	case redis.IsPermissionError(err):
		return "does not grant its user enough rights"
	case redis.IsOOMError(err):
		return "is full and may evict nothing: set maxmemory-policy"
	case redis.IsReadOnlyError(err):
		return "is a replica, which takes no writes"
	case redis.IsLoadingError(err):
		return "is still loading its data"
	case redis.IsClusterDownError(err):
		return "is a cluster that is down"
	case isReply(err):
		return "refuses a command"
	default:
		return "does not answer"
	}
}

// Advice returns a description of a server setting that is unsuitable for a cache, or "" if there is none.
func (c *Cache) Advice(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	advice := make(chan string, 1) // the nodes run in parallel; one result suffices
	err := c.forEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		memory, err := node.Info(ctx, "memory").Result()
		if err != nil {
			return err
		}
		if text := advise(memory); text != "" {
			select {
			case advice <- text:
			default:
			}
		}
		return nil
	})
	if err != nil {
		return "", &fault.Error{Code: fault.Unavailable, Message: engine + " " + explain(err), Cause: err}
	}
	select {
	case text := <-advice:
		return text, nil
	default:
		return "", nil
	}
}

// fieldsOf returns the fields of a section of INFO.
func fieldsOf(section string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(section) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		fields[name] = value
	}
	return fields
}

// advise returns the advice for the memory section of INFO.
func advise(memory string) string {
	settings := fieldsOf(memory)
	switch limit, policy := settings["maxmemory"], settings["maxmemory_policy"]; {
	case limit == "0":
		return engine + " has no maxmemory: only the lifetimes of entries bound it; set maxmemory, and maxmemory-policy allkeys-lru"
	case policy == "noeviction":
		return fmt.Sprintf("%s keeps nothing new once it has reached maxmemory (%s bytes): set maxmemory-policy allkeys-lru", engine, limit)
	default:
		return ""
	}
}

func (c *Cache) forEachMaster(ctx context.Context, do func(context.Context, *redis.Client) error) error {
	switch client := c.client.(type) {
	case *redis.ClusterClient:
		return client.ForEachMaster(ctx, do)
	case *redis.Client:
		return do(ctx, client)
	default:
		return fmt.Errorf("redis: a client of type %T", client)
	}
}
