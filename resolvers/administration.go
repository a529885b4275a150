package resolvers

import (
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// administered returns the registry, or an error of code Unavailable where this schema has none.
func (r *resolver) administered() (store.Registry, error) {
	if r.registry == nil {
		return nil, catalogue.Errorf(catalogue.Unavailable, "accounts cannot be administered here")
	}
	return r.registry, nil
}
