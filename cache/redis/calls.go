package redis

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// do makes a guarded call.
func (c *Cache) do(ctx context.Context, call func(context.Context) error) error {
	return c.guard.Do(ctx, func(ctx context.Context) error { return settle(ctx, call(ctx)) })
}

// settle waits for the end of a context whose deadline a connection has found to be over, just before the
// context itself does: whose time ran out, the caller's or the guard's, decides who failed.
func settle(ctx context.Context, err error) error {
	var late net.Error
	if !errors.As(err, &late) || !late.Timeout() {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(10 * time.Millisecond):
		return err
	}
}

// verdict is what the guard is told of a pipeline: it failed where its time ran out, or where nothing was
// answered that is of use. That one node of a cluster is away, or that a server has no room for a value,
// is no failure: the rest was answered, and quickly.
func verdict[C redis.Cmder](ctx context.Context, commands []C) error {
	var failed error
	for _, command := range commands {
		err := command.Err()
		if !isAway(err) {
			return ctx.Err()
		}
		failed = err
	}
	return failed
}

// isAway reports whether an error says that a server did not answer, or will not answer anything for now.
func isAway(err error) bool {
	switch {
	case err == nil:
		return false
	case !isReply(err):
		return true
	default:
		return redis.IsAuthError(err) || redis.IsPermissionError(err) || redis.IsMaxClientsError(err) ||
			redis.IsLoadingError(err) || redis.IsMasterDownError(err) || redis.IsClusterDownError(err)
	}
}

// isReply reports whether an error was sent by a server.
func isReply(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}
