package analysis

import (
	"slices"
	"strings"
)

// Thesaurus is a set of groups of words with the same meaning, merged with the synonyms of an Analyzer: groups that
// share a variant, with each other or with one of the Analyzer's groups, are one group. A Thesaurus applies to queries
// only, so that an index does not change with it. It is immutable and may be used concurrently.
type Thesaurus struct {
	analyzer    *Analyzer
	byFirst     map[string][]groupVariant // by the first word
	byCanonical map[string]*group         // by the token of the Analyzer's group that it is merged with
}

// group is a group of variants with the same meaning.
type group struct {
	variants   []string // folded; words are separated by spaces
	canonicals []string
}

type groupVariant struct {
	words []string
	group *group
}

// Thesaurus returns a Thesaurus of groups of variants. Variants are folded like texts, except that US (in capitals) is
// the country. Variants without a letter, digit or emoji are omitted.
func (a *Analyzer) Thesaurus(groups [][]string) *Thesaurus {
	folded := make([][]string, len(groups))
	for i, variants := range groups {
		for _, variant := range variants {
			text := countryWord
			if !isCountry(strings.TrimSpace(variant)) {
				text = a.Fold(variant)
			}
			if text != "" {
				folded[i] = append(folded[i], text)
			}
		}
	}
	return a.thesaurus(folded)
}

// thesaurus returns a Thesaurus of groups of folded variants.
func (a *Analyzer) thesaurus(groups [][]string) *Thesaurus {
	t := &Thesaurus{analyzer: a, byFirst: map[string][]groupVariant{}, byCanonical: map[string]*group{}}
	byVariant := map[string]*group{}
	moved := map[*group]*group{} // groups that were merged into others
	last := func(g *group) *group {
		for moved[g] != nil {
			g = moved[g]
		}
		return g
	}
	for _, variants := range groups {
		into := &group{}
		join := func(other *group) {
			if other = last(other); other != into {
				moved[into], into = other, other.with(into)
			}
		}
		for _, variant := range variants {
			if known := byVariant[variant]; known != nil {
				join(known)
				continue
			}
			byVariant[variant] = into
			into.variants = append(into.variants, variant)
			canonical := a.synonyms.canonicalOf(strings.Fields(variant))
			switch known := t.byCanonical[canonical]; {
			case canonical == "":
			case known != nil:
				join(known)
			default:
				t.byCanonical[canonical] = into
				into.canonicals = append(into.canonicals, canonical)
			}
		}
	}
	for canonical, g := range t.byCanonical {
		t.byCanonical[canonical] = last(g)
	}
	for variant, g := range byVariant {
		words := strings.Fields(variant)
		t.byFirst[words[0]] = append(t.byFirst[words[0]], groupVariant{words, last(g)})
	}
	return t
}

// with adds the variants of another group to g and returns g.
func (g *group) with(other *group) *group {
	g.variants = append(g.variants, other.variants...)
	g.canonicals = append(g.canonicals, other.canonicals...)
	return g
}

// SynonymGroups returns the groups that the query contains a variant of, for Analyzer.QueryWithSynonyms. Each group is
// a list of folded variants. The groups are in the order of the query, each once. The result is nil if there is no such
// group.
func (t *Thesaurus) SynonymGroups(words string) [][]string {
	var met []*group
	var synonymGroups [][]string
	units := t.analyzer.units(words)
	for i := 0; i < len(units); {
		found := t.longest(units[i:])
		if found.group != nil && !slices.Contains(met, found.group) {
			met = append(met, found.group)
			synonymGroups = append(synonymGroups, found.group.variants)
		}
		i += max(1, found.words)
	}
	return synonymGroups
}

// found is the longest variant at a place of a query: its number of words and its group in the Thesaurus, or otherwise
// the canonical token of its group in the Analyzer.
type found struct {
	words     int
	group     *group
	canonical string
}

// longest returns the longest variant that the units start with. If there is none, words is 0.
func (t *Thesaurus) longest(units []unit) (f found) {
	if v := t.analyzer.synonyms.longest(units); v != nil {
		f = found{words: len(v.words), canonical: v.canonical, group: t.byCanonical[v.canonical]}
	}
	for _, v := range t.byFirst[units[0].exact] {
		if (len(v.words) > f.words || len(v.words) == f.words && f.group == nil) && startsWith(units[1:], v.words[1:]) {
			f = found{words: len(v.words), group: v.group}
		}
	}
	return f
}

// word returns the query word that represents the group. In addition to the variants, it contains typed, the stems of
// the text as typed.
func (g *group) word(a *Analyzer, typed []string) Word {
	w := Word{Stems: slices.Concat(g.canonicals, typed)}
	for _, variant := range g.variants {
		switch words := strings.Fields(variant); {
		case a.synonyms.canonicalOf(words) != "":
		case len(words) == 1:
			w.Stems = append(w.Stems, a.stemsOf(words[0])...)
		default:
			w.Phrases = append(w.Phrases, words)
		}
	}
	w.Stems = distinct(w.Stems)
	return w
}

// canonicalOf returns the token of the group that contains these words as a variant, or "" if no group does.
func (t *synonymTable) canonicalOf(words []string) string {
	for _, v := range t.byFirst[words[0]] {
		if slices.Equal(v.words, words) {
			return v.canonical
		}
	}
	return ""
}
