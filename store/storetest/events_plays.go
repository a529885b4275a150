package storetest

import (
	"slices"
	"sync"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

var playTests = map[string]func(l *eventsFixture){
	"events of one player continue a play":      testContinuations,
	"events that are not stored begin no play":  testContinuationsAndKeys,
	"plays that begin in two processes at once": testPlaysAtOnce,
	"plays that are forgotten":                  testForgetPlays,
}

// Two players.
const (
	livingRoom = `{"playerId":"9a2ce995-c3f5-458a-9fd3-cab07ea005c0"}`
	kitchen    = `{"videoDurationSeconds":60,"playerId":"0b0e6b3b-1a4c-4f3c-8a47-1b1d3c0de001"}`
)

// reported returns a submission of one event with the metadata of a player.
func reported(metadata string, changes ...func(e *event.Event)) event.Submission {
	e := watched(1)
	e.Received, e.At, e.Metadata = morning, morning, []byte(metadata)
	for _, change := range changes {
		change(&e)
	}
	return event.Submission{Client: "client", Received: morning, Events: []event.Event{e}}
}

// continues checks which events of the log, in order, continue a play.
func (l *eventsFixture) continues(what string, want ...bool) {
	l.Helper()
	wantEach(l, what, func(e *event.Event) bool { return e.Continues }, want)
}

func testContinuations(l *eventsFixture) {
	first := reported(livingRoom)
	again := reported(livingRoom)
	list := []event.Submission{
		first, again, reported(kitchen),
		reported(livingRoom, func(e *event.Event) { e.Video = "another" }),
		reported(livingRoom, func(e *event.Event) { e.ExternalUser = "somebody else" }),
		reported(`{"playerId":"too short"}`), reported(`{"playerId":"too short"}`), reported(`{}`), reported(`{}`),
	}
	verdicts := slices.Repeat([]event.Verdict{event.Stored}, len(list))
	l.judged("the first", list, verdicts...)
	if again.Events[0].Continues {
		l.Error("Append changed its argument")
	}
	l.continues("the first", false, true, false, false, false, false, false, false, false)

	empty := reported(kitchen, func(e *event.Event) { e.End = e.Start })
	click := reported(kitchen, func(e *event.Event) { e.Kind = event.PlayerInteraction })
	other := reported(livingRoom)
	other.Client = "another"
	page := func(viewing, metadata string) event.Submission {
		s := reported(metadata)
		s.Viewing = &event.Viewing{ID: viewing, Opened: morning - event.Hour}
		return s
	}
	l.judged("more", []event.Submission{
		reported(kitchen), empty, click, other, page("a page", livingRoom), page("a page", kitchen), page("another page", livingRoom),
	}, verdicts[:7]...)
	l.continues("more", false, true, false, false, false, false, false, false, false, true, false, false, false, false, true, false)
}

// testContinuationsAndKeys checks that repetitions neither begin nor continue a play.
func testContinuationsAndKeys(l *eventsFixture) {
	with := func(key string, s event.Submission, content string) event.Submission {
		s.Key, s.Fingerprint = key, hashOf(content)
		return s
	}
	l.judged("once", []event.Submission{with("k", reported(livingRoom), "x")}, event.Stored)
	l.judged("others with its key", []event.Submission{
		with("k", reported(livingRoom), "x"), with("k", reported(kitchen), "y"),
	}, event.Repeated, event.Mismatched)
	l.judged("with keys of their own", []event.Submission{
		with("l", reported(kitchen), "y"), with("m", reported(kitchen), "y"), with("n", reported(livingRoom), "y"),
	}, event.Stored, event.Stored, event.Stored)
	l.continues("of one player each", false, false, true, true)
}

func testPlaysAtOnce(l *eventsFixture) {
	logs := l.racers(2)
	var guard sync.Mutex
	together(12, func(i int) {
		list := []event.Submission{reported(livingRoom), reported(kitchen)}
		if i%3 == 0 {
			slices.Reverse(list)
		}
		if _, err := logs[i%2].Append(l.Context(), list); err != nil {
			guard.Lock()
			l.Error(err)
			guard.Unlock()
		}
	})
	plays := map[string]int{}
	for _, e := range l.read(store.EventQuery{}) {
		if !e.Continues {
			plays[string(e.Metadata)]++
		}
	}
	if plays[livingRoom] != 1 || plays[kitchen] != 1 || l.head() != 24 {
		l.Errorf("24 events of two players are %v plays", plays)
	}
}

func testForgetPlays(l *eventsFixture) {
	l.judged("new", []event.Submission{reported(livingRoom)}, event.Stored)
	l.must(l.ForgetKeys(l.Context(), morning))
	l.judged("still known", []event.Submission{reported(livingRoom)}, event.Stored)
	l.must(l.ForgetKeys(l.Context(), morning+1))
	l.judged("forgotten", []event.Submission{reported(livingRoom)}, event.Stored)
	l.continues("in order", false, true, false)
}
