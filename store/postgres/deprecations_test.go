package postgres_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestDeprecations(t *testing.T) {
	storetest.Deprecations(t, func(t *testing.T) func() store.Deprecations {
		url := emptySchema(t)
		return func() store.Deprecations { return open(t, url).Accounts() }
	})
}
