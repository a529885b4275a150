package postgres_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestJobs(t *testing.T) {
	storetest.Jobs(t, func(t *testing.T) func() store.Jobs {
		url := emptySchema(t)
		return func() store.Jobs { return open(t, url).Jobs() }
	})
}
