package cache

import (
	"context"
	"time"
)

// SharedCounters counts in Counters that all processes share, and in Counters of this process while the shared ones
// fail. Limits are then more lenient, but still apply.
type SharedCounters struct {
	// Shared is the first choice.
	Shared Counters
	// Own counts in this process. It does not fail on valid arguments.
	Own Counters
}

// Add implements Counters.
func (c SharedCounters) Add(ctx context.Context, key string, n int64, window time.Duration) (int64, time.Duration, error) {
	if err := CheckAdd(key, n, window); err != nil {
		return 0, 0, err
	}
	if count, left, err := c.Shared.Add(ctx, key, n, window); err == nil {
		return count, left, nil
	}
	return c.Own.Add(ctx, key, n, window)
}
