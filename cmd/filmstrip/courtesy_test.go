package main

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestCourtesy: events are bounded while others come in and for a second longer, and not because of a probe or two.
func TestCourtesy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &courtesy{rate: 3000}
		want := func(rate float64, when string) {
			t.Helper()
			if got := c.Rate(); got != rate {
				t.Errorf("%s: %v a second, want %v", when, got, rate)
			}
		}
		want(0, "nobody came")
		for range manyOthers - 1 {
			c.Asked()
		}
		want(0, "few came")
		c.Asked()
		want(3000, "many came")
		time.Sleep(time.Second)
		want(3000, "a second later")
		c.Asked()
		time.Sleep(time.Second)
		want(0, "in a second in which one came")
		for range manyOthers {
			c.Asked()
		}
		time.Sleep(time.Hour)
		want(0, "an hour later")
	})
}
