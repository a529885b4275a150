package cachetest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
)

// CounterOptions adapts the suite to an engine of counters.
type CounterOptions struct {
	// Wait lets a duration pass for the engine. The default is time.Sleep.
	Wait func(time.Duration)
}

// Counters tests an engine of counters. Each call of open returns Counters without counts.
func Counters(t *testing.T, open func(t *testing.T) cache.Counters, options CounterOptions) {
	t.Helper()
	if options.Wait == nil {
		options.Wait = time.Sleep
	}
	tests := []struct {
		name string
		run  func(*counting)
	}{
		{"counts add up", countsAddUp},
		{"a count ends with its window", countEnds},
		{"additions do not extend a window", windowStays},
		{"no window exceeds the requested one", windowShrinks},
		{"keys are any bytes", countAnyKeys},
		{"invalid arguments are rejected", countRejected},
		{"nothing is lost between concurrent callers", countTogether},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.run(&counting{T: t, counters: open(t), wait: options.Wait})
		})
	}
}

type counting struct {
	*testing.T
	counters cache.Counters
	wait     func(time.Duration)
}

// add adds n and checks the count, and that the remaining time is in (0, window].
func (c *counting) add(key string, n int64, window time.Duration, want int64) time.Duration {
	c.Helper()
	count, left, err := c.counters.Add(context.Background(), key, n, window)
	if err != nil {
		c.Fatalf("Add: %v", err)
	}
	if count != want || left <= 0 || left > window {
		c.Errorf("%q: count %d, %s left; want %d, at most %s", key, count, left, want, window)
	}
	return left
}

func countsAddUp(c *counting) {
	c.add("a", 1, time.Hour, 1)
	c.add("a", 1, time.Hour, 2)
	c.add("b", 5, time.Hour, 5)
	c.add("a", 1<<40, time.Hour, 2+1<<40)
	c.add("a", 1, time.Hour, 3+1<<40)
}

func countEnds(c *counting) {
	const window = 100 * time.Millisecond
	c.add("a", 7, window, 7)
	c.add("b", 7, time.Hour, 7)
	c.wait(2 * window)
	c.add("a", 1, time.Hour, 1)
	c.add("b", 1, time.Hour, 8)
}

func windowStays(c *counting) {
	const window = time.Hour
	before := c.add("a", 1, window, 1)
	c.wait(20 * time.Millisecond)
	if after := c.add("a", 1, window, 2); after >= before {
		c.Errorf("%s left after %s were", after, before)
	}
}

func windowShrinks(c *counting) {
	c.add("a", 1, time.Hour, 1)
	c.add("a", 1, time.Minute, 2)
	if left := c.add("a", 1, time.Hour, 3); left > time.Minute {
		c.Errorf("%s left of a window that was cut to a minute", left)
	}
}

func countAnyKeys(c *counting) {
	for _, key := range []string{"", "\x00", "a", "a\x00", "a b", "a\r\nb", "{a}", "{}", "\xff\xfe", strings.Repeat("k", cache.MaxKeyLength)} {
		c.add(key, 3, time.Hour, 3)
	}
}

func countRejected(c *counting) {
	for _, wrong := range []struct {
		name   string
		key    string
		n      int64
		window time.Duration
	}{
		{"nothing", "a", 0, time.Hour},
		{"less than nothing", "a", -1, time.Hour},
		{"no window", "a", 1, 0},
		{"too short a window", "a", 1, time.Millisecond - 1},
		{"key too long", strings.Repeat("k", cache.MaxKeyLength+1), 1, time.Hour},
	} {
		if _, _, err := c.counters.Add(context.Background(), wrong.key, wrong.n, wrong.window); err == nil {
			c.Errorf("%s: Add returned no error", wrong.name)
		}
	}
	c.add("a", 1, time.Hour, 1)
}

func countTogether(c *counting) {
	const callers, each = 8, 50
	var seen sync.Map
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range each {
				count, _, err := c.counters.Add(context.Background(), "a", 1, time.Hour)
				if err != nil {
					c.Errorf("Add: %v", err)
					return
				}
				if _, twice := seen.LoadOrStore(count, true); twice {
					c.Errorf("count %d was returned twice", count)
				}
			}
		})
	}
	group.Wait()
	c.add("a", 1, time.Hour, callers*each+1)
}
