package archive

import (
	"slices"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

// walks remembers walks that end within a file, because a reader of the whole log continues where it stopped: opening the
// files again for each page would take longer than reading it.
type walks struct {
	mu     sync.Mutex
	idle   []idleWalk
	closed bool
}

type idleWalk struct {
	*walk
	tag   string
	query store.EventQuery
	after event.Position
	timer *time.Timer
}

const (
	// maxIdleWalks and maxIdle bound the memory and the open files of readers that do not return.
	maxIdleWalks = 4
	maxIdle      = 20 * time.Second
)

// matches reports whether a walk continues a query after a position.
func (w *idleWalk) matches(now *state, query store.EventQuery, after event.Position) bool {
	same := w.query.Account == query.Account && w.query.Person == query.Person && w.query.From == query.From &&
		w.query.To == query.To && w.query.UpTo == query.UpTo && slices.Equal(w.query.Kinds, query.Kinds) && slices.Equal(w.query.Names, query.Names)
	return same && w.tag == now.tag && w.after == after
}

// take returns the walk that continues a query after a position, or nil.
func (s *walks) take(now *state, query store.EventQuery, after event.Position) *walk {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.idle {
		if found := s.idle[i]; found.matches(now, query, after) {
			found.timer.Stop()
			s.idle = append(s.idle[:i:i], s.idle[i+1:]...)
			return found.walk
		}
	}
	return nil
}

// put remembers a walk for a while.
func (s *walks) put(w *walk, now *state, query store.EventQuery, after event.Position) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		w.close()
		return
	}
	query.Kinds, query.Names = slices.Clone(query.Kinds), slices.Clone(query.Names)
	s.idle = append(s.idle, idleWalk{w, now.tag, query, after, time.AfterFunc(maxIdle, func() { s.expire(w) })})
	if len(s.idle) > maxIdleWalks {
		s.idle[0].timer.Stop()
		s.idle[0].close()
		s.idle = s.idle[1:]
	}
}

func (s *walks) expire(w *walk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.idle {
		if s.idle[i].walk == w {
			w.close()
			s.idle = append(s.idle[:i:i], s.idle[i+1:]...)
			return
		}
	}
}

func (s *walks) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, idle := range s.idle {
		idle.timer.Stop()
		idle.close()
	}
	s.idle, s.closed = nil, true
}
