package search

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

const (
	maxSuggestions = 10
	// maxSuggestionLength is the most characters of a text that is being typed.
	maxSuggestionLength = 200
	// maxShared is the most phrases shared by accounts. The index searches for each of them, and phrases of the
	// catalogue need a place too.
	maxShared = 5
)

func (r *Resolver) Suggestions(ctx context.Context, text string) (*graph.Suggestions, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := inputs.CheckText(text, maxSuggestionLength); err != nil {
		return nil, err
	}
	suggestions := &graph.Suggestions{
		SuggestionTerm: text,
		Channels:       []*model.Suggestion{}, Subjects: []*model.Suggestion{}, Phrases: []string{},
	}
	if inputs.IsBlank(r.Analyzer, text) {
		return suggestions, nil
	}
	directory, err := r.Videos.Directory(ctx)
	if err != nil {
		return nil, err
	}
	visible, err := r.Videos.VisibleSubjects(ctx, caller.Access)
	if err != nil {
		return nil, err
	}
	showsChannel, err := r.Videos.ShowsChannel(ctx, caller.Access)
	if err != nil {
		return nil, err
	}
	typed := catalogue.FoldName(text)
	suggestions.Channels = suggest(typed, directory.Channels,
		func(c *catalogue.Channel) string { return c.Name },
		showsChannel)
	suggestions.Subjects = suggest(typed, directory.Subjects,
		func(s *catalogue.Subject) string { return s.Name },
		func(s *catalogue.Subject) bool { return visible[s.ID] })
	suggestions.Phrases, err = r.suggestPhrases(ctx, text, directory, caller.Access)
	return suggestions, err
}

// suggestPhrases suggests phrases of the operator's list, then those that accounts share, then titles and keywords of the
// catalogue. It leaves out phrases that fold like an earlier one.
func (r *Resolver) suggestPhrases(ctx context.Context, text string, directory *catalogue.Directory, access catalogue.Access) ([]string, error) {
	found := []string{}
	met := map[string]bool{}
	add := func(phrase string) {
		if folded := r.Analyzer.Fold(phrase); !met[folded] && len(found) < maxSuggestions {
			met[folded] = true
			found = append(found, phrase)
		}
	}
	all := func(*catalogue.Phrase) bool { return true }
	for _, phrase := range suggest(catalogue.FoldName(text), directory.Phrases, func(p *catalogue.Phrase) string { return p.Text }, all) {
		add(phrase.Name)
	}
	if len(found) == maxSuggestions {
		return found, nil
	}
	shared, err := r.sharedPhrases(ctx, r.Analyzer.Fold(text), access, met)
	if err != nil {
		return nil, err
	}
	for _, phrase := range shared {
		add(phrase)
	}
	phrases, err := r.Index.Phrases(ctx, text, access, r.today(), maxSuggestions)
	for _, phrase := range phrases {
		add(phrase.Text)
	}
	return found, err
}

// sharedPhrases returns the best phrases that accounts share and that contain a folded text. It leaves out those met
// before, and those that the caller's own search would not find anything for: they may be about hidden videos.
func (r *Resolver) sharedPhrases(ctx context.Context, typed string, access catalogue.Access, met map[string]bool) ([]string, error) {
	if r.Recorder == nil || typed == "" {
		return nil, nil
	}
	best := bestShared(r.Recorder.Shared(), typed, met)
	if len(best) == 0 {
		return nil, nil
	}
	texts := make([]search.Text, len(best))
	for i := range best {
		texts[i].Words = best[i].Text
	}
	finds, err := r.Index.Finds(ctx, texts, access, r.today())
	if err != nil {
		return nil, err
	}
	var phrases []string
	for i := range best {
		if finds[i] && len(r.Analyzer.Query(best[i].Text)) > 0 { // a text without words finds everything
			phrases = append(phrases, best[i].Spelling)
		}
	}
	return phrases, nil
}

// bestShared returns the first maxShared phrases that contain a text, by rank and then in their order.
func bestShared(shared []store.SharedSearch, typed string, met map[string]bool) []store.SharedSearch {
	var ranked [3][]store.SharedSearch
	for i := range shared {
		phrase := &shared[i]
		rank := search.PhraseRank(phrase.Text, typed)
		if rank >= 0 && !met[phrase.Text] && len(ranked[rank]) < maxShared {
			ranked[rank] = append(ranked[rank], *phrase)
		}
	}
	all := slices.Concat(ranked[:]...)
	return all[:min(len(all), maxShared)]
}

// suggest returns the things whose names contain a folded text, by rank and then in the order of the list.
func suggest[T catalogue.Item](typed string, list []T, name func(T) string, shows func(T) bool) []*model.Suggestion {
	var ranked [3][]*model.Suggestion
	for _, item := range list {
		if rank := search.PhraseRank(catalogue.FoldName(name(item)), typed); rank >= 0 && shows(item) {
			ranked[rank] = append(ranked[rank], &model.Suggestion{ID: item.Head().ID, Name: name(item)})
		}
	}
	all := slices.Concat(ranked[:]...)
	return slices.Clip(all[:min(len(all), maxSuggestions)])
}
