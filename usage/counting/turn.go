package counting

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// leaseName is that of counting.
const leaseName = "usage"

// turn is a process's part in taking turns. It is for one goroutine but for mine.
type turn struct {
	leases store.Leases
	holder string
	length time.Duration
	asked  time.Time // when the lease was last asked for with success
	mine   atomic.Bool
}

func newTurn(leases store.Leases, length time.Duration) turn {
	return turn{leases: leases, holder: rand.Text(), length: length}
}

// ask reports whether the work is this process's now. The lease is renewed three times while it runs.
func (t *turn) ask(ctx context.Context) (bool, error) {
	if t.leases == nil {
		t.mine.Store(true)
		return true, nil
	}
	if t.mine.Load() && time.Since(t.asked) < t.length/3 {
		return true, nil
	}
	asked := time.Now()
	lease, err := t.leases.Lease(ctx, store.LeaseRequest{Name: leaseName, Holder: t.holder, For: t.length})
	t.mine.Store(err == nil && lease.Held)
	t.asked = asked
	return t.mine.Load(), err
}

// end lets another have its turn at once.
func (t *turn) end(ctx context.Context) {
	if t.leases == nil || !t.mine.Swap(false) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = t.leases.Release(ctx, leaseName, t.holder) // else it runs out by itself
}
