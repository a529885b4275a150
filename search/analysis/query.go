package analysis

import (
	"slices"
	"strings"
)

// Query returns the distinct words of a query in order, at most MaxQueryWords. It omits English stop words, unless the
// query contains only stop words. Every text that contains the same words matches all of them, in any language.
func (a *Analyzer) Query(words string) []Word { return a.QueryWithSynonyms(words, nil) }

// QueryWithSynonyms is Query with the groups of synonyms that Thesaurus.SynonymGroups returns. The longest variant of a
// group, or of the Analyzer's own synonyms, that begins at a word of the query becomes one Word. A document matches
// that Word if it contains any variant of the group: the stem of a one-word variant, or the words of a longer variant
// as written.
func (a *Analyzer) QueryWithSynonyms(words string, synonymGroups [][]string) []Word {
	units := a.units(words)
	q := querySet{analyzer: a, thesaurus: &Thesaurus{analyzer: a}, seen: map[string]int{}}
	if len(synonymGroups) > 0 {
		q.thesaurus = a.thesaurus(synonymGroups)
	}
	q.addAll(units, false)
	if len(q.words) == 0 {
		q.addAll(units, true)
	}
	return q.words
}

// unit is one word or CJK character of a query.
type unit struct {
	exact   string
	whole   string // of the compound that contains it
	country bool
	run     int // the number of its CJK run; 0: none
}

// units divides a query into units.
func (a *Analyzer) units(words string) []unit {
	var (
		units []unit
		run   compoundRun
		runs  int
	)
	first := 0 // the index of the compound's first unit
	endCompound := func() {
		if whole := run.end(); whole != nil {
			for i := first; i < len(units); i++ {
				units[i].whole = string(whole)
			}
		}
	}
	s := scanner{text: words}
	for s.next() {
		if s.cjk {
			endCompound()
			runs++
			for _, r := range foldCJK(s.piece()) {
				units = append(units, unit{exact: string(r), run: runs})
			}
			continue
		}
		e := a.word(unstemmed, &s)
		if e.exact == "" {
			endCompound()
			continue
		}
		if s.emoji {
			endCompound()
			units = append(units, unit{exact: e.exact})
			continue
		}
		joins := run.parts > 0 && (s.gap == compound || s.gap == blank && run.invites(e))
		if !joins {
			endCompound()
			run.start(0)
			first = len(units)
		}
		run.add(e)
		units = append(units, unit{exact: e.exact, country: isCountry(s.piece())})
	}
	endCompound()
	return units
}

// querySet collects distinct words.
type querySet struct {
	analyzer  *Analyzer
	thesaurus *Thesaurus
	words     []Word
	seen      map[string]int // the index in words, by key
}

// addAll adds the words of the units. The longest variant of a synonym that starts at a unit replaces all its words.
func (q *querySet) addAll(units []unit, stopWords bool) {
	for i := 0; i < len(units); {
		if n := q.addSynonym(units[i:]); n > 0 {
			i += n
			continue
		}
		u := units[i]
		switch {
		case u.run != 0:
			q.addCharacter(units, i)
		case stopWords || !isStopWord[u.exact]:
			q.add(u.exact, Word{Exact: u.exact, Stems: q.stemsOf(u)})
		}
		i++
	}
}

// addSynonym adds the synonym group of the longest variant that the units start with. It returns the number of words of
// the variant, or 0 if there is none.
func (q *querySet) addSynonym(units []unit) int {
	f := q.thesaurus.longest(units)
	switch {
	case f.group != nil:
		var typed []string
		if f.words == 1 && units[0].whole != "" {
			typed = q.stemsOf(units[0])
		}
		q.add(canonicalMark+"\x00"+f.group.variants[0], f.group.word(q.analyzer, typed))
	case f.words > 0:
		q.add(f.canonical, Word{Stems: []string{f.canonical}})
	}
	return f.words
}

// addCharacter adds the bigram of a CJK character and the next one. A run of one character has no bigram, and
// addCharacter adds the character itself.
func (q *querySet) addCharacter(units []unit, i int) {
	c := units[i]
	switch {
	case i+1 < len(units) && units[i+1].run == c.run:
		bigram := c.exact + units[i+1].exact
		q.add(bigram, Word{Stems: []string{bigram}})
	case i == 0 || units[i-1].run != c.run:
		q.add(c.exact, Word{Exact: c.exact, Stems: []string{c.exact}})
	}
}

func (q *querySet) add(key string, word Word) {
	if at, seen := q.seen[key]; seen {
		q.words[at].Count++
	} else if len(q.words) < MaxQueryWords {
		q.seen[key] = len(q.words)
		word.Count = 1
		q.words = append(q.words, word)
	}
}

// stemsOf returns the stems of a word. For a part of a compound, it includes the stems of the whole, so that x-ray
// finds xray.
func (q *querySet) stemsOf(u unit) []string {
	stems := q.analyzer.stemsOf(u.exact)
	if u.whole == "" {
		return stems
	}
	return distinct(slices.Concat(stems, q.analyzer.stemsOf(u.whole)))
}

// isStopWord contains the words of a question that say nothing about its subject.
var isStopWord = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
		a about an and are as at be been but by can could did do does for from had has have how i if
		in into is it its me my of on or our should so such than that the their them then there these
		they this those to was we were what when where which who whom whose why will with would you
		your`) {
		set[word] = true
	}
	return set
}()
