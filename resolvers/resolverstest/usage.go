package resolverstest

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/event/intake"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// UsageFixture is an endpoint with accounts, the catalogue of SampleItems, an event log and usage of its own. The operator's account
// is "house", and its customers are "school" and "college".
type UsageFixture struct {
	Handler   http.Handler
	Accounts  *sqlite.Accounts
	Catalogue *sqlite.Catalogue
	Log       *sqlite.Events
	Usage     *sqlite.Usage
	Counter   *counting.Counter
}

// NewUsageFixture makes a ledger with a clock.
func NewUsageFixture(t testing.TB, clock func() time.Time, change ...func(*resolvers.Config)) *UsageFixture {
	t.Helper()
	l, folder := &UsageFixture{}, t.TempDir()
	var err error
	l.Accounts, err = sqlite.OpenAccounts(t.Context(), filepath.Join(folder, "accounts.db"), sqlite.WithClock(clock))
	Must(t, err)
	t.Cleanup(func() { Must(t, l.Accounts.Close()) })
	house := authtest.Account("house", "")
	house.Operator = true
	Must(t, authtest.Put(t.Context(), l.Accounts, house, authtest.Account("school", "basic"), authtest.Account("college", "basic")))
	l.Log, err = sqlite.OpenEvents(t.Context(), filepath.Join(folder, "events.db"))
	Must(t, err)
	t.Cleanup(func() { Must(t, l.Log.Close()) })
	l.Usage, err = sqlite.OpenUsage(t.Context(), filepath.Join(folder, "usage.db"))
	Must(t, err)
	t.Cleanup(func() { Must(t, l.Usage.Close()) })
	l.Catalogue, err = sqlite.OpenCatalogue(t.Context(), filepath.Join(folder, "catalogue.db"))
	Must(t, err)
	t.Cleanup(func() { Must(t, l.Catalogue.Close()) })
	Must(t, l.Catalogue.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, SampleItems())
		return err
	}))
	l.Counter = counting.New(counting.Options{
		Log: l.Log, Usage: l.Usage, Catalogue: l.Catalogue, Now: clock, Poll: time.Millisecond, Rest: time.Microsecond, VerifyEvery: -1,
	})
	commits := intake.New(intake.Options{Log: l.Log})
	t.Cleanup(func() { Must(t, commits.Close()) })
	config := resolvers.Config{
		Events: struct {
			*intake.Commits
			Recaller
		}{commits, l.Log},
		Catalogue: l.Catalogue, Registry: l.Accounts, SignIns: l.Accounts, Usage: l.Usage, Statements: l.Counter, Persons: l.Counter, Voids: l.Counter, Clock: l.Log.ClockRecord, Now: clock,
	}
	for _, change := range change {
		change(&config)
	}
	l.Handler = NewEndpoint(t, func(c *endpoint.Config) { c.Schema = resolvers.NewSchema(config) })
	return l
}
