package password

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/filmstrip/filmstrip/fault"
)

// What all hashes of this process may take together: as much memory as one for each processor, at least
// what the dearest stored one takes, and so many callers who wait or hash.
var (
	budget = max(int64(maxMemory), int64(runtime.GOMAXPROCS(0))*int64(current.memory))
	memory = semaphore.NewWeighted(budget)
	active atomic.Int64
)

// maxPresent is the most callers at once. A hash takes some 30 ms, so that the last waits for a second or
// two.
const maxActive = 64

// enter waits for a turn that takes so many KiB, and returns what ends it.
func begin(ctx context.Context, kibibytes uint32) (leave func(), err error) {
	if active.Add(1) > maxActive {
		active.Add(-1)
		return nil, fault.Errorf(fault.Unavailable, "too many are signing in at this moment")
	}
	if err := memory.Acquire(ctx, int64(kibibytes)); err != nil {
		active.Add(-1)
		return nil, err
	}
	return func() {
		memory.Release(int64(kibibytes))
		active.Add(-1)
	}, nil
}
