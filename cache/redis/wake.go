package redis

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Wake notifies all callers of OnWake, in any process. The notification may be lost, so that they must also check from
// time to time.
func (c *Cache) Wake(ctx context.Context) error {
	return c.do(ctx, func(ctx context.Context) error {
		return c.client.Publish(ctx, c.prefix+kindWake, "").Err()
	})
}

// OnWake calls wake after each Wake, and once for all notifications that arrive while wake runs. It also calls wake
// whenever it has started to listen, because it may have missed a notification. OnWake reconnects as often as
// necessary, and returns when the context ends or the cache is closed.
func (c *Cache) OnWake(ctx context.Context, wake func()) {
	subscription := c.client.Subscribe(ctx, c.prefix+kindWake)
	defer subscription.Close()
	heard := subscription.ChannelWithSubscriptions(redis.WithChannelSize(1))
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-heard:
			if !open { // the cache is closed
				return
			}
			drain(heard)
			wake()
		}
	}
}

func drain(heard <-chan any) {
	for {
		select {
		case _, open := <-heard:
			if !open {
				return
			}
		default:
			return
		}
	}
}
