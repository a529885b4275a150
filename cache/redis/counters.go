package redis

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/cache"
)

// countScript adds ARGV[1] to a count and returns the count and its remaining milliseconds. A value that is not a valid
// count starts again. A count without an expiry, or with one beyond its window of ARGV[2] milliseconds, gets a new one:
// otherwise it could lock a caller out forever.
var countScript = redis.NewScript(`
local n, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local count = redis.pcall('INCRBY', KEYS[1], ARGV[1])
if type(count) ~= 'number' or count < n then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {n, window}
end
local left = redis.call('PTTL', KEYS[1])
if left < 0 or left > window then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = window
end
return {count, left}`)

// Add implements cache.Counters in one round trip. It never retries, so that no event counts twice.
func (c *Cache) Add(ctx context.Context, key string, n int64, window time.Duration) (int64, time.Duration, error) {
	if err := cache.CheckAdd(key, n, window); err != nil {
		return 0, 0, err
	}
	var numbers []int64
	err := c.do(ctx, func(ctx context.Context) (err error) {
		once := []call{{c.key(kindCount, key), []any{n, window.Milliseconds()}}}
		numbers, err = c.runAll(ctx, countScript, once)[0].Int64Slice()
		return err
	})
	if err != nil {
		c.counts.errors.Add(1)
		return 0, 0, err
	}
	return numbers[0], time.Duration(numbers[1]) * time.Millisecond, nil
}
