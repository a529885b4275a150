package postgres_test

import (
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestCollections(t *testing.T) {
	storetest.Collections(t, func(t *testing.T, now func() time.Time) func() store.Collections {
		url := emptySchema(t)
		return func() store.Collections { return open(t, url, postgres.WithClock(now)).Collections() }
	})
}
