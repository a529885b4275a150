package crash_test

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// submission contains the events of one request, however often it is sent.
type submission struct {
	number uint64
	at     time.Time // of its events
	events int
	key    string // if "", the submission is sent once
	// forbidden submissions reuse another one's key and must not be stored.
	forbidden bool

	acknowledged bool // guarded by the ledger
	stored       []uint8
}

// batch reports whether the submission uses the endpoint for batches. Some submissions with a single event do.
func (s *submission) batch() bool { return s.events > 1 || s.number%16 == 0 }

// videoOf returns a video that no other event has, in any run, so that it identifies the event.
func (s *submission) videoOf(index int) string { return fmt.Sprintf("%016x%08x", s.number, index) }

// segmentOf returns the segment of an event, in milliseconds.
func (s *submission) segmentOf(index int) (start, end int64) {
	start = int64(s.number%1000)*1000 + 250
	return start, start + 1500 + int64(index)
}

// ledger records submissions and their results.
type ledger struct {
	mu          sync.Mutex
	submissions map[uint64]*submission
	sent        int // requests
	unclear     int // requests without a clear response
	faults      []string
}

func newLedger() *ledger { return &ledger{submissions: map[uint64]*submission{}} }

// add adds a submission.
func (l *ledger) add(events int, key string, forbidden bool) *submission {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &submission{
		number: uint64(len(l.submissions)) + 1, at: time.Now(), events: events, key: key, forbidden: forbidden,
		stored: make([]uint8, events),
	}
	l.submissions[s.number] = s
	return s
}

func (l *ledger) count(unclear bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	if unclear {
		l.unclear++
	}
}

func (l *ledger) acknowledge(s *submission) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.acknowledged = true
}

// fault records a fault.
func (l *ledger) fault(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

// read compares one event of the log with its submission.
func (l *ledger) read(e *event.Event) {
	var number uint64
	var index int
	if _, err := fmt.Sscanf(e.Video, "%16x%8x", &number, &index); err != nil || l.submissions[number] == nil || index >= l.submissions[number].events {
		l.fault("position %d holds an event that nobody sent: %s", e.Position, e.Video)
		return
	}
	s := l.submissions[number]
	if s.stored[index] < 255 {
		s.stored[index]++
	}
	if start, end := s.segmentOf(index); s.batch() && e.At != event.InstantOf(s.at) || e.Kind != event.Playback || e.Start != start || e.End != end || e.Account == "" || e.Received == 0 {
		l.fault("position %d is altered: %+v", e.Position, *e)
	}
}

// result is the result of a run, in events except for kills and requests.
type result struct {
	kills, requests, unclearRequests int
	acknowledged, stored             int
	lost, doubled, torn              int
	// unclear events were not acknowledged and have no key to repeat them with; unclearStored is how many of them are
	// stored.
	unclear, unclearStored int
	faults                 []string
}

// evaluate counts the results after the whole log has been read.
func (l *ledger) evaluate(kills int) result {
	r := result{kills: kills, requests: l.sent, unclearRequests: l.unclear, faults: l.faults}
	for _, s := range l.submissions {
		there := 0
		for _, times := range s.stored {
			r.stored += int(times)
			if times > 0 {
				there++
			}
			if times > 1 {
				r.doubled++
			}
		}
		switch {
		case s.forbidden && there > 0:
			r.faults = append(r.faults, fmt.Sprintf("%d events are stored that came with the key of others", there))
		case s.forbidden:
		case s.acknowledged:
			r.acknowledged += s.events
			r.lost += s.events - there
		default:
			r.unclear += s.events
			r.unclearStored += there
		}
		if there > 0 && there < s.events {
			r.torn++
		}
	}
	return r
}

// sound reports whether there was no fault, and enough activity to prove something.
func (r result) sound() bool {
	return r.lost == 0 && r.doubled == 0 && r.torn == 0 && len(r.faults) == 0 && r.acknowledged > 0
}

// String returns the report.
func (r result) String() string {
	var text strings.Builder
	line := func(name string, value int, more string) {
		fmt.Fprintf(&text, "%-14s %9d%s\n", name, value, more)
	}
	line("kills", r.kills, "")
	line("requests", r.requests, fmt.Sprintf(", %d of them not clearly answered", r.unclearRequests))
	line("acknowledged", r.acknowledged, " events")
	line("stored", r.stored, " events")
	line("lost", r.lost, " events")
	line("doubled", r.doubled, " events")
	line("torn", r.torn, " batches")
	line("unclear", r.unclear, fmt.Sprintf(" events sent once, without a key, and not answered; %d of them are stored", r.unclearStored))
	line("faults", len(r.faults), "")
	for i, fault := range r.faults {
		if i == 20 {
			fmt.Fprintf(&text, "  and %d more\n", len(r.faults)-i)
			break
		}
		fmt.Fprintf(&text, "  %s\n", fault)
	}
	return text.String()
}
