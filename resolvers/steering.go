package resolvers

import (
	"slices"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// steering is what a directory's synonyms and rules say of texts.
type steering struct {
	directory *catalogue.Directory
	thesaurus *analysis.Thesaurus              // nil: there are no synonyms
	rules     map[string]*catalogue.SearchRule // by folded query
}

// keptSteering is the steering of the directory that was asked last. The zero value is ready for use.
type keptSteering struct{ last atomic.Pointer[steering] }

// of returns the steering of a directory. A query brings the directory of its request: so what it finds is
// steered by what the operator says at that moment, and named by it wherever answers are remembered.
func (k *keptSteering) of(directory *catalogue.Directory, analyzer *analysis.Analyzer) *steering {
	last := k.last.Load()
	if last != nil && last.directory == directory {
		return last
	}
	s := last.with(directory)
	if s == nil {
		s = newSteering(directory, analyzer)
	}
	k.last.Store(s)
	return s
}

// with is the steering of another directory in which operators say the same: most changes are of other things.
// nil: they do not, or there is none.
func (s *steering) with(directory *catalogue.Directory) *steering {
	if s == nil || !sameVersions(s.directory.Synonyms, directory.Synonyms) ||
		!sameVersions(s.directory.SearchRules, directory.SearchRules) {
		return nil
	}
	return &steering{directory: directory, thesaurus: s.thesaurus, rules: s.rules}
}

func sameVersions[T catalogue.Item](a, b []T) bool {
	return slices.EqualFunc(a, b, func(a, b T) bool { return a.Head().Ref() == b.Head().Ref() })
}

func newSteering(directory *catalogue.Directory, analyzer *analysis.Analyzer) *steering {
	s := &steering{directory: directory, rules: make(map[string]*catalogue.SearchRule, len(directory.SearchRules))}
	for _, rule := range directory.SearchRules {
		folded := analyzer.Fold(search.ParseText(rule.Query).Words)
		if folded != "" && s.rules[folded] == nil {
			s.rules[folded] = rule
		}
	}
	if len(directory.Synonyms) > 0 {
		groups := make([][]string, len(directory.Synonyms))
		for i, synonym := range directory.Synonyms {
			groups[i] = synonym.Words
		}
		s.thesaurus = analyzer.Thesaurus(groups)
	}
	return s
}

// steer adds to a query what is said of its text.
func (s *steering) steer(query *search.Query, analyzer *analysis.Analyzer) {
	if s.thesaurus != nil {
		query.Text.SynonymGroups = s.thesaurus.SynonymGroups(query.Text.Words)
	}
	if len(s.rules) == 0 {
		return
	}
	if rule := s.rules[analyzer.Fold(query.Text.Words)]; rule != nil {
		query.Pin, query.Bury = rule.PinnedIDs, rule.BuriedIDs
	}
}
