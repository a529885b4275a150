package main

import (
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/internal/processors"
)

// courtesy has requests with events give way to others, whose callers wait for what they are told: while others come
// in, only so many with events go on a second. Those beyond wait, and are refused where they would wait too long.
type courtesy struct {
	// rate is how many go on a second while others come in; 0: all.
	rate float64

	mu     sync.Mutex
	second int64 // of the clock
	// others came in this second and in the one before.
	others, before int
}

// manyOthers in a second are callers who wait; fewer are probes, or somebody who looks after the machine.
const manyOthers = 10

func newCourtesy(settings *meterSettings) *courtesy {
	return &courtesy{rate: float64(settings.EventPace * processors.Count())}
}

// Asked is told of each request that brings no events.
func (c *courtesy) Asked() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn()
	c.others++
}

// Rate is how many requests with events may go on a second just now; 0: as many as come.
func (c *courtesy) Rate() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn(); max(c.others, c.before) < manyOthers {
		return 0
	}
	return c.rate
}

// turn begins another second where it is time.
func (c *courtesy) turn() {
	switch now := time.Now().Unix(); now - c.second {
	case 0:
	case 1:
		c.second, c.before, c.others = now, c.others, 0
	default:
		c.second, c.before, c.others = now, 0, 0
	}
}
