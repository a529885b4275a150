package resolvers

import (
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

const (
	maxSuggestions      = 10
	maxSuggestionLength = 200
)

func (q query) Suggestions(ctx context.Context, text string) (*graph.Suggestions, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if len([]rune(text)) > maxSuggestionLength {
		return nil, fault.InvalidRequest("query has %d characters, at most %d are allowed", len([]rune(text)), maxSuggestionLength)
	}
	suggestions := &graph.Suggestions{
		SuggestionTerm: text,
		Channels:       []*model.Suggestion{}, Subjects: []*model.Suggestion{}, Phrases: []string{},
	}
	if q.asksNothing(text) {
		return suggestions, nil
	}
	typed := catalogue.FoldName(text)
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	visible, err := q.visibleSubjects(ctx, caller.Access)
	if err != nil {
		return nil, err
	}
	showsChannel, err := q.showsChannel(ctx, caller.Access)
	if err != nil {
		return nil, err
	}
	suggestions.Channels = suggest(typed, directory.Channels,
		func(c *catalogue.Channel) string { return c.Name },
		showsChannel)
	suggestions.Subjects = suggest(typed, directory.Subjects,
		func(s *catalogue.Subject) string { return s.Name },
		func(s *catalogue.Subject) bool { return visible[s.ID] })
	suggestions.Phrases, err = q.suggestPhrases(ctx, text, directory, caller.Access)
	return suggestions, err
}

// suggestPhrases finds phrases of the operator's list first, then those that accounts share, then the catalogue's
// titles and keywords. Of those that fold alike the first stays.
func (q query) suggestPhrases(ctx context.Context, text string, directory *catalogue.Directory, access catalogue.Access) ([]string, error) {
	found := []string{}
	met := map[string]bool{}
	add := func(phrase string) {
		if folded := q.analyzer.Fold(phrase); !met[folded] && len(found) < maxSuggestions {
			met[folded] = true
			found = append(found, phrase)
		}
	}
	always := func(*catalogue.Phrase) bool { return true }
	for _, phrase := range suggest(catalogue.FoldName(text), directory.Phrases, func(p *catalogue.Phrase) string { return p.Text }, always) {
		add(phrase.Name)
	}
	if len(found) == maxSuggestions {
		return found, nil
	}
	shared, err := q.sharedPhrases(ctx, q.analyzer.Fold(text), access, met)
	if err != nil {
		return nil, err
	}
	for _, phrase := range shared {
		add(phrase)
	}
	phrases, err := q.index.Phrases(ctx, text, access, q.today(), maxSuggestions)
	for _, phrase := range phrases {
		add(phrase.Text)
	}
	return found, err
}

// suggest finds the things whose name contains what was typed: those that start with it first, then
// those with a word that does, then the rest, each in the order of the list.
func suggest[T catalogue.Item](typed string, list []T, name func(T) string, shows func(T) bool) []*model.Suggestion {
	var ranked [3][]*model.Suggestion
	for _, item := range list {
		if rank := rankOf(catalogue.FoldName(name(item)), typed); rank != notFound && shows(item) {
			ranked[rank] = append(ranked[rank], &model.Suggestion{ID: item.Head().ID, Name: name(item)})
		}
	}
	all := slices.Concat(ranked[:]...)
	return slices.Clip(all[:min(len(all), maxSuggestions)])
}

// notFound is the rank of what does not hold what was typed.
const notFound = -1

// rankOf is 0 for a text that starts with what was typed, 1 for one with a word that does, 2 for one that holds it
// elsewhere. Both are folded.
func rankOf(text, typed string) int {
	at := strings.Index(text, typed)
	switch {
	case at < 0:
		return notFound
	case at == 0:
		return 0
	case strings.Contains(text[at-1:], " "+typed):
		return 1
	}
	return 2
}
