package password

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/filmstrip/filmstrip/fault"
)

// Limits of all concurrent hashes of the process: memory for one hash per processor, and at least for the most
// expensive stored hash, and the number of callers that compute or wait.
var (
	budget = max(int64(maxMemory), int64(runtime.GOMAXPROCS(0))*int64(current.memory))
	memory = semaphore.NewWeighted(budget)
	active atomic.Int64
)

// maxActive is the maximum number of concurrent callers. A hash takes about 30 ms, so the last caller waits one to
// two seconds.
const maxActive = 64

// begin waits until the given memory is available. The caller must call finish when it is done.
func begin(ctx context.Context, kibibytes uint32) (finish func(), err error) {
	if active.Add(1) > maxActive {
		active.Add(-1)
		return nil, fault.Errorf(fault.Unavailable, "too many users are signing in at the moment")
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
