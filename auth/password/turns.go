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
	room    = max(int64(maxMemory), int64(runtime.GOMAXPROCS(0))*int64(current.memory))
	memory  = semaphore.NewWeighted(room)
	present atomic.Int64
)

// maxPresent is the most callers at once. A hash takes some 30 ms, so that the last waits for a second or
// two.
const maxPresent = 64

// enter waits for a turn that takes so many KiB, and returns what ends it.
func enter(ctx context.Context, kibibytes uint32) (leave func(), err error) {
	if present.Add(1) > maxPresent {
		present.Add(-1)
		return nil, fault.Errorf(fault.Unavailable, "too many are signing in at this moment")
	}
	if err := memory.Acquire(ctx, int64(kibibytes)); err != nil {
		present.Add(-1)
		return nil, err
	}
	return func() {
		memory.Release(int64(kibibytes))
		present.Add(-1)
	}, nil
}
