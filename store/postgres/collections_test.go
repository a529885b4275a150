package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestCollections(t *testing.T) {
	var used sync.Map
	storetest.Collections(t, func(t *testing.T, now func() time.Time) func() store.Collections {
		url := propertySchema(t, &used)
		return func() store.Collections { return open(t, url, postgres.WithClock(now)).Collections() }
	})
}
