package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of a behind.
const (
	maxWaiting   = 16 << 20        // bytes that wait to be written
	maxTogether  = 256             // items of one Put
	maxPiece     = 4 << 20         // bytes of one Put, unless a single item is larger
	closingLimit = 2 * time.Second // how long close waits for the last items
)

// behind writes to a cache that may be slow or away, so that callers need not wait. It drops errors: entries of a cache may be
// lost, and the engine reports its own state.
type behind struct {
	far Cache

	mu      sync.Mutex
	waiting []Item // in the order of put
	bytes   int    // size of waiting
	closed  bool

	more    chan struct{} // holds a token if the writer has something to do
	ended   chan struct{}
	stop    context.CancelFunc
	dropped atomic.Int64 // items for which there was no space
}

func newBehind(far Cache) *behind {
	ctx, stop := context.WithCancel(context.Background())
	b := &behind{far: far, more: make(chan struct{}, 1), ended: make(chan struct{}), stop: stop}
	go b.write(ctx)
	return b
}

// put adds items to those that wait. It drops items for which there is no space.
func (b *behind) put(items []Item) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range items {
		if b.closed || b.bytes+items[i].size() > maxWaiting {
			b.dropped.Add(int64(len(items) - i))
			break
		}
		b.waiting = append(b.waiting, items[i])
		b.bytes += items[i].size()
	}
	b.wakeWriter()
}

// size returns about how many bytes an item takes while it waits.
func (i *Item) size() int { return len(i.Key) + len(i.Value) + 64 }

func (b *behind) wakeWriter() {
	select {
	case b.more <- struct{}{}:
	default: // the writer has not taken the last token yet
	}
}

// write writes the waiting items until behind is closed and none is left, or ctx ends.
func (b *behind) write(ctx context.Context) {
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
func (b *behind) next() (piece []Item, closed bool) {
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
		b.waiting = nil // the next items start a new array
	}
	b.bytes -= bytes
	return piece, b.closed
}

// close writes the waiting items, for closingLimit at most. It does not close far.
func (b *behind) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wakeWriter()
	timer := time.AfterFunc(closingLimit, b.stop)
	<-b.ended
	timer.Stop()
	b.stop()
}
