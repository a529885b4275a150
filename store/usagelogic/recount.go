package usagelogic

import (
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// Since keeps plays of a month and of later ones.
func Since(plays []usage.Play, from usage.Month) []usage.Play {
	kept := make([]usage.Play, 0, len(plays))
	for _, p := range plays {
		if p.At >= from.Start() {
			kept = append(kept, p)
		}
	}
	return kept
}

// The errors of a recount that cannot go on as it was asked to.
var (
	ErrRecountMoved = fault.Errorf(fault.Conflict, "the recount has been continued or ended by another process, or must begin again")
	ErrRenaming     = fault.Errorf(fault.Unavailable, "a person is being forgotten: repeat a 'users forget' that was interrupted, then the recount")
)
