package storetest

import (
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// EmptyCatalogue makes the home of a new, empty catalogue that takes the time from now, and returns
// what opens it. It is opened again after it was closed, and sees then what was stored.
type EmptyCatalogue func(t *testing.T, now func() time.Time) (open func() store.Catalogue)

// Catalogue runs the suite of store.Catalogue.
func Catalogue(t *testing.T, empty EmptyCatalogue) {
	for name, test := range map[string]func(h *house){
		"values": testValues,
	} {
		t.Run(name, func(t *testing.T) { test(newHouse(t, empty)) })
	}
}
