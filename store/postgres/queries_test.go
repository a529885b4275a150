package postgres_test

import (
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestQueries(t *testing.T) {
	empty := rooms(t)
	var used sync.Map // the room of a test that asks for many, one after the other
	storetest.Queries(t, func(t *testing.T) func() store.SearchLog {
		room, again := used.Load(t)
		if !again {
			room = empty(t)
			used.Store(t, room)
		} else {
			execute(t, room.(string), "TRUNCATE searchlog_searches, searchlog_clicks")
		}
		return func() store.SearchLog { return open(t, room.(string)).SearchLog() }
	})
}
