package event_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// TestKindsKeepTheirNumbers checks the numbers of kinds. Operators' logs contain them, so they must never change.
func TestKindsKeepTheirNumbers(t *testing.T) {
	names := []string{"PLAYBACK", "PLAYER_INTERACTION", "PAGE_RENDER", "PLATFORM_INTERACTION", "SEARCH_COMPLETIONS", "VIDEO_INTERACTION", "ACCESS_EXPIRED", "COLLECTION_INTERACTION"}
	if got := event.Kinds(); len(got) != len(names) {
		t.Fatalf("there are the kinds %v", got)
	}
	for i, name := range names {
		kind, err := event.ParseKind(name)
		if err != nil || int(kind) != i+1 || kind.String() != name || event.Kinds()[i] != kind {
			t.Errorf("%s is %d, %v", name, kind, err)
		}
	}
	for _, name := range []string{"", "playback", "PLAYBACKS"} {
		if kind, err := event.ParseKind(name); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q is %v, %v", name, kind, err)
		}
	}
	if event.Kind(0).String() != "" || event.Kind(200).String() != "" {
		t.Error("what is no kind has a name")
	}
}

func TestPlayed(t *testing.T) {
	for _, c := range []struct {
		kind       event.Kind
		start, end int64
		played     int64
		reversed   bool
	}{
		{event.Playback, 1000, 3500, 2500, false},
		{event.Playback, 1000, 1000, 0, false},
		{event.Playback, 3500, 1000, 0, true},
		{event.PlayerInteraction, 1000, 3500, 0, false},
		{event.PlayerInteraction, 3500, 1000, 0, false},
	} {
		e := event.Event{Kind: c.kind, Start: c.start, End: c.end}
		if e.Played() != c.played || e.Reversed() != c.reversed {
			t.Errorf("%+v: got %d, %v", c, e.Played(), e.Reversed())
		}
	}
}

// TestBound checks that the part of a playback inside the bound counts, and that the rest is excess.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		kind                               event.Kind
		start, end, bound, counted, excess int64
	}{
		{event.Playback, 0, 31_000, 31_000, 31_000, 0},
		{event.Playback, 0, 31_001, 31_000, 31_000, 1},
		{event.Playback, 30_000, 86_400_000, 31_000, 1000, 86_369_000},
		{event.Playback, 31_000, 32_000, 31_000, 0, 1000},
		{event.Playback, 50_000, 60_000, 31_000, 0, 10_000},
		{event.Playback, 9000, 9000, 31_000, 0, 0},
		{event.Playback, 9000, 8000, 31_000, 0, 0},
		{event.PlayerInteraction, 1000, 2000, 31_000, 0, 0},
	} {
		e := event.Event{Kind: c.kind, Start: c.start, End: c.end}
		if e.Bound(c.bound); e.Counted != c.counted || e.Excess() != c.excess {
			t.Errorf("%+v: %d ms count, %d ms are excess", c, e.Counted, e.Excess())
		}
	}
}

// TestPersonsNeverMeet checks that a user and an external user of the same name are different persons.
func TestPersonsNeverMeet(t *testing.T) {
	for want, e := range map[string]event.Event{
		"":   {},
		"xa": {ExternalUser: "a"},
		"ua": {User: "a"},
		"xb": {ExternalUser: "b", User: "a"},
	} {
		if got := e.Person(); got != want {
			t.Errorf("%+v: got %q, want %q", e, got, want)
		}
	}
}

func TestFilterKeeps(t *testing.T) {
	e := event.Event{Account: "a", Kind: event.Playback, Video: "v"}
	for _, c := range []struct {
		filter event.Filter
		want   bool
	}{
		{event.Filter{}, true},
		{event.Filter{Accounts: []string{"b", "a"}, Kinds: []event.Kind{event.Playback}, Videos: []string{"v"}}, true},
		{event.Filter{Accounts: []string{"b"}}, false},
		{event.Filter{Accounts: []string{}}, false},
		{event.Filter{Kinds: []event.Kind{event.PageRender}}, false},
		{event.Filter{Kinds: []event.Kind{}}, false},
		{event.Filter{Videos: []string{"w"}}, false},
		{event.Filter{Videos: []string{}}, false},
	} {
		if got := c.filter.Keeps(&e); got != c.want {
			t.Errorf("%+v: got %v", c.filter, got)
		}
	}
}

func TestInstants(t *testing.T) {
	if got := received.String(); got != "2026-11-21T19:53:37.123Z" || event.InstantOf(received.Time()) != received {
		t.Errorf("got %s", got)
	}
	if code := fault.CodeOf(event.ErrMismatched("k")); code != fault.Mismatch {
		t.Errorf("got %s", code)
	}
}
