package cache

import (
	"context"
	"time"
)

// SharedCounters counts in a place that all processes share, and in this process alone while that place is unavailable. Limits
// are then milder, but still apply.
type SharedCounters struct {
	// Shared is tried first.
	Shared Counters
	// Own is in this process and does not fail.
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
