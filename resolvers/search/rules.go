package search

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// rules are the synonyms and search rules of a directory.
type rules struct {
	directory *catalogue.Directory
	thesaurus *analysis.Thesaurus              // nil: there are no synonyms
	byQuery   map[string]*catalogue.SearchRule // by folded query
}

// rulesCache holds the rules of the last directory. The zero value is ready for use.
type rulesCache struct{ last atomic.Pointer[rules] }

// of returns the rules of a directory. A query applies the rules of the directory that names its facets.
func (c *rulesCache) of(directory *catalogue.Directory, analyzer *analysis.Analyzer) *rules {
	last := c.last.Load()
	if last != nil && last.directory == directory {
		return last
	}
	var made *rules
	if last != nil && sameVersions(last.directory.Synonyms, directory.Synonyms) && sameVersions(last.directory.SearchRules, directory.SearchRules) {
		made = &rules{directory: directory, thesaurus: last.thesaurus, byQuery: last.byQuery}
	} else {
		made = newRules(directory, analyzer)
	}
	c.last.Store(made)
	return made
}

func sameVersions[T catalogue.Item](a, b []T) bool {
	return slices.EqualFunc(a, b, func(a, b T) bool { return a.Head().Ref() == b.Head().Ref() })
}

func newRules(directory *catalogue.Directory, analyzer *analysis.Analyzer) *rules {
	made := &rules{directory: directory, byQuery: make(map[string]*catalogue.SearchRule, len(directory.SearchRules))}
	for _, rule := range directory.SearchRules {
		folded := analyzer.Fold(search.ParseText(rule.Query).Words)
		if folded != "" && made.byQuery[folded] == nil {
			made.byQuery[folded] = rule
		}
	}
	if len(directory.Synonyms) > 0 {
		groups := make([][]string, len(directory.Synonyms))
		for i, synonym := range directory.Synonyms {
			groups[i] = synonym.Words
		}
		made.thesaurus = analyzer.Thesaurus(groups)
	}
	return made
}

// apply adds to a query the synonyms of its words, and the videos that a rule for its text pins and buries.
func (s *rules) apply(query *search.Query, analyzer *analysis.Analyzer) {
	if s.thesaurus != nil {
		query.Text.SynonymGroups = s.thesaurus.SynonymGroups(query.Text.Words)
	}
	if len(s.byQuery) == 0 {
		return
	}
	if rule := s.byQuery[analyzer.Fold(query.Text.Words)]; rule != nil {
		query.Pin, query.Bury = rule.PinnedIDs, rule.BuriedIDs
	}
}

// replaced returns pinned videos with the replacement of each retired one in its place, once and unless the rule buries it.
func (r *Resolver) replaced(ctx context.Context, pinned, buried []catalogue.ID) ([]catalogue.ID, error) {
	if len(pinned) == 0 {
		return pinned, nil
	}
	states, err := r.Videos.States(ctx, pinned)
	if err != nil {
		return nil, err
	}
	ends, err := r.Videos.Replacements(ctx, states)
	if err != nil || len(ends) == 0 {
		return pinned, err
	}
	ids := make([]catalogue.ID, 0, len(pinned))
	for _, id := range pinned {
		if end := ends[id]; end != nil {
			id = end.ID
		}
		if !slices.Contains(ids, id) && !slices.Contains(buried, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
