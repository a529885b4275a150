package counting_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

func TestWhenAMonthMayBeSealed(t *testing.T) {
	for _, test := range []struct {
		now   string
		force bool
		code  fault.Code
	}{
		{"2026-09-30T23:59:59Z", true, fault.Invalid},
		{"2026-10-01T00:00:00Z", true, ""},
		{"2026-10-15T00:00:00Z", false, fault.Invalid},
		{"2026-11-07T23:59:59.999Z", false, fault.Invalid},
		{"2026-11-07T23:59:59.999Z", true, ""},
		{"2026-11-08T00:00:00Z", false, ""},
		{"2027-11-08T00:00:00Z", false, ""},
	} {
		w := newWorld()
		w.now = at(test.now).Time()
		w.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 1))
		statements, err := w.Seal(t.Context(), month("2026-10"), test.force)
		if fault.CodeOf(err) != test.code || len(w.usage.seals) != len(statements) {
			t.Errorf("%s, forced %t: got %v and %d seals", test.now, test.force, err, len(w.usage.seals))
		}
		if err == nil && w.usage.seals[0] != (usage.Seal{Month: month("2026-10"), Position: 1, At: w.now}) {
			t.Errorf("%s: sealed as %+v", test.now, w.usage.seals[0])
		}
	}
}

func TestSealsWhatIsInTheLog(t *testing.T) {
	w := newWorld()
	for range 10 {
		w.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 1_250))
	}
	w.log.add(segment("two", at("2026-11-01T00:00:00Z"), 0, 1_250))
	statements, err := w.Seal(t.Context(), month("2026-10"), false)
	must(t, err)
	if len(statements) != 1 || statements[0].Plays != 10 || statements[0].Seconds != 13 || statements[0].Position != 11 {
		t.Fatalf("got %+v", statements)
	}
	for _, again := range []string{"2026-10", "2026-09"} {
		if _, err := w.Seal(t.Context(), month(again), true); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("%s after 2026-10: got %v", again, err)
		}
	}
}

// TestNoMonthIsSkipped checks that only a forced seal skips a month, which cannot be sealed afterwards.
func TestNoMonthIsSkipped(t *testing.T) {
	w := newWorld()
	w.now = at("2026-12-24T00:00:00Z").Time()
	_, err := w.Seal(t.Context(), month("2026-07"), false) // the first seal may be of any month
	must(t, err)
	const says = "2026-08 is not sealed, and cannot be sealed after 2026-10: seal it first, or force the seal of 2026-10"
	if _, err := w.Seal(t.Context(), month("2026-10"), false); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v", err)
	}
	_, err = w.Seal(t.Context(), month("2026-08"), false)
	must(t, err)
	_, err = w.Seal(t.Context(), month("2026-10"), true)
	must(t, err)
	if _, err := w.Seal(t.Context(), month("2026-09"), true); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("got %v", err)
	}
}

// overtaken is a usage store to which another process applies a smaller step first.
type overtaken struct {
	*memoryUsage
	once sync.Once
}

func (u *overtaken) Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) (err error) {
	u.once.Do(func() {
		err = u.memoryUsage.Apply(ctx, from, usage.Progress{Position: plays[0].Position, AsOf: plays[0].At}, plays[:1])
	})
	return errors.Join(err, u.memoryUsage.Apply(ctx, from, to, plays))
}

func TestSealsAllThoughOthersCountToo(t *testing.T) {
	w := newWorld()
	for range 10 {
		w.log.add(segment("one", at("2026-10-01T00:00:00Z"), 0, 1_250))
	}
	counter := counting.New(counting.Options{Log: w.log, Usage: &overtaken{memoryUsage: w.usage}, Catalogue: videos{}, Now: func() time.Time { return w.now }})
	statements, err := counter.Seal(t.Context(), month("2026-10"), false)
	must(t, err)
	if len(statements) != 1 || statements[0].Plays != 10 {
		t.Errorf("got %+v", statements)
	}
}

func TestStatements(t *testing.T) {
	w := newWorld()
	w.now = at("2026-12-24T00:00:00Z").Time()
	add := func(moment string) { w.log.add(segment("one", at(moment), 0, 1000)); w.count(t) }
	want := func(m string, lines string) {
		t.Helper()
		s, err := w.Statement(t.Context(), "one", month(m))
		got := fmt.Sprint(fault.CodeOf(err))
		if err == nil {
			got = reported(s)
		}
		if got != lines {
			t.Errorf("%s: got %s, want %s", m, got, lines)
		}
	}
	want("2026-09", "provisional:")
	add("2026-08-31T23:59:59.999Z")
	add("2026-10-01T00:00:00Z")
	want("2026-09", "provisional:")
	want("2026-10", "provisional: 2026-10 1")
	_, err := w.Seal(t.Context(), month("2026-09"), false)
	must(t, err)
	want("2026-08", "NOT_FOUND")
	want("2026-09", "sealed: 2026-08 1 late")
	add("2026-09-15T00:00:00Z")
	add("2026-08-15T00:00:00Z")
	want("2026-09", "sealed: 2026-08 1 late")
	want("2026-10", "provisional: 2026-08 1 late 2026-09 1 late 2026-10 1")
	want("2026-11", "provisional:")
	_, err = w.Seal(t.Context(), month("2026-10"), false)
	must(t, err)
	want("2026-10", "sealed: 2026-08 1 late 2026-09 1 late 2026-10 1")
	_, err = w.Seal(t.Context(), month("2026-11"), false)
	must(t, err)
	want("2026-11", "sealed:")
	s, err := w.Statement(t.Context(), "never seen", month("2026-10"))
	if err != nil || s.SealedAt == nil || s.Checksum != "" || s.Lines == nil || s.Account != "never seen" {
		t.Errorf("an account without a play: got %+v, %v", s, err)
	}
	if _, err := w.Statement(t.Context(), "", month("2026-10")); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("no account: %v", err)
	}
	kept, err := w.usage.Statements(t.Context(), "one", usage.Month{})
	must(t, err)
	if found := usage.CheckChain(kept); found != nil || len(kept) != 3 {
		t.Errorf("the chain of %d: %v", len(kept), found)
	}
}

// reported summarizes a statement.
func reported(s usage.Statement) string {
	text := "provisional:"
	if s.SealedAt != nil {
		text = "sealed:"
	}
	for _, line := range s.Lines {
		text += fmt.Sprintf(" %s %d", line.Month, line.Plays)
		if line.Adjustment {
			text += " late"
		}
	}
	return text
}

// TestNothingIsSealedByAWrongClock checks that no month is sealed while the clock is not trusted. With a clock that is
// ahead, months would end early.
func TestNothingIsSealedByAWrongClock(t *testing.T) {
	w := newWorld()
	w.now = at("2026-12-01T00:00:00Z").Time()
	w.log.clock.Hold = &store.ClockHold{Reason: "it jumped"}
	for _, force := range []bool{false, true} {
		_, err := w.Seal(t.Context(), month("2026-10"), force)
		if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "it jumped") {
			t.Errorf("forced %t: %v", force, err)
		}
	}
}
