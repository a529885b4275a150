package analysis

import (
	"slices"
	"strings"
)

// Thesaurus is groups of words that mean the same, joined with the synonyms of an Analyzer: groups that share a
// variant, with each other or with one of these, are one. It acts on queries, so that it costs an index
// nothing to change it. It never changes and may be used concurrently.
type Thesaurus struct {
	analyzer    *Analyzer
	byFirst     map[string][]groupVariant // by the first word
	byCanonical map[string]*group         // by the token of the Analyzer's group that it is joined with
}

// group is what means the same.
type group struct {
	variants   []string // folded, a blank between their words
	canonicals []string
}

type groupVariant struct {
	words []string
	group *group
}

// Thesaurus makes one of groups of variants. Variants are folded as texts are, but that US is the country;
// what has no letter or digit is left out.
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

// thesaurus makes one of groups of variants that are folded.
func (a *Analyzer) thesaurus(groups [][]string) *Thesaurus {
	t := &Thesaurus{analyzer: a, byFirst: map[string][]groupVariant{}, byCanonical: map[string]*group{}}
	byVariant := map[string]*group{}
	moved := map[*group]*group{} // groups that have become part of others
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

// with adds another group's variants to a group.
func (g *group) with(other *group) *group {
	g.variants = append(g.variants, other.variants...)
	g.canonicals = append(g.canonicals, other.canonicals...)
	return g
}

// SynonymGroups returns the groups that have a variant in the query, for Analyzer.QueryWithSynonyms: each is a list of
// folded variants, in the order of the query; nil: there is no such group.
func (t *Thesaurus) SynonymGroups(words string) [][]string {
	var met []*group
	var alike [][]string
	units := t.analyzer.units(words)
	for i := 0; i < len(units); {
		found := t.longest(units[i:])
		if found.group != nil && !slices.Contains(met, found.group) {
			met = append(met, found.group)
			alike = append(alike, found.group.variants)
		}
		i += max(1, found.words)
	}
	return alike
}

// found is what a query holds at a place: so many words that a group of the Thesaurus, or else one of the
// Analyzer, has as a variant.
type found struct {
	words     int
	group     *group
	canonical string
}

// longest returns the longest variant that the units start with; without one words is 0.
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

// word is the word of a query that stands for a group. Beside its variants it holds the stems of what was
// typed.
func (g *group) word(a *Analyzer, typed []string) Word {
	w := Word{Stems: slices.Clone(g.canonicals)}
	add := func(stems []string) {
		for _, stem := range stems {
			if !slices.Contains(w.Stems, stem) {
				w.Stems = append(w.Stems, stem)
			}
		}
	}
	add(typed)
	for _, variant := range g.variants {
		switch words := strings.Fields(variant); {
		case a.synonyms.canonicalOf(words) != "":
		case len(words) == 1:
			add(a.stemsOf(words[0]))
		default:
			w.Phrases = append(w.Phrases, words)
		}
	}
	return w
}

// canonicalOf returns the token of the group that has these words as a variant, "" where none has.
func (t *synonymTable) canonicalOf(words []string) string {
	for _, v := range t.byFirst[words[0]] {
		if slices.Equal(v.words, words) {
			return v.canonical
		}
	}
	return ""
}
