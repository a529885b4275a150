package storetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

var clockTests = map[string]func(l *eventsFixture){
	"the clock record":                    testClockRecord,
	"edits of the clock record at once":   testClockRecordRace,
	"a key that comes again in a month":   testKeyAcrossMonths,
	"a key whose month of events is gone": testKeyOfDroppedMonth,
}

func (l *eventsFixture) wantClock(log store.Events, what string, want store.ClockRecord) {
	l.Helper()
	got, err := log.ClockRecord(l.Context())
	l.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		l.Errorf("%s: (-want +got)\n%s", what, diff)
	}
}

func testClockRecord(l *eventsFixture) {
	l.wantClock(l, "at first", store.ClockRecord{})
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	want := store.ClockRecord{
		Hold:        &store.ClockHold{Since: at, Reason: "it is wrong"},
		ConfirmedAt: at.Add(time.Second), ConfirmedNewest: morning,
		Boots: map[string]store.ClockBoot{"a": {Offset: 7, NotedAt: at}},
	}
	l.must(l.EditClockRecord(l.Context(), func(record *store.ClockRecord) error { *record = want; return nil }))
	l.wantClock(l.another(), "another process", want)
	fault := errors.New("no")
	err := l.EditClockRecord(l.Context(), func(record *store.ClockRecord) error {
		if diff := cmp.Diff(want, *record); diff != "" {
			l.Errorf("edit gets (-want +got)\n%s", diff)
		}
		*record = store.ClockRecord{}
		return fault
	})
	if !errors.Is(err, fault) {
		l.Errorf("the error of edit comes back as %v", err)
	}
	l.wantClock(l, "after an edit that failed", want)
}

// testClockRecordRace checks that no concurrent edit is lost.
func testClockRecordRace(l *eventsFixture) {
	var editing sync.WaitGroup
	for i, log := range []store.Events{l, l.another()} {
		for j := range 5 {
			editing.Go(func() {
				if err := log.EditClockRecord(l.Context(), func(record *store.ClockRecord) error {
					if record.Boots == nil {
						record.Boots = map[string]store.ClockBoot{}
					}
					record.Boots[fmt.Sprint(i, j)] = store.ClockBoot{}
					return nil
				}); err != nil {
					l.Error(err)
				}
			})
		}
	}
	editing.Wait()
	record, err := l.ClockRecord(l.Context())
	l.must(err)
	if len(record.Boots) != 10 {
		l.Errorf("of ten edits %d are left", len(record.Boots))
	}
}

// repeatedAt returns a submission with the key a, received at an instant.
func repeatedAt(received event.Instant) event.Submission {
	s := keyed("a", 1)
	s.Received, s.Events[0].Received = received, received
	return s
}

// testKeyAcrossMonths checks that a request that is repeated after the end of a month is stored once, regardless of the
// time in between.
func testKeyAcrossMonths(l *eventsFixture) {
	end := usage.MonthOf(morning).End()
	l.judged("before the month's end", []event.Submission{repeatedAt(end - 1)}, event.Stored)
	l.judged("after it", []event.Submission{repeatedAt(end)}, event.Repeated)
	l.judged("two weeks after it", []event.Submission{repeatedAt(end + 14*24*event.Hour)}, event.Repeated)
	l.judged("two months after it", []event.Submission{repeatedAt(end + 62*24*event.Hour)}, event.Repeated)
	l.holds("in the end", 1)
}

// testKeyOfDroppedMonth checks that the key of a request is remembered after its events are dropped.
func testKeyOfDroppedMonth(l *eventsFixture) {
	end := usage.MonthOf(morning).End()
	l.judged("before the month's end", []event.Submission{repeatedAt(end - 1)}, event.Stored)
	_, err := l.Drop(l.Context(), usage.MonthOf(morning).Next())
	l.must(err)
	l.must(l.ForgetKeys(l.Context(), end-1))
	l.judged("after its events were dropped", []event.Submission{repeatedAt(end + event.Hour)}, event.Repeated)
	l.must(l.ForgetKeys(l.Context(), end))
	l.judged("after it was forgotten", []event.Submission{repeatedAt(end + event.Hour)}, event.Stored)
}
