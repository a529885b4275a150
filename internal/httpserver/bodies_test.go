package httpserver

import (
	"testing"

	"github.com/filmstrip/filmstrip/fault"
)

// TestSharesOfBodies checks that one holder can take a quarter of the memory, that all holders together can take all of
// it, and that returned memory is available again.
func TestSharesOfBodies(t *testing.T) {
	const mib = 1 << 20
	b := newBodies(64 * mib)
	take := func(holder string, n int64) error { t.Helper(); return b.take(holder, n) }
	for _, holder := range []string{"a", "b", "c", "d"} {
		if err := take(holder, 16*mib); err != nil {
			t.Fatalf("%s: %v", holder, err)
		}
		if err := take(holder, 1); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s has more than its share: %v", holder, err)
		}
	}
	if err := take("e", 1); err != errNoBodyMemory {
		t.Errorf("more than there is: %v", err)
	}
	b.give("a", 16*mib)
	if err := take("e", mib); err != nil {
		t.Error(err)
	}
	for holder, n := range map[string]int64{"b": 16 * mib, "c": 16 * mib, "d": 16 * mib, "e": mib} {
		b.give(holder, n)
	}
	if b.held != 0 || len(b.of) != 0 {
		t.Errorf("%d bytes are held, by %v", b.held, b.of)
	}
	if least := newBodies(16 * mib); least.share != 8*mib {
		t.Errorf("the least share is %d", least.share)
	}
}
