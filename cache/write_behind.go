package cache

import (
	"context"
	"sync"
	"time"
)

// The limits of a writeBehind.
const (
	maxWaiting   = 16 << 20        // bytes of pending items
	maxTogether  = 256             // items of one Put
	maxPiece     = 4 << 20         // bytes of one Put, unless a single item is larger
	closingLimit = 2 * time.Second // duration for which close waits for the pending items
)

// writeBehind writes to a cache asynchronously, so that no caller waits for a slow or unavailable cache. It ignores errors:
// a cache may lose entries, and the engine reports its own state.
type writeBehind struct {
	far Cache

	mu      sync.Mutex
	waiting []Item // pending items, in the order of put
	bytes   int    // total size of waiting
	closed  bool

	more  chan struct{} // contains a token if the writer has work
	ended chan struct{}
	stop  context.CancelFunc
}

func newWriteBehind(far Cache) *writeBehind {
	ctx, stop := context.WithCancel(context.Background())
	b := &writeBehind{far: far, more: make(chan struct{}, 1), ended: make(chan struct{}), stop: stop}
	go b.write(ctx)
	return b
}

// put adds pending items. It drops items from the first one that exceeds maxWaiting.
func (b *writeBehind) put(items []Item) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range items {
		if b.closed || b.bytes+items[i].size() > maxWaiting {
			break
		}
		b.waiting = append(b.waiting, items[i])
		b.bytes += items[i].size()
	}
	b.wakeWriter()
}

// size returns the approximate number of bytes of a pending item.
func (i *Item) size() int { return len(i.Key) + len(i.Value) + 64 }

func (b *writeBehind) wakeWriter() {
	select {
	case b.more <- struct{}{}:
	default: // the writer has not taken the last token yet
	}
}

// write writes pending items until it is closed and no item is pending, or until ctx ends.
func (b *writeBehind) write(ctx context.Context) {
	defer close(b.ended)
	for {
		piece, closed := b.next()
		switch {
		case ctx.Err() != nil, closed && piece == nil:
			return
		case piece == nil:
			<-b.more
		default:
			_ = b.far.Put(ctx, piece)
		}
	}
}

// next removes and returns the items of the next Put.
func (b *writeBehind) next() (piece []Item, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, bytes := 0, 0
	for n < len(b.waiting) && n < maxTogether && (n == 0 || bytes+b.waiting[n].size() <= maxPiece) {
		bytes += b.waiting[n].size()
		n++
	}
	if n == 0 {
		return nil, b.closed
	}
	piece, b.waiting = b.waiting[:n:n], b.waiting[n:]
	if len(b.waiting) == 0 {
		b.waiting = nil // the next items use a new array
	}
	b.bytes -= bytes
	return piece, b.closed
}

// close writes the pending items, for closingLimit at most. It does not close far.
func (b *writeBehind) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wakeWriter()
	timer := time.AfterFunc(closingLimit, b.stop)
	<-b.ended
	timer.Stop()
	b.stop()
}
