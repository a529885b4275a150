package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of what a behind has yet to write.
const (
	maxWaiting   = 16 << 20        // bytes of all that waits
	maxTogether  = 256             // items of one Put
	maxPiece     = 4 << 20         // bytes of one Put, but for a single item
	closingLimit = 2 * time.Second // how long close waits for the last ones
)

// behind writes to a cache that may be slow or away, so that whoever has something for it need not wait.
// Errors are dropped: it is only a cache, and says itself that it is away.
type behind struct {
	far Cache

	mu      sync.Mutex
	waiting []Item // in the order of put
	bytes   int    // of waiting
	closed  bool

	more    chan struct{} // holds a token when the writer has something to look at
	ended   chan struct{}
	stop    context.CancelFunc
	dropped atomic.Int64 // items for which there was no room
}

func newBehind(far Cache) *behind {
	ctx, stop := context.WithCancel(context.Background())
	b := &behind{far: far, more: make(chan struct{}, 1), ended: make(chan struct{}), stop: stop}
	go b.write(ctx)
	return b
}

// put takes items over; where more waits than has room, they are dropped.
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

// size is about how many bytes an item holds while it waits.
func (i *Item) size() int { return len(i.Key) + len(i.Value) + 64 }

func (b *behind) wakeWriter() {
	select {
	case b.more <- struct{}{}:
	default: // the writer has not looked since the last one
	}
}

// write brings to far what waits, until behind is closed and nothing waits, or ctx ends.
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

// next takes the piece that is written at once.
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
		b.waiting = nil // the next ones begin a new array
	}
	b.bytes -= bytes
	return piece, b.closed
}

// close writes what waits, for closingLimit at most. It leaves far open.
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
