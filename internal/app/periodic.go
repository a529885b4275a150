package app

import (
	"context"
	"time"
)

// every calls do after each interval until the context ends. A call that takes longer delays the next one.
func every(ctx context.Context, interval time.Duration, do func()) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			do()
		}
	}
}
