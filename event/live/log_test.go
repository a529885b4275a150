//go:build !race

package live_test

import (
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

func openLog(t testing.TB) store.Events {
	t.Helper()
	events, err := sqlite.OpenEvents(t.Context(), filepath.Join(t.TempDir(), "events.db"))
	must(t, err)
	t.Cleanup(func() { must(t, events.Close()) })
	return events
}
