package usagelogic

import (
	"sync"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// Since returns the plays of a month and of later months.
func Since(plays []usage.Play, from usage.Month) []usage.Play {
	kept := make([]usage.Play, 0, len(plays))
	for _, p := range plays {
		if p.At >= from.Start() {
			kept = append(kept, p)
		}
	}
	return kept
}

// Errors of a recount that cannot continue as requested.
var (
	ErrRecountMoved = fault.Errorf(fault.Conflict, "the recount has been continued or ended by another process, or must begin again")
	ErrRenaming     = fault.Errorf(fault.Unavailable, "a person is being forgotten: repeat a 'users forget' that was interrupted, then the recount")
)

// EachGrain calls fn with every dimension of cells and its grains, until fn returns an error.
func EachGrain(fn func(dimension usage.Dimension, grain Grain) error) error {
	for dimension, of := range grains {
		for _, grain := range of {
			if err := fn(dimension, grain); err != nil {
				return err
			}
		}
	}
	return nil
}

// Numbers keeps the numbers of terms between the steps of a recount. While a recount continues, no number changes its
// meaning: what changes numbers makes the recount begin again. The zero value is empty.
type Numbers struct {
	mu      sync.Mutex
	recount string
	known   Dictionary
}

// maxNumbers is the largest number of terms that Numbers keeps, of some hundred bytes each.
const maxNumbers = 500_000

// Take returns what the last call of Keep for a recount kept, or an empty dictionary. The caller owns it.
func (n *Numbers) Take(recount string) Dictionary {
	n.mu.Lock()
	defer n.mu.Unlock()
	known := n.known
	n.known = nil
	if known == nil || n.recount != recount || len(known) > maxNumbers {
		return Dictionary{}
	}
	return known
}

// Keep keeps numbers after a step that was committed.
func (n *Numbers) Keep(recount string, known Dictionary) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.recount, n.known = recount, known
}
