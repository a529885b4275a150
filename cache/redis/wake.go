package redis

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Wake tells all who wait in OnWake, in any process, that there is something to look at. Nobody may hear
// it: they look by themselves from time to time.
func (c *Cache) Wake(ctx context.Context) error {
	return c.do(ctx, func(ctx context.Context) error {
		return c.client.Publish(ctx, c.prefix+kindWake, "").Err()
	})
}

// OnWake calls wake after each Wake, once for several that come while it runs, and once whenever it has
// begun to listen, as it may have missed one before. It returns when the context ends, and connects anew
// as often as it must until then.
func (c *Cache) OnWake(ctx context.Context, wake func()) {
	subscription := c.client.Subscribe(ctx, c.prefix+kindWake)
	defer subscription.Close()
	heard := subscription.ChannelWithSubscriptions(redis.WithChannelSize(1))
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-heard:
			if !open { // the cache was closed
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
