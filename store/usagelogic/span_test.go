package usagelogic

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// TestCut checks that the pieces are consecutive from the first instant to the last, that only the given grains occur,
// and that no piece is finer than necessary.
func TestCut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hour := func(label string) event.Instant {
			return event.Instant(rapid.IntRange(480_000, 520_000).Draw(rt, label)) * event.Hour
		}
		from, to := hour("from"), hour("to")
		kept := rapid.SampledFrom([][]Grain{{Month, Day, Hour}, {Month, Day}, {Month}, {Day}, {Hour}, {}}).Draw(rt, "grains")
		at, plays := from, event.Instant(0)
		for _, s := range cut(from, to, kept) {
			begin, end := event.Instant(s.from), event.Instant(s.to)
			if s.grain != 0 {
				begin, end = s.grain.Start(s.from), s.grain.Start(s.to)
			} else {
				plays += end - begin
			}
			if begin != at || begin >= end {
				rt.Fatalf("a piece from %s to %s follows one up to %s", begin, end, at)
			}
			at = end
		}
		if at != max(from, to) && from < to {
			rt.Errorf("the pieces reach %s, not %s", at, to)
		}
		if len(kept) > 0 && kept[len(kept)-1] == Hour && plays > 0 {
			rt.Errorf("%d hours are left to plays", plays/event.Hour)
		}
		if len(kept) > 0 && kept[len(kept)-1] == Day && plays > 46*event.Hour {
			rt.Errorf("%d hours are left to plays", plays/event.Hour)
		}
		if first := usage.MonthOf(from).Next(); len(kept) > 0 && kept[0] == Month && first.End() <= to && !hasGrain(cut(from, to, kept), Month) {
			rt.Errorf("there is no whole month from %s to %s", from, to)
		}
	})
}

func hasGrain(spans []span, grain Grain) bool {
	for _, s := range spans {
		if s.grain == grain {
			return true
		}
	}
	return false
}

func TestBuckets(t *testing.T) {
	for at, want := range map[event.Instant][3]int64{
		0: {0, 0, 0}, event.Hour - 1: {0, 0, 0}, 24 * event.Hour: {24, 1, 0}, 31 * 24 * event.Hour: {744, 31, 1}, -1: {-1, -1, -1}, -event.Hour: {-1, -1, -1},
	} {
		if got := [3]int64{Hour.Bucket(at), Day.Bucket(at), Month.Bucket(at)}; got != want {
			t.Errorf("%d lies in %v, want %v", at, got, want)
		}
	}
}

// TestFewParts checks that a cell has few parts, however it grows, and that its content is rewritten few times.
func TestFewParts(t *testing.T) {
	for _, step := range []int{1, 30, 700, 20_000} {
		var parts []int
		written, total := 0, 0
		for range 5000 {
			added := step
			for len(parts) > 0 && Absorbs(parts[len(parts)-1], added) {
				added += parts[len(parts)-1]
				parts = parts[:len(parts)-1]
			}
			parts = append(parts, added)
			written += added
			if total += step; len(parts) > 16 {
				t.Fatalf("steps of %d: there are %d parts", step, len(parts))
			}
		}
		if written > total*(16+2*smallPart/step) {
			t.Errorf("steps of %d: %d bytes were written for %d", step, written, total)
		}
	}
}
