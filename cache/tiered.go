package cache

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of what a Tiered has yet to write to its far level.
const (
	maxWaiting   = 16 << 20        // bytes of all that waits
	maxTogether  = 256             // items of one Put
	maxPiece     = 4 << 20         // bytes of one Put, but for a single item
	closingLimit = 2 * time.Second // how long Close waits for the last ones
)

// Tiered is a Cache of two levels: one near, in the process, and one far, which processes share. The far
// one may be slow or away: its errors reach no caller, and a Put never waits for it.
type Tiered struct {
	near, far Cache

	mu      sync.Mutex
	waiting []Item // to be written to far, in the order of Put
	bytes   int    // of waiting
	closed  bool
	more    chan struct{} // holds a token when the writer has something to look at
	ended   chan struct{}
	stop    context.CancelFunc

	nearHits, farHits, misses, dropped atomic.Int64
}

// TieredStats are counts of keys since NewTiered.
type TieredStats struct {
	NearHits, FarHits, Misses int64
	// Dropped were not written to the far level: too much was waiting to be.
	Dropped int64
}

// NewTiered puts near in front of far. Closing Tiered closes both.
func NewTiered(near, far Cache) *Tiered {
	ctx, stop := context.WithCancel(context.Background())
	t := &Tiered{near: near, far: far, more: make(chan struct{}, 1), ended: make(chan struct{}), stop: stop}
	go t.write(ctx)
	return t
}

// Get implements Cache. What near does not have, or has only in an older version than was asked for, is
// asked of far in one call; near keeps what far has.
func (t *Tiered) Get(ctx context.Context, asks []Ask, into []Entry) error {
	if err := t.near.Get(ctx, asks, into); err != nil {
		return err
	}
	var missing []Ask
	var places []int
	for i, ask := range asks {
		if serves(into[i], ask) {
			continue
		}
		missing, places = append(missing, ask), append(places, i)
	}
	t.nearHits.Add(int64(len(asks) - len(missing)))
	if missing == nil {
		return nil
	}
	return t.near.Put(ctx, t.getFar(ctx, missing, places, into))
}

// getFar fills places, and returns what near should keep of it.
func (t *Tiered) getFar(ctx context.Context, asks []Ask, places []int, into []Entry) []Item {
	found := make([]Entry, len(asks))
	if err := t.far.Get(ctx, asks, found); err != nil {
		t.misses.Add(int64(len(asks)))
		return nil
	}
	keep := make([]Item, 0, len(asks))
	for i, entry := range found {
		if entry.Version > into[places[i]].Version {
			into[places[i]] = entry
		}
		if serves(entry, asks[i]) {
			keep = append(keep, Item{Key: asks[i].Key, Entry: entry})
		}
	}
	t.farHits.Add(int64(len(keep)))
	t.misses.Add(int64(len(asks) - len(keep)))
	return keep
}

func serves(entry Entry, ask Ask) bool { return entry.Version > 0 && entry.Version >= ask.AtLeast }

// Put implements Cache. Far gets the items a little later; where more waits than has room, it does not
// get them at all.
func (t *Tiered) Put(ctx context.Context, items []Item) error {
	if err := t.near.Put(ctx, items); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, item := range items {
		if t.closed || t.bytes+item.size() > maxWaiting {
			t.dropped.Add(int64(len(items) - i))
			break
		}
		t.waiting = append(t.waiting, item)
		t.bytes += item.size()
	}
	t.wakeWriter()
	return nil
}

// size is about how many bytes an item holds while it waits.
func (i *Item) size() int { return len(i.Key) + len(i.Value) + 64 }

func (t *Tiered) wakeWriter() {
	select {
	case t.more <- struct{}{}:
	default: // the writer has not looked since the last one
	}
}

// write brings to far what waits, until the Tiered is closed and nothing waits, or ctx ends.
func (t *Tiered) write(ctx context.Context) {
	defer close(t.ended)
	for {
		piece, closed := t.next()
		switch {
		case ctx.Err() != nil, closed && piece == nil:
			return
		case piece == nil:
			<-t.more
		default:
			_ = t.far.Put(ctx, piece) // it is only a cache, and says itself that it is away
		}
	}
}

// next takes the piece that is written at once.
func (t *Tiered) next() (piece []Item, closed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, bytes := 0, 0
	for n < len(t.waiting) && n < maxTogether && (n == 0 || bytes+t.waiting[n].size() <= maxPiece) {
		bytes += t.waiting[n].size()
		n++
	}
	if n == 0 {
		return nil, t.closed
	}
	piece, t.waiting = t.waiting[:n:n], t.waiting[n:]
	if len(t.waiting) == 0 {
		t.waiting = nil // the next ones begin a new array
	}
	t.bytes -= bytes
	return piece, t.closed
}

// Stats returns the counts.
func (t *Tiered) Stats() TieredStats {
	return TieredStats{
		NearHits: t.nearHits.Load(), FarHits: t.farHits.Load(), Misses: t.misses.Load(), Dropped: t.dropped.Load(),
	}
}

// Close writes what waits, for two seconds at most, and closes both levels.
func (t *Tiered) Close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.wakeWriter()
	timer := time.AfterFunc(closingLimit, t.stop)
	<-t.ended
	timer.Stop()
	t.stop()
	return errors.Join(t.near.Close(), t.far.Close())
}
