package crash_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
)

// logOf returns the events that a correct store contains after submissions.
func logOf(submissions ...*submission) (events []event.Event) {
	for _, s := range submissions {
		for i := range s.events {
			start, end := s.segmentOf(i)
			events = append(events, event.Event{
				Kind: event.Playback, At: event.InstantOf(s.at), Received: event.InstantOf(s.at), Account: "a",
				Video: s.videoOf(i), Start: start, End: end,
			})
		}
	}
	return events
}

// TestEvaluate verifies that every fault is counted, and that permitted results are not.
func TestEvaluate(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(log []event.Event) []event.Event
		want  result
		fault string
	}{
		"nothing": {
			spoil: func(log []event.Event) []event.Event { return log },
			want:  result{acknowledged: 4, stored: 6, unclear: 2, unclearStored: 2},
		},
		"a single event is lost": {
			spoil: func(log []event.Event) []event.Event { return log[1:] },
			want:  result{acknowledged: 4, stored: 5, lost: 1, unclear: 2, unclearStored: 2},
		},
		"a part of a batch is lost": {
			spoil: func(log []event.Event) []event.Event { return slices.Delete(log, 2, 3) },
			want:  result{acknowledged: 4, stored: 5, lost: 1, torn: 1, unclear: 2, unclearStored: 2},
		},
		"an event is duplicated": {
			spoil: func(log []event.Event) []event.Event { return append(log, log[0]) },
			want:  result{acknowledged: 4, stored: 7, doubled: 1, unclear: 2, unclearStored: 2},
		},
		"an unacknowledged batch is not stored": {
			spoil: func(log []event.Event) []event.Event { return log[:4] },
			want:  result{acknowledged: 4, stored: 4, unclear: 2},
		},
		"an unacknowledged batch is stored in part": {
			spoil: func(log []event.Event) []event.Event { return log[:5] },
			want:  result{acknowledged: 4, stored: 5, unclear: 2, unclearStored: 1, torn: 1},
		},
		"an event is altered": {
			spoil: func(log []event.Event) []event.Event { log[1].End++; return log },
			want:  result{acknowledged: 4, stored: 6, unclear: 2, unclearStored: 2},
			fault: "altered",
		},
		"an event that nobody sent is stored": {
			spoil: func(log []event.Event) []event.Event {
				return append(log, event.Event{Video: "00000000000000ff00000000"})
			},
			want:  result{acknowledged: 4, stored: 6, unclear: 2, unclearStored: 2},
			fault: "nobody sent",
		},
	} {
		l := newLedger()
		single, batch, unclear := l.add(1, "k", false), l.add(3, "", false), l.add(2, "", false)
		l.acknowledge(single)
		l.acknowledge(batch)
		for _, e := range c.spoil(logOf(single, batch, unclear)) {
			l.read(&e)
		}
		got := l.evaluate(0)
		if c.fault == "" != (len(got.faults) == 0) || c.fault != "" && !strings.Contains(got.faults[0], c.fault) {
			t.Errorf("%s: the faults are %q", name, got.faults)
		}
		wrong := c.want.lost+c.want.doubled+c.want.torn > 0 || c.fault != ""
		if got.sound() == wrong {
			t.Errorf("%s: it is sound: %t", name, got.sound())
		}
		if got.faults = nil; got.String() != c.want.String() {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
	l := newLedger()
	l.acknowledge(l.add(1, "k", false))
	other := l.add(1, "k", true)
	for _, e := range logOf(l.submissions[1], other) {
		l.read(&e)
	}
	if got := l.evaluate(0); got.sound() || len(got.faults) != 1 {
		t.Errorf("another request with the same key is stored:\n%s", got)
	}
	if newLedger().evaluate(3).sound() {
		t.Error("a run without acknowledged events is sound")
	}
}
