package redis

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// do makes a call through the guard.
func (c *Cache) do(ctx context.Context, call func(context.Context) error) error {
	return c.guard.Do(ctx, func(ctx context.Context) error { return settle(ctx, call(ctx)) })
}

// settle waits briefly for the end of the context after a timeout of a connection. A connection may detect the deadline
// of the context just before the context ends. The error of the context then shows whether the deadline of the caller
// or that of the guard has passed.
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

// verdict returns the error of a pipeline for the guard. A pipeline fails if its time runs out or if all commands fail
// because their servers are unavailable. One unavailable node of a cluster or a server without memory for a value is no
// failure, because the other commands succeed quickly.
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

// isAway reports whether an error means that a server does not respond, or rejects every command for now.
func isAway(err error) bool {
	switch {
	case err == nil:
		return false
	case !isReply(err):
		return true
	default:
		return IsRefusal(err) || redis.IsMaxClientsError(err) || redis.IsLoadingError(err) || redis.IsMasterDownError(err) ||
			redis.IsClusterDownError(err)
	}
}

// isReply reports whether an error is a reply of a server.
func isReply(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}
