package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// TestRetention verifies that a server deletes the data that its settings and the retention of keys exclude.
func TestRetention(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		// old reports whether an event of three months ago remains. pseudonym, address and addressLater report whether
		// a new event has a pseudonym, an address at first, and an address in the end.
		old, pseudonym, address, addressLater bool
		// The month of three months ago is sealed beforehand.
		sealed bool
	}{
		"by default":           {old: true},
		"addresses for a time": {args: []string{"--keep-addresses", "3s"}, old: true, address: true},
		"addresses for long":   {args: []string{"--keep-addresses", "1h"}, old: true, address: true, addressLater: true},
		"pseudonyms":           {args: []string{"--pseudonymise-users"}, old: true, pseudonym: true},
		"events for a month":   {args: []string{"--keep-events", "1", "--keep-addresses", "3s"}, address: true, sealed: true},
		"a month not sealed":   {args: []string{"--keep-events", "1", "--keep-addresses", "3s"}, address: true, old: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, now := t.TempDir(), event.InstantOf(time.Now())
			reported := usage.MonthNumber(usage.MonthOf(now).Number() - 3).Start()
			before := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(data, EventsFile)))(t)
			keyed := func(key string, age event.Instant) event.Submission {
				return event.Submission{Client: "demo", Key: key, Received: now - age*event.Hour}
			}
			apptest.Must(before.Append(t.Context(), []event.Submission{
				keyed("young", 13*24), keyed("aged", 15*24),
				{Received: reported, Events: []event.Event{{Kind: event.PageRender, At: reported, Received: reported, Address: "192.0.2.9"}}},
			}))(t)
			if err := before.Close(); err != nil {
				t.Fatal(err)
			}

			if test.sealed {
				apptest.Succeed(t, "migrate", "--data", data)
				apptest.Succeed(t, "usage", "seal", "--month", usage.MonthOf(reported).String(), "--data", data)
			}
			p := admitAsItIs(t, append([]string{"--data", data}, test.args...)...)
			if err := demo.FillCatalogue(t.Context(), p.catalogue); err != nil {
				t.Fatal(err)
			}
			p.logIn()
			p.want(http.StatusCreated, p.request("POST", "/v1/events/playback",
				`{"videoId":"1001","segmentStartSeconds":0,"segmentEndSeconds":9,"userId":"pupil 7"}`,
				"Authorization", "Bearer "+p.token, "Content-Type", "application/json"))
			last := func() event.Event {
				t.Helper()
				return apptest.Must(p.stores.Events.Read(t.Context(), store.EventQuery{Kinds: []event.Kind{event.Playback}, Dropped: 1}, 0, 10))(t)[0]
			}
			if e := last(); (e.ExternalUser != "pupil 7") != test.pseudonym || (e.Address != "") != test.address {
				t.Errorf("it is kept that %q reported it at %q", e.ExternalUser, e.Address)
			}
			apptest.Await(p, "old keys are forgotten", func() bool {
				return apptest.Must(p.stores.Events.Recall(t.Context(), keyed("aged", 0)))(t) == 0
			})
			if verdict := apptest.Must(p.stores.Events.Recall(t.Context(), keyed("young", 0)))(t); verdict != event.Repeated {
				t.Errorf("the key of 13 days ago is recalled as %d", verdict)
			}
			apptest.Await(p, "addresses are as they should be", func() bool { return (last().Address != "") == test.addressLater })
			apptest.Await(p, "old events are as they should be", func() bool {
				left := apptest.Must(p.stores.Events.Read(t.Context(), store.EventQuery{To: reported + 1, Dropped: 1}, 0, 10))(t)
				return (len(left) == 1) == test.old && (len(left) == 0 || left[0].Address == "")
			})
		})
	}
}

// TestSealedMonthsAreDropped verifies that a month is dropped with all events received in it once it is sealed, and not
// before, even if the clock of the receiving process was wrong.
func TestSealedMonthsAreDropped(t *testing.T) {
	folder := t.TempDir()
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(folder, EventsFile)))(t)
	counts := apptest.Must(sqlite.OpenUsage(t.Context(), filepath.Join(folder, UsageFile)))(t)
	t.Cleanup(func() { _, _ = log.Close(), counts.Close() })
	s := &App{stores: &Stores{Events: log, Usage: counts}}
	october := usage.Month{Year: 2026, Month: 10}
	august, september, november := usage.Month{Year: 2026, Month: 8}, usage.Month{Year: 2026, Month: 9}, usage.Month{Year: 2026, Month: 11}
	for _, received := range []event.Instant{august.Start(), october.Start() - 1, october.End() + 1000*event.Hour, october.Start() - 2, october.Start()} {
		apptest.Must(log.Append(t.Context(), []event.Submission{{Received: received, Events: []event.Event{{Kind: event.PageRender, Received: received}}}}))(t)
	}
	left := func() (positions []event.Position) {
		for _, e := range apptest.Must(log.Read(t.Context(), store.EventQuery{Dropped: 5}, 0, 10))(t) {
			positions = append(positions, e.Position)
		}
		return positions
	}
	for _, step := range []struct {
		what    string
		counted event.Position
		seal    usage.Month // none if zero
		left    []event.Position
	}{
		{"nothing is counted", 0, usage.Month{}, []event.Position{1, 2, 3, 4, 5}},
		{"all is counted and nothing sealed", 2, usage.Month{}, []event.Position{1, 2, 3, 4, 5}},
		{"August is sealed", 2, august, []event.Position{2, 3, 4, 5}},
		{"September is sealed, and event 4 came after", 3, september, []event.Position{2, 3, 4, 5}},
		{"event 4 is counted, and its seal is not made", 5, usage.Month{}, []event.Position{2, 3, 4, 5}},
		{"October is sealed", 5, october, []event.Position{3, 5}},
		{"November is sealed, which is kept", 5, november, []event.Position{3, 5}},
	} {
		from := apptest.Must(counts.Progress(t.Context()))(t)
		if err := counts.Apply(t.Context(), from, usage.Progress{Position: step.counted, AsOf: october.End() + 1000*event.Hour}, nil); err != nil {
			t.Fatal(err)
		}
		if step.seal != (usage.Month{}) {
			none := func(usage.Progress, []usage.Sum, map[string]usage.Statement) ([]usage.Statement, error) {
				return nil, nil
			}
			apptest.Must(counts.Seal(t.Context(), usage.Seal{Month: step.seal, At: time.Now()}, none))(t)
		}
		if err := s.dropBefore(t.Context(), october); err != nil {
			t.Fatal(err)
		}
		if got := left(); !slices.Equal(got, step.left) {
			t.Errorf("%s: left are %v, want %v", step.what, got, step.left)
		}
	}
}

// TestRegularTasksRepeatSoonAfterAnOutage verifies that a task that failed because an engine did not answer runs again
// after a minute, and that other errors do not hasten it.
func TestRegularTasksRepeatSoonAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		errs := []error{fault.Errorf(fault.Unavailable, "the archive of the event log is unavailable"), nil, errors.New("damaged"), nil}
		var failed atomic.Pointer[error]
		var ran []time.Duration
		begun := time.Now()
		s := &App{logger: slog.New(slog.DiscardHandler)}
		s.regularly(ctx, 10*time.Minute, "it failed", &failed, func(context.Context) error {
			if ran = append(ran, time.Since(begun)); len(ran) == len(errs) {
				end()
			}
			return errs[len(ran)-1]
		})
		if want := []time.Duration{0, time.Minute, 11 * time.Minute, 21 * time.Minute}; !slices.Equal(ran, want) {
			t.Errorf("the task ran after %v, want %v", ran, want)
		}
	})
}
