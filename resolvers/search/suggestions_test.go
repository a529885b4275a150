package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

func channels(names ...string) []*catalogue.Channel {
	list := make([]*catalogue.Channel, len(names))
	for i, name := range names {
		list[i] = &catalogue.Channel{Meta: catalogue.Meta{ID: catalogue.ID(fmt.Sprintf("%024x", i))}, Name: name}
	}
	return list
}

func suggestChannels(typed string, list []*catalogue.Channel) []string {
	names := []string{}
	everything := func(*catalogue.Channel) bool { return true }
	for _, s := range suggest(catalogue.FoldName(typed), list, func(c *catalogue.Channel) string { return c.Name }, everything) {
		names = append(names, s.Name)
	}
	return names
}

// TestSuggestRanks proves that names that start with the text come first, then those with a word that does, then the
// rest, each in the order of the list.
func TestSuggestRanks(t *testing.T) {
	list := channels("Fine Art", "Cartoons", "ART  Lab", "The Art of Noise", "Biology", "Martian", "Artful")
	for typed, want := range map[string][]string{
		"art":      {"ART  Lab", "Artful", "Fine Art", "The Art of Noise", "Cartoons", "Martian"},
		" ART ":    {"ART  Lab", "Artful", "Fine Art", "The Art of Noise", "Cartoons", "Martian"},
		"art lab":  {"ART  Lab"},
		"rt  o":    {"The Art of Noise"},
		"biology":  {"Biology"},
		"zoology":  {},
		"e art of": {"The Art of Noise"},
	} {
		if got := suggestChannels(typed, list); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}

// TestSuggestBounds proves that the suggestions are the ten best that the caller may see.
func TestSuggestBounds(t *testing.T) {
	names := make([]string, 0, 31)
	for i := range 30 {
		names = append(names, fmt.Sprintf("Smart %02d", i))
	}
	list := channels(append(names, "Art")...)
	got := suggestChannels("art", list)
	if len(got) != maxSuggestions || got[0] != "Art" || got[1] != "Smart 00" || got[9] != "Smart 08" {
		t.Errorf("got %q", got)
	}
	list[30].Private = true
	for _, access := range []catalogue.Access{{}, {PrivateChannels: true}} {
		first := suggest("art", list, func(c *catalogue.Channel) string { return c.Name },
			access.OpensChannel)[0]
		if (first.Name == "Art") != access.PrivateChannels || first.ID != list[30].ID && access.PrivateChannels {
			t.Errorf("with %+v the first is %+v", access, first)
		}
	}
}

// TestSuggestionsOfNothing proves that a text without words suggests nothing and calls no port, and that a text that is
// too long is refused.
func TestSuggestionsOfNothing(t *testing.T) {
	ctx := account.WithCaller(context.Background(), &account.Caller{})
	for _, text := range []string{"", " ", "\t\n"} {
		got, err := New(Config{}).Suggestions(ctx, text)
		if err != nil || got.SuggestionTerm != text || got.Channels == nil || got.Subjects == nil || got.Phrases == nil ||
			len(got.Channels)+len(got.Subjects)+len(got.Phrases) != 0 {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	_, err := New(Config{}).Suggestions(ctx, strings.Repeat("é", maxSuggestionLength+1))
	if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), "201 characters") {
		t.Errorf("a text that is too long: %v", err)
	}
	if _, err := New(Config{}).Suggestions(context.Background(), "a"); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("nobody asks: %v", err)
	}
}
