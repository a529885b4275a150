package resolvers

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// maxShared is how many phrases that accounts share are suggested at most: each is searched for, and the catalogue's
// own shall have room.
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
	finds := make([]bool, len(best))
	faults := make([]error, len(best))
	look := func(i int) {
		defer func() {
			if fault := recover(); fault != nil { // it is the request's, not the process's
				faults[i] = fmt.Errorf("a look for a phrase panicked: %v", fault)
			}
		}()
		finds[i], faults[i] = r.findsAllWords(ctx, best[i].Text, access)
	}
	if r.distant { // each look is a journey
		var together sync.WaitGroup
		for i := range best {
			together.Go(func() { look(i) })
		}
		together.Wait()
	} else {
		for i := range best {
			look(i)
		}
	}
	var phrases []string
	for i := range best {
		if faults[i] != nil {
			return nil, faults[i]
		}
		if finds[i] {
			phrases = append(phrases, best[i].Spelling)
		}
	}
	return phrases, nil
}

// bestShared are the first maxShared phrases that hold what was typed.
func bestShared(shared []store.SharedQuery, typed string, met map[string]bool) []store.SharedQuery {
	var ranked [3][]store.SharedQuery
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

// findsAllWords reports whether a search by an access finds a video that has all words of a text.
func (r *resolver) findsAllWords(ctx context.Context, text string, access catalogue.Access) (bool, error) {
	if len(r.analyzer.Query(text)) == 0 {
		return false, nil
	}
	counts, err := r.index.Matches(ctx, search.Text{Words: text}, []search.Step{{}}, access, r.today(), 1)
	return err == nil && counts[0] > 0, err
}
