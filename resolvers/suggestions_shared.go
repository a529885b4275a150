package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// maxShared is how many phrases that accounts share are suggested at most: each is searched for, all at once, and the
// catalogue's own shall have room.
const maxShared = 5

// sharedPhrases finds, of what accounts share, the best phrases that hold what was typed and were not met before:
// those that start with it first, then those with a word that does, then the rest, the most shared first. Of the first
// maxShared those stay that the caller's own search would find something by: others may be about what the caller must
// not know of.
func (r *resolver) sharedPhrases(ctx context.Context, typed string, access catalogue.Access, met map[string]bool) ([]string, error) {
	if r.asked == nil || typed == "" {
		return nil, nil
	}
	best := bestShared(r.asked.Shared(), typed, met)
	texts := make([]search.Text, len(best))
	for i := range best {
		texts[i].Words = best[i].Text
	}
	if len(texts) == 0 {
		return nil, nil
	}
	finds, err := r.index.Finds(ctx, texts, access, r.today())
	if err != nil {
		return nil, err
	}
	var phrases []string
	for i := range best {
		if finds[i] && len(r.analyzer.Query(best[i].Text)) > 0 { // by no words everything is found
			phrases = append(phrases, best[i].Spelling)
		}
	}
	return phrases, nil
}

// bestShared are the first maxShared phrases that hold what was typed.
func bestShared(shared []store.SharedSearch, typed string, met map[string]bool) []store.SharedSearch {
	var ranked [3][]store.SharedSearch
	for i := range shared {
		phrase := &shared[i]
		rank := rankOf(phrase.Text, typed)
		if rank != notFound && !met[phrase.Text] && len(ranked[rank]) < maxShared {
			ranked[rank] = append(ranked[rank], *phrase)
		}
	}
	all := slices.Concat(ranked[:]...)
	return all[:min(len(all), maxShared)]
}
