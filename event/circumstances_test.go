package event_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
)

func TestRefererOf(t *testing.T) {
	for _, c := range []struct{ player, browser, want string }{
		{"", "", ""},
		{"https://learn.example/7", "https://frame.example", "https://learn.example/7"},
		{"", "https://frame.example", "https://frame.example"},
		{"", "a\xffb", "ab"},
		{strings.Repeat("x", 2049), "", strings.Repeat("x", 2048)},
		{"", strings.Repeat("x", 2047) + "é", strings.Repeat("x", 2047)},
	} {
		if got := event.RefererOf(c.player, c.browser); got != c.want {
			t.Errorf("%.30q, %.30q: got %.30q, want %.30q", c.player, c.browser, got, c.want)
		}
	}
}

func TestCircumstances(t *testing.T) {
	want := event.Circumstances{Trace: "t", Referer: "r", Address: "192.0.2.1"}
	if got := event.CircumstancesOf(event.WithCircumstances(t.Context(), want)); got != want {
		t.Errorf("got %+v", got)
	}
	if got := event.CircumstancesOf(t.Context()); got != (event.Circumstances{}) {
		t.Errorf("a context without any has %+v", got)
	}
}
