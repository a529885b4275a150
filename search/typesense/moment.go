package typesense

import (
	"context"
	"sync"
	"time"
)

// moment lets searches of this process see a batch as a whole: Typesense takes in its documents one by
// one. What other processes write may be seen in part.
type moment struct{ lock sync.RWMutex }

const (
	// momentPatience is how long a search waits for a batch that is being written. Then it is asked
	// nevertheless: an answer that mixes two moments is better than none.
	momentPatience = 100 * time.Millisecond
	momentPause    = time.Millisecond
)

// write runs what no search of this process should see half of.
func (m *moment) write(change func() error) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	return change()
}

// read runs what asks for something that should be seen as it stood at one moment.
func (m *moment) read(ctx context.Context, ask func() error) error {
	for waited := time.Duration(0); waited < momentPatience && ctx.Err() == nil; waited += momentPause {
		if m.lock.TryRLock() {
			defer m.lock.RUnlock()
			return ask()
		}
		time.Sleep(momentPause)
	}
	return ask()
}
