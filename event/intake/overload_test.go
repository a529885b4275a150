package intake_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/intake"
	"github.com/filmstrip/filmstrip/fault"
)

func TestWhatIsHeldIsBounded(t *testing.T) {
	bubble(t, &slowLog{takes: time.Second}, intake.Options{HeldEvents: 10}, func(w *world) {
		w.send(4, "a", "b")
		w.send(3, "too many")
		w.wantSaid("too many events", "too many")
		w.send(2, "c")
		w.send(1, "too many as well")
		w.wantSaid("too many events", "too many as well")
		w.wantStats(intake.Stats{Waiting: 10, Refused: 2})
		time.Sleep(time.Second)
		synctest.Wait()
		w.send(4, "d")
		w.wait()
		w.wantSaid("", "a", "b", "c", "d")
	})
	bubble(t, &slowLog{takes: time.Second}, intake.Options{HeldBytes: 2000}, func(w *world) {
		w.send(1, "a", "b", "c")
		w.wantSaid("too many events", "c")
		w.wait()
		w.send(100, "alone")
		w.wait()
		w.wantSaid("", "a", "b", "alone")
		w.wantStats(intake.Stats{Commits: 3, Submissions: 3, Events: 102, Refused: 1})
	})
}

// TestWhoWouldWaitTooLongIsRefused checks that Commits refuses a submission at once if recent commits show that it
// would wait too long.
func TestWhoWouldWaitTooLongIsRefused(t *testing.T) {
	bubble(t, &slowLog{takes: time.Second}, intake.Options{CommitEvents: 1, Patience: 3500 * time.Millisecond}, func(w *world) {
		for i := range 10 { // The first commits establish the pace.
			_, _ = w.Append(w.Context(), submission(fmt.Sprint(i), 1))
		}
		patient, cancel := context.WithTimeout(w.Context(), time.Hour)
		defer cancel()
		w.send(1, "a", "b", "c", "d")
		w.sendFor(patient, 1, "e")
		w.wantSaid("too slow", "d", "e")
		time.Sleep(time.Second)
		synctest.Wait()
		w.send(1, "f")
		hurried, cancel := context.WithTimeout(w.Context(), 2*time.Second)
		defer cancel()
		time.Sleep(time.Second)
		synctest.Wait()
		w.sendFor(hurried, 1, "g")
		w.wantSaid("too slow", "g")
		w.wait()
		w.wantSaid("", "a", "b", "c", "f")
	})
}

// TestALargeOneWaitsForOneCommit checks that a submission larger than a commit is committed alone, and that its size
// does not lengthen its wait.
func TestALargeOneWaitsForOneCommit(t *testing.T) {
	bubble(t, &slowLog{takes: time.Second}, intake.Options{CommitEvents: 10, Patience: 5 * time.Second}, func(w *world) {
		w.send(1, "a")
		w.wait()
		w.send(1, "b")
		w.send(500, "c", "d")
		w.wait()
		w.wantSaid("", "a", "b", "c", "d")
		w.wantGroups("a", "b", "c", "d")
	})
}

// TestWhoComesWhileACommitHangsIsRefused checks that Commits notices a slow commit before the commit times out.
func TestWhoComesWhileACommitHangsIsRefused(t *testing.T) {
	log := &slowLog{takes: time.Millisecond}
	bubble(t, log, intake.Options{Patience: time.Second, Timeout: 10 * time.Second}, func(w *world) {
		w.send(1, "a")
		w.wait()
		log.takes = time.Hour
		w.send(1, "b", "c")
		time.Sleep(2 * time.Second)
		w.send(1, "d")
		w.wantSaid("too slow", "d")
		w.wait()
		w.wantSaid("did not answer", "b")
	})
}

// TestSlownessPasses checks that Commits keeps trying one submission after slow commits, which measures the current
// speed.
func TestSlownessPasses(t *testing.T) {
	log := &slowLog{takes: 9 * time.Second}
	bubble(t, log, intake.Options{Patience: time.Second}, func(w *world) {
		for i := range 5 {
			if _, err := w.Append(w.Context(), submission(fmt.Sprint(i), 1)); err != nil {
				w.Fatal(err)
			}
		}
		log.takes = time.Millisecond
		began, refused := time.Now(), 0
		for accepted := 0; accepted < 20; {
			w.send(1, fmt.Sprint("one ", accepted, refused))
			if _, err := w.Append(w.Context(), submission(fmt.Sprint("another ", accepted, refused), 1)); err == nil {
				accepted++
			} else {
				refused++
			}
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(began); took > time.Second || refused == 0 {
			w.Errorf("after %s, with %d refused, everybody is accepted", took, refused)
		}
	})
}

// failing returns a log that fails while the Bool is set.
func failing() (*slowLog, *atomic.Bool) {
	away := &atomic.Bool{}
	return &slowLog{takes: time.Millisecond, fault: func([]event.Submission) error {
		if away.Load() {
			return fault.Errorf(fault.Unavailable, "away")
		}
		return nil
	}}, away
}

// TestOneFailureIsNoOutage checks that only the submissions of one failed commit receive its error.
func TestOneFailureIsNoOutage(t *testing.T) {
	log, away := failing()
	bubble(t, log, intake.Options{}, func(w *world) {
		away.Store(true)
		w.send(1, "a")
		time.AfterFunc(3*time.Millisecond/2, func() { away.Store(false) })
		w.send(1, "b", "c")
		w.wait()
		w.wantSaid("did not answer", "a")
		w.wantSaid("", "b", "c")
		w.wantStats(intake.Stats{Commits: 1, Submissions: 2, Events: 2, Failed: 1})
	})
}

// TestTheLogIsAway checks an outage. While the log is down, Commits tries hardly anything and refuses all callers at
// once. Within a second after the log recovers, Commits accepts one submission, and then all.
func TestTheLogIsAway(t *testing.T) {
	log, away := failing()
	bubble(t, log, intake.Options{}, func(w *world) {
		away.Store(true)
		for second := range 10 {
			for i := range 100 {
				began := time.Now()
				if _, err := w.Append(w.Context(), submission(fmt.Sprint(second, i), 1)); fault.CodeOf(err) != fault.Unavailable {
					w.Fatal(err)
				}
				if took := time.Since(began); took > time.Millisecond {
					w.Fatalf("refused after %s", took)
				}
				time.Sleep(10*time.Millisecond - time.Since(began))
			}
		}
		tried := len(log.groups)
		if tried > 50 {
			w.Errorf("in ten seconds %d commits are tried", tried)
		}
		if stats := w.Stats(); !stats.Away || stats.Failed != int64(tried) || stats.Refused != int64(1000-tried) || stats.Waiting != 0 {
			w.Errorf("%d commits are tried, the counts are %+v", tried, stats)
		}
		away.Store(false)
		time.Sleep(time.Second)
		w.send(1, "tries")
		w.wait()
		w.send(1, "a", "b", "c")
		w.wait()
		w.wantSaid("", "tries", "a", "b", "c")
		if w.Stats().Away {
			w.Error("it is still taken for away")
		}
	})
}

// TestWhatWaitsForALogThatIsAwayIsRefused checks that waiting submissions are refused together with failing commits.
func TestWhatWaitsForALogThatIsAwayIsRefused(t *testing.T) {
	log, away := failing()
	log.takes = time.Second
	bubble(t, log, intake.Options{CommitEvents: 1}, func(w *world) {
		away.Store(true)
		w.send(1, "a", "b", "c", "d")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		w.wantSaid("does not answer", "c", "d")
		w.wantStats(intake.Stats{Failed: 2, Refused: 2, Away: true})
		w.send(1, "e")
		w.wantSaid("does not answer", "e")
		time.Sleep(time.Second)
		w.send(1, "tries")
		w.send(1, "f") // Only one submission tries the log.
		w.wantSaid("does not answer", "f")
		w.wait()
		w.wantSaid("did not answer", "tries")
	})
}

// TestTheLogHangs checks that Commits gives up on a log that hangs, and then tries it with a shorter timeout.
func TestTheLogHangs(t *testing.T) {
	log := &slowLog{takes: time.Hour}
	bubble(t, log, intake.Options{Timeout: 10 * time.Second, Patience: time.Minute}, func(w *world) {
		for i, want := range []time.Duration{10 * time.Second, 10 * time.Second, 2 * time.Second, 2 * time.Second} {
			began := time.Now()
			_, err := w.Append(w.Context(), submission(fmt.Sprint(i), 1))
			if took := time.Since(began); fault.CodeOf(err) != fault.Unavailable || took != want {
				w.Errorf("try %d: %v after %s, want %s", i, err, took, want)
			}
			time.Sleep(time.Second)
		}
		log.takes = time.Millisecond
		if _, err := w.Append(w.Context(), submission("a", 1)); err != nil {
			w.Error(err)
		}
	})
}

// TestOutagesAreLogged checks that Commits logs the start and the end of an outage once each.
func TestOutagesAreLogged(t *testing.T) {
	log, away := failing()
	text := &bytes.Buffer{}
	logger := slog.New(slog.NewTextHandler(text, nil))
	bubble(t, log, intake.Options{Logger: logger}, func(w *world) {
		for _, is := range []bool{true, true, true, false, false, true} {
			away.Store(is)
			_, _ = w.Append(w.Context(), submission("a", 1))
			time.Sleep(time.Second)
		}
	})
	if got := strings.Count(text.String(), "level=ERROR"); got != 2 || strings.Count(text.String(), "stored again") != 1 {
		t.Errorf("the log reports\n%s", text)
	}
}
