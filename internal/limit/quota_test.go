package limit_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/limit"
)

// ledger stores usage as a store does.
type ledger struct {
	mu     sync.Mutex
	months map[string]map[string]int64
	away   bool
	calls  int
}

func (l *ledger) AddUsage(_ context.Context, month string, counts map[string]int64) (map[string]int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	if l.away {
		return nil, errors.New("the store of 192.0.2.7 is away")
	}
	if l.months == nil {
		l.months = map[string]map[string]int64{}
	}
	if l.months[month] == nil {
		l.months[month] = map[string]int64{}
	}
	totals := map[string]int64{}
	for id, n := range counts {
		l.months[month][id] += n
		totals[id] = l.months[month][id]
	}
	return totals, nil
}

func (l *ledger) Usage(_ context.Context, month string) (map[string]int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return nil, errors.New("away")
	}
	return maps.Clone(l.months[month]), nil
}

func (l *ledger) of(month, id string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.months[month][id]
}

func (l *ledger) be(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
}

// ahead shifts the time of a synctest bubble forward, to skip the seconds of a month.
type ahead struct{ by atomic.Int64 }

func (a *ahead) now() time.Time { return time.Now().Add(time.Duration(a.by.Load())) }

func (a *ahead) jump(to time.Time) { a.by.Store(int64(time.Until(to))) }

// Synctest bubbles start in January 2000.
const january, february = "2000-01", "2000-02"

func customer(id string, perMonth int64) func() *http.Request {
	return func() *http.Request { return as("client of "+id, &account.Account{ID: id, RequestsPerMonth: perMonth}) }
}

// TestQuota checks that all clients of an account share its quota, and that the quota starts again with the month.
func TestQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		usage, clock := &ledger{}, &ahead{}
		handler := open(t, limit.Config{Usage: usage, Clock: clock.now}).Client(ok)
		small := &account.Account{ID: "small", RequestsPerMonth: 10}
		let := 0
		for _, client := range []string{"a", "b", "a"} {
			let += passed(t, handler, 5, func() *http.Request { return as(client, small) })
			time.Sleep(time.Hour)
		}
		if let != 10 {
			t.Errorf("%d passed, want 10", let)
		}
		if !passes(t, handler, customer("other", 10)()) || passed(t, handler, 50, customer("free", 0)) != 50 {
			t.Error("another account is refused")
		}
		event := as("a", small)
		event.Method, event.URL.Path = http.MethodPost, "/v1/events/playback"
		if !passes(t, handler, event) {
			t.Error("an event is refused")
		}
		small.RequestsPerMonth = 12
		if got := passed(t, handler, 5, func() *http.Request { return as("a", small) }); got != 2 {
			t.Errorf("%d passed after the quota had grown by 2", got)
		}
		time.Sleep(2 * time.Second)
		if small, free := usage.of(january, "small"), usage.of(january, "free"); small != 12 || free != 0 {
			t.Errorf("the store has %d and %d, want the passed requests of accounts with a quota", small, free)
		}
		w := answer(handler, as("a", small))
		if retryAfter(t, w) != 24*time.Hour || w.Header().Get("RateLimit-Policy") != `"month";q=12;w=2678400` || w.Header().Get("RateLimit") != `"month";r=0;t=86400` {
			t.Errorf("refused by %v", w.Header())
		}
		clock.jump(time.Date(2000, 1, 31, 23, 59, 58, 0, time.UTC))
		if w := answer(handler, as("a", small)); retryAfter(t, w) != 2*time.Second {
			t.Errorf("before the month's end: %v", w.Header())
		}
		time.Sleep(3 * time.Second)
		if got := passed(t, handler, 20, func() *http.Request { return as("a", small) }); got != 12 {
			t.Errorf("%d passed, in the month after", got)
		}
		time.Sleep(2 * time.Second)
		if got := usage.of(february, "small"); got != 12 {
			t.Errorf("the store has %d for the month after", got)
		}
	})
}

// TestProcessesShareAQuota checks that each process learns of the others' usage within a second, and of the usage
// before it started.
func TestProcessesShareAQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		usage := &ledger{}
		one, other := open(t, limit.Config{Usage: usage}).Client(ok), open(t, limit.Config{Usage: usage}).Client(ok)
		let := 0
		for range 100 {
			let += passed(t, one, 1, customer("a", 50)) + passed(t, other, 1, customer("a", 50))
			time.Sleep(100 * time.Millisecond)
		}
		if let < 50 || let > 50+2*11 {
			t.Errorf("%d passed, want 50 and the requests of one second", let)
		}
		if got := usage.of(january, "a"); got != int64(let) {
			t.Errorf("the store has %d, %d passed", got, let)
		}
		third := open(t, limit.Config{Usage: usage}).Client(ok)
		time.Sleep(time.Millisecond)
		if passes(t, third, customer("a", 50)()) {
			t.Error("a new process does not know the used quota")
		}
	})
}

// TestRejectedRequestsAreNotCounted checks that a refused request does not count against the month's quota.
func TestRejectedRequestsAreNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		usage := &ledger{}
		l := open(t, limit.Config{Usage: usage, Rates: limit.Rates{Client: 5}})
		passed(t, l.Client(ok), 100, customer("a", 1000))
		time.Sleep(2 * time.Second)
		if got := usage.of(january, "a"); got != 5 {
			t.Errorf("%d of the month are used up, want 5", got)
		}
		if got := l.Stats().Refused; got["client"] != 95 || got["month"] != 0 {
			t.Errorf("the refused requests are %v", got)
		}
	})
}

// TestUsageWaitsForTheStore checks that no count is lost while the store is unavailable, not even at the end of the
// month, that the quota applies within the process, and that one line is logged.
func TestUsageWaitsForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		usage, clock, log := &ledger{}, &ahead{}, &bytes.Buffer{}
		clock.jump(time.Date(2000, 1, 31, 23, 59, 55, 0, time.UTC))
		logger := slog.New(slog.NewTextHandler(log, nil))
		handler := open(t, limit.Config{Usage: usage, Clock: clock.now, Logger: logger}).Client(ok)
		passed(t, handler, 3, customer("a", 10))
		time.Sleep(1500 * time.Millisecond)
		usage.be(true)
		if got := passed(t, handler, 20, customer("a", 10)); got != 7 {
			t.Errorf("%d passed while the store was away, want 7", got)
		}
		time.Sleep(10 * time.Second)
		if got := passed(t, handler, 4, customer("a", 10)); got != 4 {
			t.Errorf("%d of 4 passed, in the month after", got)
		}
		time.Sleep(5 * time.Second)
		usage.be(false)
		time.Sleep(2 * time.Second)
		if old, next := usage.of(january, "a"), usage.of(february, "a"); old != 10 || next != 4 {
			t.Errorf("the store has %d and %d, want 10 and 4", old, next)
		}
		synctest.Wait()
		calls := usage.calls
		time.Sleep(time.Minute)
		synctest.Wait()
		if usage.calls != calls {
			t.Errorf("the store was asked %d times for nothing", usage.calls-calls)
		}
		if got := strings.Count(log.String(), "\n"); got != 2 {
			t.Errorf("the log says:\n%s", log)
		}
	})
}

// TestCloseWritesUsage checks that Close writes the usage of the last second.
func TestCloseWritesUsage(t *testing.T) {
	usage := &ledger{}
	c := noon()
	l := limit.New(limit.Config{Usage: usage, Clock: c.time})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { passed(t, l.Client(ok), 50, customer("a", 700)) })
	}
	all.Wait()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if got := usage.of("2026-11", "a"); got != 700 {
		t.Errorf("the store has %d, want 700", got)
	}
}

// TestQuotaWithoutAStore checks that without a store, the quota applies within the process.
func TestQuotaWithoutAStore(t *testing.T) {
	if got := passed(t, open(t, limit.Config{}).Client(ok), 50, customer("a", 7)); got != 7 {
		t.Errorf("%d passed, want 7", got)
	}
}
