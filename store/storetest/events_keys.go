package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

var keyTests = map[string]func(l *eventsFixture){
	"a key that comes again":         testKeyAgain,
	"a key is recalled":              testRecall,
	"keys of one list":               testKeyList,
	"keys are a client's":            testKeyClients,
	"forgotten keys":                 testForgetKeys,
	"duplicates of one key":          testKeyDuplicates,
	"duplicates that differ":         testKeyRivals,
	"lists of the same keys at once": testKeyLists,
}

// keyed returns a submission of one event with a key. The number determines the event and the fingerprint.
func keyed(key string, number int) event.Submission {
	return event.Submission{
		Client: "client", Key: key, Fingerprint: hashOf(fmt.Sprint(number)), Received: morning, Events: []event.Event{watched(number)},
	}
}

// judged appends submissions and checks their verdicts.
func (l *eventsFixture) judged(what string, submissions []event.Submission, want ...event.Verdict) {
	l.Helper()
	got, err := l.Append(l.Context(), submissions)
	l.must(err)
	if !slices.Equal(got, want) {
		l.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func testKeyAgain(l *eventsFixture) {
	l.judged("new", []event.Submission{keyed("a", 1)}, event.Stored)
	l.judged("the same", []event.Submission{keyed("a", 1)}, event.Repeated)
	l.judged("another", []event.Submission{keyed("a", 2)}, event.Mismatched)
	l.judged("the same again", []event.Submission{keyed("a", 1)}, event.Repeated)
	later := keyed("a", 1)
	later.Received += 1000 * 24 * event.Hour
	l.judged("as long as it is not forgotten", []event.Submission{later}, event.Repeated)
	l.judged("among others", []event.Submission{keyed("b", 3), keyed("a", 1), keyed("", 4), keyed("a", 5), keyed("c", 6)},
		event.Stored, event.Repeated, event.Stored, event.Mismatched, event.Stored)
	l.judged("without a key", []event.Submission{keyed("", 4), keyed("", 4)}, event.Stored, event.Stored)
	l.holds("in the end", 1, 3, 4, 6, 4, 4)
}

// testRecall checks that Recall returns remembered keys and stores nothing.
func testRecall(l *eventsFixture) {
	l.judged("new", []event.Submission{keyed("a", 1)}, event.Stored)
	other := keyed("a", 1)
	other.Client = "client-b"
	for range 2 {
		for _, c := range []struct {
			of   event.Submission
			want event.Verdict
		}{{keyed("a", 1), event.Repeated}, {keyed("a", 2), event.Mismatched}, {keyed("b", 1), 0}, {keyed("", 1), 0}, {other, 0}} {
			if got, err := l.Recall(l.Context(), c.of); got != c.want || err != nil {
				l.Errorf("the key %q of %s is recalled as %d, not %d (%v)", c.of.Key, c.of.Client, got, c.want, err)
			}
		}
	}
	l.judged("nothing was left", []event.Submission{keyed("b", 1)}, event.Stored)
	l.holds("in the end", 1, 1)
}

func testKeyList(l *eventsFixture) {
	l.judged("in one list", []event.Submission{keyed("a", 1), keyed("b", 2), keyed("a", 1), keyed("a", 3), keyed("b", 2), keyed("", 4)},
		event.Stored, event.Stored, event.Repeated, event.Mismatched, event.Repeated, event.Stored)
	l.holds("each once", 1, 2, 4)
}

func testKeyClients(l *eventsFixture) {
	a, b := keyed("a", 1), keyed("a", 2)
	b.Client = "client-b"
	nobody, glued := keyed("a", 3), keyed("ta", 4)
	nobody.Client, glued.Client = "", "clien"
	l.judged("of other clients", []event.Submission{a, b, nobody, glued}, event.Stored, event.Stored, event.Stored, event.Stored)
	upper, blank := keyed("A", 5), keyed("a ", 6)
	long, longer := keyed("k"+strings.Repeat("0", 254), 7), keyed("k"+strings.Repeat("0", 253)+"1", 8)
	l.judged("to the letter", []event.Submission{upper, blank, long, longer}, event.Stored, event.Stored, event.Stored, event.Stored)
	l.judged("each its own", []event.Submission{a, b, nobody, glued, upper, long}, slices.Repeat([]event.Verdict{event.Repeated}, 6)...)
}

func testForgetKeys(l *eventsFixture) {
	var old []event.Submission
	for n := 1; n <= 30; n++ {
		s := keyed(fmt.Sprint("key-", n), n)
		s.Received = morning + event.Instant(n)
		old = append(old, s)
	}
	l.judged("new", old, slices.Repeat([]event.Verdict{event.Stored}, 30)...)
	l.must(l.ForgetKeys(l.Context(), morning+11))
	want := append(slices.Repeat([]event.Verdict{event.Stored}, 10), slices.Repeat([]event.Verdict{event.Repeated}, 20)...)
	l.judged("afterwards", old, want...)
	if events := l.read(store.EventQuery{}); len(events) != 40 {
		l.Errorf("%d events are left", len(events))
	}
}

// racers opens the log for n processes.
func (l *eventsFixture) racers(n int) []store.Events {
	logs := []store.Events{l.Events}
	for len(logs) < n {
		logs = append(logs, l.another())
	}
	return logs
}

// testKeyDuplicates checks that one of several concurrent copies of a submission is stored.
func testKeyDuplicates(l *eventsFixture) {
	logs := l.racers(3)
	for round := range 8 {
		var (
			guard  sync.Mutex
			counts = map[event.Verdict]int{}
		)
		together(9, func(i int) {
			verdicts, err := logs[i%3].Append(l.Context(), []event.Submission{keyed(fmt.Sprint(round), round+1)})
			if err != nil {
				l.Error(err)
				return
			}
			guard.Lock()
			counts[verdicts[0]]++
			guard.Unlock()
		})
		if counts[event.Stored] != 1 || counts[event.Repeated] != 8 {
			l.Errorf("round %d: got %v", round, counts)
		}
	}
	l.holds("each once", 1, 2, 3, 4, 5, 6, 7, 8)
}

// testKeyRivals checks that one of several different submissions with the same key is stored, and that the others are
// rejected.
func testKeyRivals(l *eventsFixture) {
	logs := l.racers(2)
	var (
		guard  sync.Mutex
		stored []int
	)
	together(8, func(i int) {
		verdicts, err := logs[i%2].Append(l.Context(), []event.Submission{keyed("one", i+1)})
		guard.Lock()
		defer guard.Unlock()
		if err != nil || verdicts[0] == event.Repeated {
			l.Errorf("got %v (%v)", verdicts, err)
		} else if verdicts[0] == event.Stored {
			stored = append(stored, i+1)
		}
	})
	if len(stored) != 1 {
		l.Fatalf("%v are stored", stored)
	}
	l.holds("the one", stored...)
}

// testKeyLists checks that lists with the same keys in different orders do not deadlock, and that each key is stored
// once.
func testKeyLists(l *eventsFixture) {
	const keys = 12
	logs := l.racers(2)
	var (
		guard  sync.Mutex
		stored int
	)
	together(6, func(i int) {
		var list []event.Submission
		for n := range keys {
			list = append(list, keyed(fmt.Sprint((n*(2*i+1)+i)%keys), (n*(2*i+1)+i)%keys))
		}
		verdicts, err := logs[i%2].Append(l.Context(), list)
		if err != nil {
			l.Error(err)
		}
		guard.Lock()
		defer guard.Unlock()
		for _, verdict := range verdicts {
			if verdict == event.Stored {
				stored++
			} else if verdict != event.Repeated {
				l.Errorf("got %v", verdict)
			}
		}
	})
	seen := map[string]bool{}
	for i, e := range l.read(store.EventQuery{}) {
		if seen[e.Video] || e.Position != int64(i+1) {
			l.Errorf("%s is stored twice, or position %d follows %d", e.Video, e.Position, i)
		}
		seen[e.Video] = true
	}
	// Multiples of 3 are no permutation of 12 keys, but every key occurs in some list.
	if stored != keys || len(seen) != keys || l.head() != keys {
		l.Errorf("%d verdicts say stored; %d keys of %d, the head is %d", stored, len(seen), keys, l.head())
	}
}
