package counting_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

func TestForgets(t *testing.T) {
	w := newWorld()
	moment := at("2026-10-01T00:00:00Z")
	for _, who := range []string{"ann", "bob", "ann"} {
		e := segment("one", moment, 0, 1000)
		e.ExternalUser = who
		w.log.add(e)
	}
	w.count(t)
	before := ledgerOf(w.usage.plays, nil)
	late := segment("one", moment, 0, 1000)
	late.ExternalUser = "ann"
	w.log.add(late) // The event is in the log, but not counted yet.
	n, err := w.Forget(t.Context(), "one", "xann")
	must(t, err)
	if n != 3 {
		t.Errorf("%d events are forgotten", n)
	}
	if n, err := w.Forget(t.Context(), "one", ""); n != 0 || err != nil {
		t.Errorf("nobody has %d events, %v", n, err)
	}
	persons := map[string]int{}
	for _, p := range w.usage.plays {
		persons[p.Person]++
	}
	alias := ""
	for person, plays := range persons {
		if strings.HasPrefix(person, "xforgotten-") && plays == 3 {
			alias = person
		}
	}
	if alias == "" || persons["xbob"] != 1 || len(persons) != 2 {
		t.Fatalf("the plays are those of %v", persons)
	}
	if before[0].Plays+1 != ledgerOf(w.usage.plays, nil)[0].Plays {
		t.Error("the ledger has changed")
	}
	for i, p := range w.log.plays() {
		if p.Person != w.usage.plays[i].Person {
			t.Errorf("the log knows play %d as that of %s, the roll-up as that of %s", i, p.Person, w.usage.plays[i].Person)
		}
	}
}

// applyingLate applies its first batch only after a value arrives on apply or apply is closed.
type applyingLate struct {
	*memoryUsage
	read, apply chan struct{}
}

func (u *applyingLate) Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) error {
	select {
	case u.read <- struct{}{}: // This is the first batch.
		<-u.apply
	default:
	}
	return u.memoryUsage.Apply(ctx, from, to, plays)
}

// TestForgetsWhatIsBeingCounted forgets a person while another process has read the person's plays but not applied them
// yet.
func TestForgetsWhatIsBeingCounted(t *testing.T) {
	w := newWorld()
	e := segment("one", at("2026-10-01T00:00:00Z"), 0, 1000)
	e.ExternalUser = "ann"
	w.log.add(e)
	late := &applyingLate{w.usage, make(chan struct{}, 1), make(chan struct{})}
	other := counting.New(counting.Options{Log: w.log, Usage: late, Catalogue: videos{}, VerifyEvery: -1, Poll: time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); other.Run(ctx) }()
	<-late.read
	_, err := w.Forget(t.Context(), "one", "xann")
	must(t, err)
	close(late.apply)
	eventually(t, func() bool { return other.Stats().Position == 1 })
	cancel()
	<-ended
	if len(w.usage.plays) != 1 || !strings.HasPrefix(w.usage.plays[0].Person, "xforgotten-") {
		t.Errorf("counted are %+v", w.usage.plays)
	}
}

// eventful is a log that calls around before and after each Erase, or fails instead.
type eventful struct {
	*memoryLog
	around func()
	fails  bool
}

func (l *eventful) Erase(ctx context.Context, account, person, alias string, upTo event.Position) (int64, error) {
	if l.fails {
		return 0, fault.Errorf(fault.Unavailable, "planned")
	}
	l.around()
	defer l.around()
	return l.memoryLog.Erase(ctx, account, person, alias, upTo)
}

// TestForgetsWhoGoesOnPlaying checks that the log and the counts agree on which plays the alias and the person own,
// while the person keeps playing. A repeated call after an interrupted one uses the same alias.
func TestForgetsWhoGoesOnPlaying(t *testing.T) {
	w := newWorld()
	play := func() {
		e := segment("one", at("2026-10-01T00:00:00Z"), 0, 1000)
		e.ExternalUser = "ann"
		w.log.add(e)
		w.count(t)
	}
	play()
	log := &eventful{memoryLog: w.log, around: play, fails: true}
	c := counting.New(counting.Options{Log: log, Usage: w.usage, Catalogue: videos{}, VerifyEvery: -1})
	agree := func(persons int) {
		t.Helper()
		found := map[string]bool{}
		for i, p := range w.log.plays() {
			found[p.Person] = true
			if counted := w.usage.plays[i].Person; !log.fails && p.Person != counted {
				t.Errorf("the log knows play %d as that of %s, the roll-up as that of %s", i, p.Person, counted)
			}
		}
		if len(found) != persons {
			t.Errorf("the log has %d persons, want %d: %v", len(found), persons, found)
		}
	}
	if _, err := c.Forget(t.Context(), "one", "xann"); fault.CodeOf(err) != fault.Unavailable {
		t.Fatalf("a log that fails: %v", err)
	}
	play()
	log.fails = false
	if n, err := c.Forget(t.Context(), "one", "xann"); n != 2 || err != nil {
		t.Errorf("%d events are forgotten, %v", n, err)
	}
	agree(2) // The persons are the alias and ann, who has played since.
	if n, err := c.Forget(t.Context(), "one", "xann"); n != 2 || err != nil {
		t.Errorf("later %d events are forgotten, %v", n, err)
	}
	agree(3)
}

func TestRecounts(t *testing.T) {
	w := newWorld()
	for i := range 10 {
		w.log.add(segment("one", at("2026-09-30T23:59:59Z")+event.Instant(i)*500, 0, 1000))
	}
	_, err := w.Seal(t.Context(), month("2026-09"), true)
	must(t, err)
	w.log.add(segment("one", at("2026-09-01T00:00:00Z"), 0, 1000))
	w.count(t)
	before := ledgerOf(w.usage.plays, w.usage.seals)
	must(t, w.Recount(t.Context()))
	if after := ledgerOf(w.usage.plays, w.usage.seals); !slices.Equal(before, after) {
		t.Errorf("the ledger was %v and is %v", before, after)
	}
}
