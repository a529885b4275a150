package app

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/clock"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// leftovers is a data directory with one item of each kind that a server deletes by its clock, each old enough for
// deletion.
type leftovers struct {
	*testing.T
	data     string
	reported usage.Month
	key      event.Submission
}

const oldKey = "an old signing key"

func leaveBehind(t *testing.T) *leftovers {
	t.Helper()
	l := &leftovers{T: t, data: t.TempDir()}
	now := event.InstantOf(time.Now())
	l.reported = usage.MonthNumber(usage.MonthOf(now).Number() - 3)
	l.key = event.Submission{Client: "demo", Key: "old", Received: now - 15*24*event.Hour}
	apptest.Succeed(t, "migrate", "--data", l.data)
	log := l.log()
	at := l.reported.Start()
	apptest.Must(log.Append(t.Context(), []event.Submission{
		l.key, {Received: at, Events: []event.Event{{Kind: event.PageRender, At: at, Received: at, Address: "192.0.2.9"}}},
	}))(t)
	l.close(log)
	apptest.Succeed(t, "usage", "seal", "--month", l.reported.String(), "--data", l.data)
	queries := apptest.Must(sqlite.OpenSearchLog(t.Context(), filepath.Join(l.data, searchLogFile)))(t)
	day := catalogue.DateOf(time.Now().AddDate(-1, 0, 0))
	if err := queries.Add(t.Context(), store.SearchLogBatch{Searches: []store.Searched{
		{SearchLogKey: store.SearchLogKey{Day: day, Account: "demo", Text: "water"}, Spelling: "water", At: at, Times: 1, Unfiltered: 1, Found: 1, FoundAt: at},
	}}); err != nil {
		t.Fatal(err)
	}
	l.close(queries)
	accounts := apptest.Must(sqlite.OpenAccounts(t.Context(), filepath.Join(l.data, AccountsFile)))(t)
	for i, id := range []string{oldKey, "its successor"} {
		key := account.Key{ID: id, Secret: make([]byte, 32), CreatedAt: time.Now().AddDate(-1, i, 0)}
		if err := accounts.AddKey(t.Context(), "signing", key, false); err != nil {
			t.Fatal(err)
		}
	}
	l.close(accounts)
	return l
}

func (l *leftovers) log() *sqlite.Events {
	l.Helper()
	return apptest.Must(sqlite.OpenEvents(l.Context(), filepath.Join(l.data, EventsFile)))(l)
}

func (l *leftovers) close(of interface{ Close() error }) {
	l.Helper()
	if err := of.Close(); err != nil {
		l.Fatal(err)
	}
}

// setClock makes a server that starts now find that its wall clock has moved by a duration since another server ran.
func (l *leftovers) setClock(moved time.Duration) {
	l.Helper()
	log := l.log()
	defer l.close(log)
	record := apptest.Must(log.ClockRecord(l.Context()))(l)
	if len(record.Boots) == 0 {
		l.Skip("the system reports no boot time")
	}
	if err := log.EditClockRecord(l.Context(), func(record *store.ClockRecord) error {
		for boot, noted := range record.Boots {
			noted.Offset -= moved.Milliseconds()
			record.Boots[boot] = noted
		}
		return nil
	}); err != nil {
		l.Fatal(err)
	}
}

// left lists the leftovers that still exist.
func (l *leftovers) left(s *App) (left []string) {
	l.Helper()
	ctx := l.Context()
	if events := apptest.Must(s.stores.Events.Read(ctx, store.EventQuery{To: l.reported.End(), Dropped: 100}, 0, 10))(l); len(events) > 0 {
		left = append(left, "event")
		if events[0].Address != "" {
			left = append(left, "address")
		}
	}
	if apptest.Must(s.stores.Events.Recall(ctx, l.key))(l) != 0 {
		left = append(left, "idempotency key")
	}
	database := apptest.Must(sql.Open("sqlite", filepath.Join(l.data, searchLogFile)))(l)
	defer database.Close()
	var searches int
	if err := database.QueryRowContext(ctx, "SELECT count(*) FROM searchlog_searches WHERE account = 'demo' AND text = 'water'").Scan(&searches); err != nil {
		l.Fatal(err)
	}
	if searches > 0 {
		left = append(left, "search")
	}
	for _, key := range apptest.Must(s.stores.Accounts.Keys(ctx, "signing"))(l) {
		if key.ID == oldKey {
			left = append(left, "signing key")
		}
	}
	return left
}

// serve starts a server on the data with the shortest allowed retention.
func (l *leftovers) serve(t *testing.T) *demoServer {
	return admitAsItIs(t, "--data", l.data, "--keep-events", "1", "--keep-addresses", "1h")
}

// TestWrongClockDeletesNothing verifies that a server with a wrong wall clock deletes nothing, continues to accept
// events, and reports the clock, also after a restart, until an operator confirms the clock.
func TestWrongClockDeletesNothing(t *testing.T) {
	t.Parallel()
	everything := []string{"event", "address", "idempotency key", "search", "signing key"}
	for name, wrong := range map[string]func(l *leftovers){
		"it moved against the boot-time clock": func(l *leftovers) { l.setClock(3 * time.Hour) },
		"it lies before the newest event": func(l *leftovers) {
			log := l.log()
			defer l.close(log)
			ahead := event.InstantOf(time.Now().Add(3 * time.Hour))
			apptest.Must(log.Append(l.Context(), []event.Submission{{Received: ahead, Events: []event.Event{{Kind: event.PageRender, At: ahead, Received: ahead}}}}))(l)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := leaveBehind(t)
			{ // A command records the boot, as an earlier server would have done.
				log := l.log()
				apptest.Must(clock.New(clock.Options{Log: log}).Check(t.Context()))(t)
				l.close(log)
			}
			wrong(l)
			for i := range 2 { // the second time after a restart
				t.Run(fmt.Sprint("start ", i+1), func(t *testing.T) {
					p := l.serve(t)
					if err := demo.FillCatalogue(t.Context(), p.catalogue); err != nil {
						t.Fatal(err)
					}
					p.logIn()
					p.awaitReadiness(stateDegraded, map[string]string{"retention": stateDegraded, "events": stateUp})
					if !strings.Contains(string(p.metrics()), "\nfilmstrip_retention_stopped 1\n") {
						t.Error("filmstrip_retention_stopped is not 1")
					}
					if err := p.forget(t.Context(), time.Now()); err != nil {
						t.Error(err)
					}
					p.want(http.StatusCreated, p.request("POST", "/v1/events/playback",
						`{"videoId":"1001","segmentStartSeconds":0,"segmentEndSeconds":9}`,
						"Authorization", "Bearer "+p.token, "Content-Type", "application/json"))
					if left := l.left(p.App); !slices.Equal(left, everything) {
						t.Errorf("left are %q", left)
					}
				})
			}
			sealing := []string{"usage", "seal", "--month", l.reported.Next().String(), "--force", "--data", l.data}
			if got := apptest.Run(t, nil, "", sealing...); got.Status != 1 || !strings.Contains(got.Err, "filmstrip clock confirm") {
				t.Errorf("sealing ends with %d: %s%s", got.Status, got.Out, got.Err)
			}
			if reported := apptest.Succeed(t, "clock", "status", "--data", l.data); !strings.Contains(reported, "are stopped since") {
				t.Errorf("the state is %q", reported)
			}
			if got := apptest.Run(t, nil, "", "clock", "confirm", "--reason", "", "--data", l.data); got.Status != 1 {
				t.Errorf("without a reason it ends with %d", got.Status)
			}
			apptest.Succeed(t, "clock", "confirm", "--reason", "NTP was wrong", "--data", l.data)
			if reported := apptest.Succeed(t, "clock", "status", "--data", l.data); !strings.Contains(reported, "are trusted") {
				t.Errorf("the state is %q", reported)
			}
			if trail := apptest.Succeed(t, "audit", "--kind", "policy", "--data", l.data); !strings.Contains(trail, "NTP was wrong") {
				t.Errorf("the audit log shows\n%s", trail)
			}
			p := l.serve(t)
			apptest.Await(t, "everything is deleted", func() bool { return len(l.left(p.App)) == 0 })
			if err := p.readiness(stateDegraded, map[string]string{"retention": stateDegraded}); err == nil {
				t.Error("retention is still degraded")
			}
			apptest.Succeed(t, sealing...)
		})
	}
}

// metrics returns the response of /metrics.
func (p *demoServer) metrics() []byte {
	recorder := httptest.NewRecorder()
	p.telemetry.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	return recorder.Body.Bytes()
}

// TestClockConfirmedWhileServing verifies that servers accept the confirmation of a clock without a restart.
func TestClockConfirmedWhileServing(t *testing.T) {
	s := openWith(t, "--data="+t.TempDir())
	if err := s.stores.Events.EditClockRecord(t.Context(), func(record *store.ClockRecord) error {
		record.Hold = &store.ClockHold{Since: time.Now(), Reason: "of another server"}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if s.clock.MayDelete(t.Context()) || s.retentionState().Status != stateDegraded {
		t.Error("the clock ignores the hold of another server")
	}
	if _, err := clock.Confirm(t.Context(), s.stores.Events, time.Now()); err != nil {
		t.Fatal(err)
	}
	if !s.clock.MayDelete(t.Context()) || s.retentionState().Status != stateUp {
		t.Error("the clock ignores a confirmation")
	}
}
