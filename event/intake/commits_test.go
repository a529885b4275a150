package intake_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/intake"
	"github.com/filmstrip/filmstrip/fault"
)

// slowLog is a log whose commits take a set time and fail on demand.
type slowLog struct {
	takes time.Duration
	// fault returns the result of a commit and runs when the commit's time is over. The log stores the commit if fault
	// or its result is nil.
	fault func(submissions []event.Submission) error
	// If deaf is set, the log ignores contexts.
	deaf bool

	mu     sync.Mutex
	stored []string   // stored contains keys in the order of the log.
	groups [][]string // groups contains the keys of each attempted commit.
	busy   atomic.Int32
	most   int32
}

func (l *slowLog) Append(ctx context.Context, submissions []event.Submission) ([]event.Verdict, error) {
	l.mu.Lock()
	l.most = max(l.most, l.busy.Add(1))
	l.groups = append(l.groups, keysOf(submissions))
	l.mu.Unlock()
	defer l.busy.Add(-1)
	if l.deaf {
		time.Sleep(l.takes)
	} else {
		select {
		case <-time.After(l.takes):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if l.fault != nil {
		if err := l.fault(submissions); err != nil {
			return nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	verdicts := make([]event.Verdict, len(submissions))
	for i, submission := range submissions {
		switch {
		case strings.HasPrefix(submission.Key, "repeated"):
			verdicts[i] = event.Repeated
		case strings.HasPrefix(submission.Key, "mismatched"):
			verdicts[i] = event.Mismatched
		default:
			verdicts[i] = event.Stored
			l.stored = append(l.stored, submission.Key)
		}
	}
	return verdicts, nil
}

func keysOf(submissions []event.Submission) (keys []string) {
	for _, submission := range submissions {
		keys = append(keys, submission.Key)
	}
	return keys
}

func submission(key string, events int) event.Submission {
	return event.Submission{Client: "c", Key: key, Events: make([]event.Event, events)}
}

// world is Commits on a test log, with the fake clock of a synctest bubble.
type world struct {
	*testing.T
	*intake.Commits
	log *slowLog

	waiting sync.WaitGroup
	mu      sync.Mutex
	said    map[string]error
}

func bubble(t *testing.T, log *slowLog, options intake.Options, do func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options.Log = log
		w := &world{T: t, log: log, Commits: intake.New(options), said: map[string]error{}}
		do(w)
		w.waiting.Wait()
		_ = w.Close()
	})
}

// send submits events in the background. It submits each key after the previous submission has been accepted.
func (w *world) send(events int, keys ...string) { w.sendFor(w.Context(), events, keys...) }

func (w *world) sendFor(ctx context.Context, events int, keys ...string) {
	for _, key := range keys {
		w.waiting.Go(func() {
			_, err := w.Append(ctx, submission(key, events))
			w.mu.Lock()
			defer w.mu.Unlock()
			w.said[key] = err
		})
		synctest.Wait()
	}
}

// wait waits for all answers.
func (w *world) wait() {
	w.waiting.Wait()
	synctest.Wait()
}

func (w *world) wantGroups(want ...string) {
	w.Helper()
	var got []string
	for _, group := range w.log.groups {
		got = append(got, strings.Join(group, " "))
	}
	if !slices.Equal(got, want) {
		w.Errorf("the commits are %q, want %q", got, want)
	}
}

// wantSaid checks that the callers with these keys received message as error; "" means that their events are stored.
func (w *world) wantSaid(message string, keys ...string) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, key := range keys {
		err, answered := w.said[key]
		switch {
		case !answered:
			w.Errorf("%s is not answered", key)
		case message == "" && err != nil:
			w.Errorf("%s gets %v", key, err)
		case message != "" && (fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), message)):
			w.Errorf("%s gets %v, want UNAVAILABLE with %q", key, err, message)
		}
	}
}

func (w *world) reported(key string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said[key]
}

func (w *world) wantStats(want intake.Stats) {
	w.Helper()
	got := w.Stats()
	if want.WaitingBytes == 0 && got.Waiting > 0 {
		got.WaitingBytes = 0
	}
	if got != want {
		w.Errorf("the counts are %+v, want %+v", got, want)
	}
}

func TestWhatWaitsGoesIntoTheNextCommit(t *testing.T) {
	bubble(t, &slowLog{takes: time.Second}, intake.Options{}, func(w *world) {
		w.send(1, "a", "b", "c")
		time.Sleep(time.Second)
		synctest.Wait()
		w.wantSaid("", "a")
		w.send(1, "d")
		w.send(500, "e")
		w.wantStats(intake.Stats{Commits: 1, Submissions: 1, Events: 1, Waiting: 503})
		w.wait()
		w.wantGroups("a", "b c", "d e")
		w.wantSaid("", "a", "b", "c", "d", "e")
		w.wantStats(intake.Stats{Commits: 3, Submissions: 5, Events: 504})
		if want := []string{"a", "b", "c", "d", "e"}; !slices.Equal(w.log.stored, want) {
			w.Errorf("stored are %v", w.log.stored)
		}
	})
}

// TestALonelySubmissionIsCommittedAtOnce checks that a single submission does not wait for others.
func TestALonelySubmissionIsCommittedAtOnce(t *testing.T) {
	bubble(t, &slowLog{takes: time.Millisecond}, intake.Options{}, func(w *world) {
		began := time.Now()
		if _, err := w.Append(w.Context(), submission("a", 1)); err != nil || time.Since(began) != time.Millisecond {
			w.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

func TestACommitIsBounded(t *testing.T) {
	bubble(t, &slowLog{takes: time.Millisecond}, intake.Options{CommitEvents: 10}, func(w *world) {
		w.send(1, "a")
		w.send(4, "b", "c", "d")
		w.send(11, "e")
		w.send(1, "f", "g")
		w.wait()
		w.wantGroups("a", "b c", "d", "e", "f g")
	})
	large := submission("large", 1)
	large.Events[0].Metadata = make([]byte, 10_000)
	bubble(t, &slowLog{takes: time.Millisecond}, intake.Options{CommitBytes: 5000}, func(w *world) {
		w.send(1, "a", "b")
		w.waiting.Go(func() { _, _ = w.Append(w.Context(), large) })
		synctest.Wait()
		w.send(1, "c", "d")
		w.wait()
		w.wantGroups("a", "b", "large", "c d")
	})
}

func TestVerdicts(t *testing.T) {
	bubble(t, &slowLog{takes: time.Second}, intake.Options{}, func(w *world) {
		w.send(3, "a", "stored", "repeated", "mismatched")
		w.wait()
		w.wantGroups("a", "stored repeated mismatched")
		w.wantSaid("", "a", "stored", "repeated")
		if err := w.reported("mismatched"); fault.CodeOf(err) != fault.Mismatch {
			w.Errorf("another request with the same key gets %v", err)
		}
		w.wantStats(intake.Stats{Commits: 2, Submissions: 3, Events: 6})
	})
}

func TestSeveralCommitsAtOnce(t *testing.T) {
	bubble(t, &slowLog{takes: time.Second}, intake.Options{Concurrent: 2}, func(w *world) {
		w.send(1, "a", "b", "c", "d")
		w.wait()
		w.wantGroups("a", "b", "c d")
		if w.log.most != 2 {
			w.Errorf("%d commits were under way at once", w.log.most)
		}
	})
}

// TestOneAtFaultFailsNoOther checks that only the submission at fault receives the error.
func TestOneAtFaultFailsNoOther(t *testing.T) {
	bad := func(submissions []event.Submission) error {
		if slices.ContainsFunc(keysOf(submissions), func(key string) bool { return strings.HasPrefix(key, "bad") }) {
			return fault.Errorf(fault.Invalid, "no text")
		}
		return nil
	}
	bubble(t, &slowLog{takes: time.Millisecond, fault: bad}, intake.Options{}, func(w *world) {
		w.send(1, "a", "b", "c", "bad 1", "d", "e", "bad 2")
		w.wait()
		w.wantSaid("", "a", "b", "c", "d", "e")
		for _, key := range []string{"bad 1", "bad 2"} {
			if err := w.reported(key); fault.CodeOf(err) != fault.Invalid || err.Error() != "no text" {
				w.Errorf("%s gets %v", key, err)
			}
		}
		if want := []string{"a", "b", "c", "d", "e"}; !slices.Equal(w.log.stored, want) {
			w.Errorf("stored are %v, want %v", w.log.stored, want)
		}
		if stats := w.Stats(); stats.Away || stats.Waiting != 0 || stats.Failed != 2 {
			w.Errorf("the counts are %+v", stats)
		}
	})
}

// TestAPanicEndsNothing checks that only the submissions of a commit that panics fail, and that the next commit is
// tried.
func TestAPanicEndsNothing(t *testing.T) {
	panics := func(submissions []event.Submission) error {
		if submissions[0].Key == "bad" {
			panic("planned")
		}
		return nil
	}
	bubble(t, &slowLog{takes: time.Millisecond, fault: panics}, intake.Options{}, func(w *world) {
		w.send(1, "bad", "b", "c")
		w.wait()
		w.wantSaid("did not answer", "bad")
		w.wantSaid("", "b", "c")
	})
}

// TestTooFewVerdicts checks that an answer with too few verdicts counts as no answer.
func TestTooFewVerdicts(t *testing.T) {
	c := intake.New(intake.Options{Log: silent{}})
	defer c.Close()
	if _, err := c.Append(t.Context(), submission("a", 1)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("without a verdict: %v", err)
	}
}

type silent struct{}

func (silent) Append(context.Context, []event.Submission) ([]event.Verdict, error) { return nil, nil }

// TestACallerThatGoesWhileItWaits checks that Commits drops the events of callers that leave the queue. These events
// are not stored and use no space in the queue.
func TestACallerThatGoesWhileItWaits(t *testing.T) {
	bubble(t, &slowLog{takes: time.Second}, intake.Options{}, func(w *world) {
		ctx, cancel := context.WithCancel(w.Context())
		w.send(1, "a")
		w.sendFor(ctx, 1, "b")
		w.send(1, "c")
		cancel()
		synctest.Wait()
		w.wantSaid("before its events were stored", "b")
		w.wantStats(intake.Stats{Waiting: 2, Refused: 1})
		w.wait()
		w.wantGroups("a", "c")
	})
}

// TestACallerThatGoesDuringItsCommit checks that a caller that leaves during its commit does not learn the result, and
// that nothing else changes.
func TestACallerThatGoesDuringItsCommit(t *testing.T) {
	bubble(t, &slowLog{takes: time.Second}, intake.Options{}, func(w *world) {
		ctx, cancel := context.WithCancel(w.Context())
		w.sendFor(ctx, 1, "a")
		w.send(1, "b")
		time.Sleep(time.Second / 2)
		cancel()
		synctest.Wait()
		w.wantSaid("may be there", "a")
		if err := w.reported("a"); !errors.Is(err, context.Canceled) {
			w.Errorf("%v does not say why", err)
		}
		w.wait()
		w.wantSaid("", "b")
		w.wantGroups("a", "b")
		w.wantStats(intake.Stats{Commits: 2, Submissions: 2, Events: 2})
	})
}

func TestWhoComesWithAnEndedContextIsRefused(t *testing.T) {
	bubble(t, &slowLog{}, intake.Options{}, func(w *world) {
		ctx, cancel := context.WithCancel(w.Context())
		cancel()
		w.sendFor(ctx, 1, "a")
		w.wait()
		w.wantSaid("before its events were stored", "a")
		w.wantGroups()
	})
}

// TestClose checks that Close stores the accepted events and refuses new ones.
func TestClose(t *testing.T) {
	bubble(t, &slowLog{takes: time.Second}, intake.Options{}, func(w *world) {
		w.send(1, "a", "b", "c")
		w.waiting.Go(func() {
			if err := w.Close(); err != nil {
				w.Error(err)
			}
		})
		synctest.Wait()
		w.send(1, "late")
		w.wantSaid("the service stops", "late")
		w.wait()
		w.wantSaid("", "a", "b", "c")
		w.wantGroups("a", "b c")
	})
}

// TestCloseGivesUp checks that Close waits for the log no longer than its timeout.
func TestCloseGivesUp(t *testing.T) {
	for within, log := range map[time.Duration]*slowLog{
		2 * time.Second: {takes: time.Hour},
		3 * time.Second: {takes: time.Hour, deaf: true},
	} {
		t.Run(within.String(), func(t *testing.T) {
			bubble(t, log, intake.Options{Drain: 2 * time.Second}, func(w *world) {
				ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
				defer cancel()
				w.sendFor(ctx, 1, "a", "b")
				began := time.Now()
				if err := w.Close(); err == nil || time.Since(began) != within {
					w.Errorf("%v after %s", err, time.Since(began))
				}
				synctest.Wait()
				w.wantSaid("the service stops", "b")
				w.wait()
				if err := w.reported("a"); fault.CodeOf(err) != fault.Unavailable {
					w.Errorf("the one that was being stored gets %v", err)
				}
				time.Sleep(time.Hour) // The deaf commit has ended by then.
			})
		})
	}
}

func TestNothingIsLostOrMixedUp(t *testing.T) {
	log := &slowLog{}
	c := intake.New(intake.Options{Log: log, CommitEvents: 7, HeldEvents: 1000, Concurrent: 2})
	var sending sync.WaitGroup
	for client := range 16 {
		sending.Go(func() {
			for i := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				key := fmt.Sprint(client, "-", i)
				if i%5 == 0 {
					key = "mismatched " + key
				}
				if i%7 == 0 {
					go cancel()
				}
				_, err := c.Append(ctx, submission(key, 1+i%3))
				switch code := fault.CodeOf(err); {
				case i%7 == 0 && code == fault.Unavailable:
				case i%5 == 0 && code == fault.Mismatch && strings.Contains(err.Error(), key):
				case i%5 != 0 && err == nil:
				default:
					t.Errorf("%s gets %v", key, err)
				}
				cancel()
			}
		})
	}
	sending.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	stats := c.Stats()
	if stats.Submissions != int64(len(log.stored)) || stats.Waiting != 0 || stats.WaitingBytes != 0 {
		t.Errorf("%d are stored, the counts are %+v", len(log.stored), stats)
	}
	slices.Sort(log.stored)
	if n := len(slices.Compact(slices.Clone(log.stored))); n != len(log.stored) {
		t.Errorf("%d of %d are stored twice", len(log.stored)-n, len(log.stored))
	}
}
