package postgres_test

import (
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestSearchLog(t *testing.T) {
	var used sync.Map // the schema of a test that needs many in sequence
	storetest.SearchLog(t, func(t *testing.T) func() store.SearchLog {
		url := reusedSchema(t, &used)
		return func() store.SearchLog { return open(t, url).SearchLog() }
	})
}
