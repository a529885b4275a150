package telemetry

import (
	"testing"
	"time"
)

// TestWaitingTimeIsThatOfTheOldestChange advances a log and an index, and checks how long the oldest change has waited.
func TestWaitingTimeIsThatOfTheOldestChange(t *testing.T) {
	var head, shown int64
	o := &outbox{lag: func() int64 { return head - shown }, position: func() int64 { return shown }}
	begin := time.Now()
	for _, step := range []struct {
		second      int
		head, shown int64
		waited      int // seconds
	}{
		{0, 5, 5, 0},   // up to date
		{1, 8, 5, 0},   // three changes, just noticed
		{2, 8, 5, 1},   // they wait
		{3, 9, 5, 2},   // one more change
		{4, 9, 7, 3},   // one of the three still waits
		{5, 9, 8, 2},   // the later change waits, since second 3
		{6, 12, 9, 0},  // new changes, just noticed
		{7, 12, 12, 0}, // up to date
		{9, 20, 12, 0}, // new changes again
		{12, 20, 12, 3},
		{13, 20, 0, 4}, // the index was lost; the changes keep waiting
		{14, 20, 20, 0},
	} {
		head, shown = step.head, step.shown
		now := begin.Add(time.Duration(step.second) * time.Second)
		o.sample(now)
		if got := o.waited(now); got != time.Duration(step.waited)*time.Second {
			t.Errorf("second %d: got %v, want %d s", step.second, got, step.waited)
		}
	}
}

// TestWaitingTimeOfALongWait checks that a growing log without a follower takes bounded memory, and that the time of
// the oldest change is kept.
func TestWaitingTimeOfALongWait(t *testing.T) {
	var head int64
	o := &outbox{lag: func() int64 { return head }, position: func() int64 { return 0 }}
	begin := time.Now()
	now := begin
	for range 3 * maxObservations {
		head++
		now = now.Add(time.Second)
		o.sample(now)
	}
	if got, want := o.waited(now), now.Sub(begin.Add(time.Second)); got != want || len(o.waiting) > maxObservations {
		t.Errorf("got %v with %d sightings, want %v", got, len(o.waiting), want)
	}
}
