package usagelogic

import (
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
