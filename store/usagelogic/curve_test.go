package usagelogic

import "testing"

// TestCurveOfManyPlays checks that the size of a curve grows with the number of viewers and skipped ranges, not with
// the number of plays.
func TestCurveOfManyPlays(t *testing.T) {
	const persons, seconds = 100, 60
	var w watching
	plays := 5 * minGathered
	for i := range plays {
		start := int64(i/persons%seconds) * 1000
		w.add(&Play{Person: Number(1 + i%persons), Start: start, End: start + 1000})
	}
	w.add(&Play{Start: 0, End: 1000})
	if len(w.seen) > 2*minGathered {
		t.Errorf("%d ranges are held of %d plays", len(w.seen), plays)
	}
	if unique, want := w.unique(), int64(persons*seconds); unique != want {
		t.Errorf("%d unique seconds, want %d", unique, want)
	}
	if views := w.views(); len(views) != seconds || views[1] == 0 {
		t.Errorf("the views are %v", views)
	}
}

// TestUniqueSecondsOfGaps checks that ranges that touch, overlap or contain one another are merged, and that others
// remain separate.
func TestUniqueSecondsOfGaps(t *testing.T) {
	var w watching
	for _, s := range [][3]int64{{1, 10, 20}, {2, 0, 5}, {1, 20, 25}, {1, 12, 15}, {1, 30, 31}, {2, 3, 9}, {1, 0, 2}, {1, 30, 31}} {
		w.add(&Play{Person: Number(s[0]), Start: s[1] * 1000, End: s[2] * 1000})
	}
	for range 2 {
		if unique := w.unique(); unique != 2+15+1+9 || len(w.seen) > 4 {
			t.Errorf("%d unique seconds in %v", unique, w.seen)
		}
	}
}
