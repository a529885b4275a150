package limit_test

import (
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/internal/limit"
)

// TestWindow checks that however requests arrive, no period has more of them than the rate allows, that no caller below
// the rate is refused, and that a caller who waits as long as the response says is accepted, but not earlier.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perMinute := rapid.Int64Range(1, 40).Draw(t, "rate")
		c := noon()
		c.pass(time.Duration(rapid.IntRange(0, 59_999).Draw(t, "begin")) * time.Millisecond)
		l := limit.New(limit.Config{Rates: limit.Rates{Client: perMinute}, Clock: c.time})
		defer l.Close()
		handler := l.Client(ok)
		var let []time.Time
		gaps := rapid.SliceOfN(rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 2000), rapid.IntRange(0, 150_000)), 1, 150)
		for _, gap := range gaps.Draw(t, "gaps") {
			c.pass(time.Duration(gap) * time.Millisecond)
			w := answer(handler, as("client", nil))
			if w.Code == http.StatusNoContent {
				let = append(let, c.time())
				continue
			}
			if within(let, c.time(), 2*time.Minute) < perMinute {
				t.Fatalf("refused after %d of %d", within(let, c.time(), 2*time.Minute), perMinute)
			}
			if !rapid.Bool().Draw(t, "waits") {
				continue
			}
			wait := retryAfter(t, w)
			c.pass(wait - time.Second)
			if wait > time.Second && answer(handler, as("client", nil)).Code == http.StatusNoContent {
				t.Fatalf("let in a second before the %s that it was reported to wait", wait)
			}
			c.pass(time.Second)
			if answer(handler, as("client", nil)).Code != http.StatusNoContent {
				t.Fatalf("refused after the %s that it was reported to wait", wait)
			}
			let = append(let, c.time())
		}
		for i, first := range let {
			for j, last := range let[i:] {
				span := last.Sub(first)
				if most := float64(perMinute)*(1+span.Minutes()) + 1; span <= time.Minute && float64(j+1) > most {
					t.Fatalf("%d requests in %s, at a rate of %d", j+1, span, perMinute)
				}
			}
		}
	})
}

// within returns the number of times that are at most span before now.
func within(times []time.Time, now time.Time, span time.Duration) (n int64) {
	for _, one := range times {
		if now.Sub(one) <= span {
			n++
		}
	}
	return n
}

// TestNoBurstAtTheEdge checks that a client cannot exceed its rate around the boundary of two minutes.
func TestNoBurstAtTheEdge(t *testing.T) {
	c := noon()
	c.pass(59 * time.Second)
	handler := open(t, limit.Config{Rates: limit.Rates{Client: 60}, Clock: c.time}).Client(ok)
	request := func() *http.Request { return as("client", nil) }
	if got := passed(t, handler, 100, request); got != 60 {
		t.Fatalf("%d of 60 in the first minute", got)
	}
	c.pass(2 * time.Second)
	if got := passed(t, handler, 100, request); got > 3 {
		t.Errorf("%d more two seconds later", got)
	}
}

// TestAClockThatIsSetBack checks that a clock that is set back neither admits nor refuses the wrong requests.
func TestAClockThatIsSetBack(t *testing.T) {
	c := noon()
	handler := open(t, limit.Config{Rates: limit.Rates{Client: 5}, Clock: c.time}).Client(ok)
	request := func() *http.Request { return as("client", nil) }
	c.pass(time.Hour)
	passed(t, handler, 10, request)
	c.pass(-time.Second) // into the previous minute
	if got := passed(t, handler, 10, request); got != 0 {
		t.Errorf("%d passed by a clock that was set back by a second", got)
	}
	c.pass(-time.Hour)
	if got := passed(t, handler, 10, request); got != 5 {
		t.Errorf("%d of 5 passed after the clock was set back by an hour", got)
	}
}

// TestTheHighestRate checks that the highest rate does not overflow.
func TestTheHighestRate(t *testing.T) {
	c := noon()
	handler := open(t, limit.Config{Rates: limit.Rates{Client: 1<<63 - 1}, Clock: c.time}).Client(ok)
	request := func() *http.Request { return as("client", nil) }
	for range 3 {
		if got := passed(t, handler, 100, request); got != 100 {
			t.Errorf("%d of 100 passed", got)
		}
		c.pass(30 * time.Second)
	}
}
