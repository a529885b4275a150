package fleet_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// history records what clients of several processes saw, and when. A register is a video whose title contains a number
// that every write of it increases.
type history struct {
	mu       sync.Mutex
	writes   []written
	reads    []seen
	walks    []walk
	failures []string // requests that failed despite retries
	terms    []term
}

// written is an acknowledged write.
type written struct {
	register, value int
	answered        time.Time
}

// seen is the response to a read.
type seen struct {
	register, value int
	process         string
	asked           time.Time
}

// walk is a complete walk through the feed.
type walk struct{ ids []string }

// term is the period in which a process wrote an index: that of videos or that of collections, each with its lease.
type term struct {
	process, lease string
	from, to       time.Time
}

func (h *history) addWrite(w written) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.writes = append(h.writes, w)
}

func (h *history) addPage(s seen) { h.mu.Lock(); defer h.mu.Unlock(); h.reads = append(h.reads, s) }

func (h *history) addWalk(w walk) { h.mu.Lock(); defer h.mu.Unlock(); h.walks = append(h.walks, w) }

func (h *history) failed(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures = append(h.failures, fmt.Sprintf(format, args...))
}

// faults lists the violations of docs/architecture.md: a read that is older than a second after the response to a
// write, a walk that misses or duplicates a video that was present throughout, a request that failed despite retries,
// and two processes that write the index at the same time.
func (h *history) faults(throughout []string) (faults []string) {
	faults = append(faults, h.failures...)
	for _, read := range h.reads {
		for _, write := range h.writes {
			if write.register == read.register && write.value > read.value && read.asked.After(write.answered.Add(apptest.LagAllowed)) {
				faults = append(faults, fmt.Sprintf("%s shows %d of register %d, %s after %d was written",
					read.process, read.value, read.register, read.asked.Sub(write.answered), write.value))
				break
			}
		}
	}
	for i, walk := range h.walks {
		faults = append(faults, walk.faults(i, throughout)...)
	}
	terms := slices.SortedFunc(slices.Values(h.terms), func(a, b term) int {
		return cmp.Or(strings.Compare(a.lease, b.lease), a.from.Compare(b.from))
	})
	for i := 1; i < len(terms); i++ {
		if a, b := terms[i-1], terms[i]; a.lease == b.lease && b.from.Before(a.to) {
			faults = append(faults, fmt.Sprintf("%s writes the index of %s from %s, %s until %s",
				b.process, b.lease, b.from.Format(time.StampMicro), a.process, a.to.Format(time.StampMicro)))
		}
	}
	return faults
}

func (w walk) faults(number int, throughout []string) (faults []string) {
	times := map[string]int{}
	for _, id := range w.ids {
		if times[id]++; times[id] == 2 {
			faults = append(faults, fmt.Sprintf("walk %d meets %s twice", number, id))
		}
	}
	for _, id := range throughout {
		if times[id] == 0 {
			faults = append(faults, fmt.Sprintf("walk %d misses %s", number, id))
		}
	}
	return faults
}

// TestHistoryFaults verifies that the checker finds each kind of fault, and none in a correct history.
func TestHistoryFaults(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	sound := func() *history {
		return &history{
			writes: []written{{1, 1, at(0)}, {1, 2, at(5)}},
			reads:  []seen{{1, 1, "a", at(0.5)}, {1, 1, "b", at(5.9)}, {1, 2, "b", at(6.5)}, {1, 3, "a", at(6)}},
			walks:  []walk{{[]string{"x", "y", "new"}}, {[]string{"y", "x"}}},
			terms:  []term{{"a", "videos", at(0), at(3)}, {"b", "videos", at(4), at(9)}, {"a", "collections", at(2), at(8)}},
		}
	}
	for name, test := range map[string]struct {
		plant func(*history)
		want  string
	}{
		"none":                 {func(*history) {}, ""},
		"a stale read":         {func(h *history) { h.addPage(seen{1, 1, "c", at(6.1)}) }, "c shows 1"},
		"a walk that misses":   {func(h *history) { h.addWalk(walk{[]string{"x"}}) }, "misses y"},
		"a walk that doubles":  {func(h *history) { h.addWalk(walk{[]string{"x", "y", "x"}}) }, "meets x twice"},
		"a request that fails": {func(h *history) { h.failed("no answer") }, "no answer"},
		"two indexers":         {func(h *history) { h.terms = append(h.terms, term{"c", "videos", at(2.9), at(3.5)}) }, "c writes the index of videos"},
	} {
		h := sound()
		test.plant(h)
		faults := h.faults([]string{"x", "y"})
		if test.want == "" && len(faults) > 0 || test.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], test.want)) {
			t.Errorf("%s: %q", name, faults)
		}
	}
}
