package intake_test

import (
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event/intake"
)

// TestTheLogRests checks that submissions soon after a shared commit share the next one. They wait no longer than that
// commit took, and at most 10 ms.
func TestTheLogRests(t *testing.T) {
	for _, test := range []struct {
		takes, rests time.Duration
	}{{4 * time.Millisecond, 4 * time.Millisecond}, {time.Second, 10 * time.Millisecond}} {
		bubble(t, &slowLog{takes: test.takes}, intake.Options{}, func(w *world) {
			w.send(1, "a")
			w.send(1, "b", "c", "d")
			time.Sleep(2 * test.takes) // The log stores a first, and then the others.
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
