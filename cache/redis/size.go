package redis

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/fault"
)

// Size returns the memory that Redis uses in bytes, and the number of its keys, summed over all masters. Both include what
// others store there. The error has the code Unavailable.
func (c *Cache) Size(ctx context.Context) (bytes, entries int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var used, keys atomic.Int64
	err = c.forEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		memory, err := node.Info(ctx, "memory").Result()
		if err != nil {
			return err
		}
		bytes, err := strconv.ParseInt(fieldsOf(memory)["used_memory"], 10, 64)
		if err != nil {
			return err
		}
		n, err := node.DBSize(ctx).Result()
		used.Add(bytes)
		keys.Add(n)
		return err
	})
	if err != nil {
		return 0, 0, &fault.Error{Code: fault.Unavailable, Message: engine + " " + explain(err), Cause: err}
	}
	return used.Load(), keys.Load(), nil
}
