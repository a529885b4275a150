package limit_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/limit"
)

// visitor returns a caller with an embed's token.
func visitor(address string) *account.Caller {
	caller := &account.Caller{ClientID: "lms", Account: &account.Account{ID: "school"}}
	caller.Confine(&account.Embed{Video: "0123456789abcdef01234567", Address: address})
	return caller
}

// intake returns an event intake behind the limits, whose requests have the given number of events.
func intake(l *limit.Limits, events int) http.Handler {
	return l.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := event.WithCircumstances(r.Context(), event.Circumstances{Address: l.AddressOf(r).String()})
		if err := l.Events(ctx, events); err != nil {
			if fault.CodeOf(err) != fault.TooMany {
				panic(err)
			}
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
}

func posts(caller *account.Caller, address string) func() *http.Request {
	return func() *http.Request {
		r := from(address)
		r.URL.Path = "/v1/events/playback"
		return r.WithContext(account.WithCaller(r.Context(), caller))
	}
}

// TestEventsOfDevices checks that callers without a secret may send 1,000 events at once and 50 per second, and an
// embed ten times as many.
func TestEventsOfDevices(t *testing.T) {
	secret := &account.Caller{ClientID: "lms"}
	pupil, teacher := &account.Caller{ClientID: "app", Public: true, User: "pupil"}, &account.Caller{ClientID: "app", Public: true, User: "teacher"}
	nobody := &account.Caller{ClientID: "app", Public: true}
	for name, test := range map[string]struct {
		one, other func() *http.Request
		together   bool
		policy     string
	}{
		"one address without a token":    {posts(&account.Caller{}, "192.0.2.1:80"), posts(&account.Caller{}, "192.0.2.1:81"), true, "events-address"},
		"a /64":                          {posts(&account.Caller{}, "[2001:db8::1]:80"), posts(&account.Caller{}, "[2001:db8::2]:80"), true, "events-address"},
		"two addresses":                  {posts(&account.Caller{}, "192.0.2.1:80"), posts(&account.Caller{}, "192.0.2.2:80"), false, "events-address"},
		"two embeds at an address":       {posts(visitor("one"), "192.0.2.1:80"), posts(visitor("two"), "192.0.2.1:80"), true, "events-address"},
		"an embed and no token":          {posts(visitor("one"), "192.0.2.1:80"), posts(&account.Caller{}, "192.0.2.1:80"), true, "events-address"},
		"an embed at two addresses":      {posts(visitor("one"), "192.0.2.1:80"), posts(visitor("one"), "192.0.2.2:80"), false, "events-address"},
		"a user of a client in the open": {posts(pupil, "192.0.2.1:80"), posts(pupil, "192.0.2.2:80"), true, "events-user"},
		"two users at an address":        {posts(pupil, "192.0.2.1:80"), posts(teacher, "192.0.2.1:80"), false, "events-user"},
		"a client in the open":           {posts(nobody, "192.0.2.1:80"), posts(&account.Caller{}, "192.0.2.1:80"), true, "events-address"},
	} {
		l := open(t, limit.Config{Rates: limit.Rates{DeviceEvents: 50, Client: 1, Anonymous: 1}, Clock: noon().time})
		handler := intake(l, 1)
		if got := passed(t, handler, 1100, test.one); got != 1000 {
			t.Errorf("%s: %d events passed, want 1000", name, got)
		}
		if w := answer(handler, test.one()); w.Header().Get("RateLimit-Policy") != `"`+test.policy+`";q=1000;w=20` {
			t.Errorf("%s: refused by %q", name, w.Header().Get("RateLimit-Policy"))
		}
		if got := passes(t, handler, test.other()); got == test.together {
			t.Errorf("%s: the other passes: %v", name, got)
		}
		if got := passed(t, handler, 2000, posts(secret, "192.0.2.1:80")); got != 2000 {
			t.Errorf("%s: of a client with a secret %d events passed, want all 2000", name, got)
		}
	}
}

// TestEventsOfAnEmbed checks that all visitors of an embed together may send ten times as many events as one address.
func TestEventsOfAnEmbed(t *testing.T) {
	c := noon()
	l := open(t, limit.Config{Rates: limit.Rates{DeviceEvents: 50}, Clock: c.time})
	handler, let := intake(l, 1), 0
	for host := range 20 {
		let += passed(t, handler, 900, posts(visitor("one"), "[2001:db8:0:"+string(rune('a'+host%6))+string(rune('0'+host/6))+"::1]:80"))
	}
	if let != 10_000 {
		t.Errorf("%d events passed, want 10000", let)
	}
	if got := passed(t, handler, 900, posts(visitor("two"), "192.0.2.9:80")); got != 900 {
		t.Errorf("of another embed %d of 900 events passed", got)
	}
}

// TestEventsAreCounted checks that the limit counts events instead of requests. A batch counts all its events; a
// refused batch counts only its first event.
func TestEventsAreCounted(t *testing.T) {
	c := noon()
	l := open(t, limit.Config{Rates: limit.Rates{Events: 1200}, Clock: c.time})
	batch, single := intake(l, 500), intake(l, 1)
	request := posts(&account.Caller{ClientID: "lms"}, "192.0.2.1:80")
	if got := passed(t, batch, 4, request); got != 2 {
		t.Errorf("%d batches passed, want 2", got)
	}
	if got := passed(t, single, 300, request); got != 198 { // two refused batches counted one event each
		t.Errorf("%d single events passed, want 198", got)
	}
	if got := l.Stats().Refused["events"]; got != 2+102 {
		t.Errorf("%d are refused", got)
	}
	// GraphQL submits events without a request to the intake.
	ctx := account.WithCaller(context.Background(), &account.Caller{ClientID: "dashboard"})
	for i := range 4 {
		err := l.Events(ctx, 500)
		if refused := fault.CodeOf(err) == fault.TooMany; refused != (i >= 2) {
			t.Errorf("call %d: %v", i, err)
		}
		if i >= 2 {
			header, said := http.Header{}, (interface{ SetHeader(http.Header) })(nil)
			if !errors.As(err, &said) {
				t.Fatalf("%v does not set Retry-After", err)
			}
			if said.SetHeader(header); header.Get("Retry-After") == "" || header.Get("RateLimit-Policy") != `"events";q=1200;w=60` {
				t.Errorf("the headers are %v", header)
			}
		}
	}
	// A batch larger than the whole limit uses all of it, so that it is accepted eventually.
	small := intake(open(t, limit.Config{Rates: limit.Rates{DeviceEvents: 1}, Clock: c.time}), 500)
	if got := passed(t, small, 3, posts(&account.Caller{}, "192.0.2.1:80")); got != 1 {
		t.Errorf("%d batches larger than the limit passed, want 1", got)
	}
}

// TestWindowOfEvents checks that however batches arrive, no period has more events than burst and rate allow, and that
// a caller who waits as long as the response says is accepted.
func TestWindowOfEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, 5).Draw(t, "rate")
		c := noon()
		c.pass(time.Duration(rapid.IntRange(0, 19_999).Draw(t, "begin")) * time.Millisecond)
		l := limit.New(limit.Config{Rates: limit.Rates{DeviceEvents: rate}, Clock: c.time})
		defer l.Close()
		caller := account.WithCaller(context.Background(), &account.Caller{})
		type let struct {
			at time.Time
			n  int64
		}
		var all []let
		take := func(n int64) time.Duration {
			err := l.Events(caller, int(n))
			if err == nil {
				all = append(all, let{c.time(), n})
				return 0
			}
			w := httptest.NewRecorder()
			said := (interface{ SetHeader(http.Header) })(nil)
			errors.As(err, &said)
			said.SetHeader(w.Header())
			return retryAfter(t, w)
		}
		for range 60 {
			c.pass(time.Duration(rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 3000), rapid.IntRange(0, 50_000)).Draw(t, "gap")) * time.Millisecond)
			n := rapid.Int64Range(1, 20*rate).Draw(t, "events")
			if wait := take(n); wait > 0 && rapid.Bool().Draw(t, "waits") {
				c.pass(wait)
				if again := take(n); again > 0 {
					t.Fatalf("%d events were reported to wait for %s, and then for %s", n, wait, again)
				}
			}
		}
		for i, first := range all {
			sum := int64(0)
			for _, last := range all[i:] {
				sum += last.n
				span := last.at.Sub(first.at)
				if most := float64(rate)*(20+span.Seconds()) + 1; span <= 20*time.Second && float64(sum) > most {
					t.Fatalf("%d events in %s, at a rate of %d", sum, span, rate)
				}
			}
		}
	})
}

// TestProcessesShareEvents checks that events that a device sends to one process also count at the others.
func TestProcessesShareEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := limit.Config{Rates: limit.Rates{DeviceEvents: 50}, Counters: shared()}
		one, other := intake(open(t, config), 1), intake(open(t, config), 1)
		request := posts(&account.Caller{}, "192.0.2.1:80")
		let := passed(t, one, 2000, request)
		time.Sleep(time.Second)
		let += passed(t, other, 1, request) // after it, this process learns of the others' counts
		time.Sleep(time.Second)
		let += passed(t, other, 2000, request)
		if let < 1000 || let > 1000+2*50+2 {
			t.Errorf("%d events passed at two processes, want about 1100", let)
		}
	})
}

// TestViewings checks that embed pages are limited by address and by embed.
func TestViewings(t *testing.T) {
	l := open(t, limit.Config{Rates: limit.Rates{Viewings: 3}, Clock: noon().time})
	let := func(address, embed string, n int) (count int) {
		for range n {
			if err := l.Viewing(from(address), embed); err == nil {
				count++
			} else if fault.CodeOf(err) != fault.TooMany {
				t.Fatal(err)
			}
		}
		return count
	}
	if got := let("192.0.2.1:80", "one", 2) + let("192.0.2.1:80", "two", 8); got != 3 {
		t.Errorf("%d pages were opened at an address, want 3", got)
	}
	all := 0
	for _, host := range "abcdefghijklmnop" {
		all += let("[2001:db8:0:"+string("0123456789abcdef"[host%16])+"::1]:80", "three", 3)
	}
	if all != 30 {
		t.Errorf("%d pages of one embed were opened, want 30", all)
	}
}
