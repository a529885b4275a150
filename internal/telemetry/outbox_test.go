package telemetry

import (
	"testing"
	"time"
)

// TestWaitingTimeIsThatOfTheOldestChange moves a log and an index.
func TestWaitingTimeIsThatOfTheOldestChange(t *testing.T) {
	var head, shown int64
	o := &outbox{lag: func() int64 { return head - shown }, position: func() int64 { return shown }}
	begin := time.Now()
	for _, step := range []struct {
		second      int
		head, shown int64
		waited      int // seconds
	}{
		{0, 5, 5, 0},    // in step
		{1, 8, 5, 0},    // three changes, seen just now
		{2, 8, 5, 1},    // they wait
		{3, 9, 5, 2},    // one more
		{4, 9, 7, 3},    // one of the three still waits
		{5, 9, 8, 2},    // that one more, since second 3
		{6, 12, 9, 0},   // new ones, seen just now
		{7, 12, 12, 0},  // in step
		{9, 20, 12, 0},  // and again
		{12, 20, 12, 3}, //
		{13, 20, 0, 4},  // the index was lost: what waited waits on
		{14, 20, 20, 0},
	} {
		head, shown = step.head, step.shown
		now := begin.Add(time.Duration(step.second) * time.Second)
		o.look(now)
		if got := o.waited(now); got != time.Duration(step.waited)*time.Second {
			t.Errorf("second %d: got %v, want %d s", step.second, got, step.waited)
		}
	}
}

// TestWaitingTimeOfALongWait: a log that grows while nothing follows it takes bounded memory, and the oldest change is
// remembered.
func TestWaitingTimeOfALongWait(t *testing.T) {
	var head int64
	o := &outbox{lag: func() int64 { return head }, position: func() int64 { return 0 }}
	begin := time.Now()
	now := begin
	for range 3 * mostSightings {
		head++
		now = now.Add(time.Second)
		o.look(now)
	}
	if got, want := o.waited(now), now.Sub(begin.Add(time.Second)); got != want || len(o.waiting) > mostSightings {
		t.Errorf("got %v with %d sightings, want %v", got, len(o.waiting), want)
	}
}
