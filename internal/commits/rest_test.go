package commits_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/internal/commits"
)

// TestTheLogRests: what comes soon after a commit that several shared shares the next one, and waits no longer than
// that one took, nor than 10 ms.
func TestTheLogRests(t *testing.T) {
	for _, test := range []struct {
		takes, rests time.Duration
	}{{4 * time.Millisecond, 4 * time.Millisecond}, {time.Second, 10 * time.Millisecond}} {
		bubble(t, &slowLog{takes: test.takes}, commits.Options{}, func(w *world) {
			w.send(1, "a")
			w.send(1, "b", "c", "d")
			time.Sleep(2 * test.takes) // a is stored, then the others are
			w.send(1, "e")
			time.Sleep(test.rests - time.Millisecond)
			w.send(1, "f")
			began := time.Now()
			w.wait()
			if took := time.Since(began); took != time.Millisecond+test.takes {
				t.Errorf("after commits of %s the last came after %s", test.takes, took)
			}
			w.wantGroups("a", "b c d", "e f")
		})
	}
}

// TestTheRateIsBounded: so many requests go on a second, evenly, until the rate is bounded no more; nobody waits for
// longer than the patience, and nothing when the service stops.
func TestTheRateIsBounded(t *testing.T) {
	rate := 500.0
	options := commits.Options{Rate: func() float64 { return rate }, Patience: time.Second}
	bubble(t, &slowLog{takes: time.Millisecond}, options, func(w *world) {
		began := time.Now()
		for i := range 200 {
			w.send(1, fmt.Sprint(i))
		}
		w.wait()
		if took := time.Since(began); took < 390*time.Millisecond || took > 420*time.Millisecond {
			t.Errorf("200 took %s at 500 a second", took)
		}
		if most := len(w.log.groups[len(w.log.groups)/2]); most != 5 {
			t.Errorf("%d go on at a time, want 5 every 10 ms", most)
		}
		rate = 0
		began = time.Now()
		for i := range 200 {
			w.send(1, fmt.Sprint("unbounded ", i))
		}
		w.wait()
		if took := time.Since(began); took > 50*time.Millisecond {
			t.Errorf("200 took %s at no rate", took)
		}
	})
	bubble(t, &slowLog{takes: time.Millisecond}, options, func(w *world) {
		rate = 10
		w.send(1, "a")
		w.send(49, "five") // as much as five requests
		w.send(1, "b", "c", "d", "e", "last")
		w.send(1, "f")
		w.wantSaid("too slow", "f")
		hurried, cancel := context.WithTimeout(w.Context(), 300*time.Millisecond)
		defer cancel()
		w.sendFor(hurried, 1, "g")
		w.wantSaid("too slow", "g")
		began := time.Now()
		synctest.Wait()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 20*time.Millisecond {
			t.Errorf("it closes after %s", took)
		}
		w.wait()
		w.wantSaid("", "a", "five", "b", "c", "d", "e", "last")
	})
}
