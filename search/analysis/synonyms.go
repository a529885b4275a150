package analysis

import (
	"bufio"
	"errors"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/fault"
)

// Synonyms is a list of groups of words with the same meaning. The zero value has no groups besides the built-in ones.
type Synonyms struct {
	groups [][]string
}

// The limits of a synonyms file.
const (
	// MaxVariantWords is the greatest number of words in one variant.
	MaxVariantWords = 8
	maxSynonymLine  = 64 << 10
)

// ParseSynonyms reads an operator's synonyms file in UTF-8. Each line is one group of two or more variants, separated
// by commas. A variant has one to MaxVariantWords words and is folded like a text. A line is at most 64 KiB long.
// ParseSynonyms skips blank lines and lines that start with #. Groups that share a variant with each other or with a
// built-in group become one group when New merges them. For an invalid file, the error is a *fault.Error of code
// Invalid that names the line and the value. Other errors are those of r.
func ParseSynonyms(r io.Reader) (Synonyms, error) {
	var parsed Synonyms
	plain := New(Synonyms{})
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxSynonymLine)
	number := 1
	for ; lines.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		group, problem := parseGroup(plain, line)
		if problem != "" {
			return Synonyms{}, synonymError(number, problem)
		}
		parsed.groups = append(parsed.groups, group)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return Synonyms{}, synonymError(number, "the line is longer than 64 KiB")
	case err != nil:
		return Synonyms{}, err
	}
	return parsed, nil
}

func synonymError(line int, problem string) error {
	return fault.InvalidRequest("synonyms, line %d: %s", line, problem)
}

// parseGroup parses one line. problem is "" if the line is well formed.
func parseGroup(plain *Analyzer, line string) (group []string, problem string) {
	if !utf8.ValidString(line) {
		return nil, quoted(line) + " is not UTF-8"
	}
	for variant := range strings.SplitSeq(line, ",") {
		words := plain.Phrase(variant)
		folded := strings.Join(words, " ")
		switch {
		case len(words) == 0:
			return nil, quoted(variant) + " has no letter or digit"
		case len(words) > MaxVariantWords:
			return nil, quoted(variant) + " has more than 8 words"
		case !slices.Contains(group, folded):
			group = append(group, folded)
		}
	}
	if len(group) < 2 {
		return nil, quoted(line) + " names one variant only: expected two or more, separated by commas"
	}
	return group, ""
}

func quoted(value string) string {
	value = strings.ToValidUTF8(value, "\ufffd")
	if len(value) > 80 {
		value = cut(value, 80) + "…"
	}
	return `"` + strings.TrimSpace(value) + `"`
}

// countryWord is the key of the country US, which must be in capitals.
const countryWord = "US"

func isCountry(piece string) bool { return piece == "US" || piece == "U.S" }

// builtInGroups returns the synonym groups of every catalogue.
func builtInGroups() [][]string {
	return [][]string{
		{"ww2", "wwii", "ww 2", "ww ii", "world war 2", "world war ii", "world war two", "second world war"},
		{"usa", "united states", "united states of america", countryWord},
		{"math", "maths", "mathematics"},
	}
}

// mergeGroups merges groups that share a variant, in the order of their first variants.
func mergeGroups(lists ...[][]string) [][]string {
	var merged [][]string
	for _, group := range slices.Concat(lists...) {
		joined := slices.Clone(group)
		place := len(merged)
		kept := merged[:0:0]
		for i, other := range merged {
			if !slices.ContainsFunc(other, func(v string) bool { return slices.Contains(group, v) }) {
				kept = append(kept, other)
				continue
			}
			if place == len(merged) {
				place = i
			}
			joined = append(slices.Clone(other), joined...)
		}
		place = min(place, len(kept))
		merged = slices.Insert(kept, place, distinct(joined))
	}
	return merged
}

func distinct(list []string) []string {
	var kept []string
	for _, value := range list {
		if !slices.Contains(kept, value) {
			kept = append(kept, value)
		}
	}
	return kept
}

// variant is one member of a synonym group.
type variant struct {
	words     []string
	canonical string // the group's token
}

type synonymTable struct {
	byFirst map[string][]*variant // by the first word
}

func newSynonymTable(groups [][]string) *synonymTable {
	t := &synonymTable{byFirst: map[string][]*variant{}}
	for _, group := range groups {
		for _, text := range group {
			words := strings.Fields(text)
			t.byFirst[words[0]] = append(t.byFirst[words[0]], &variant{words: words, canonical: canonicalMark + group[0]})
		}
	}
	return t
}

// longest returns the longest variant that the units start with, or nil if there is none.
func (t *synonymTable) longest(units []unit) *variant {
	var found *variant
	consider := func(first string) {
		for _, v := range t.byFirst[first] {
			if (found == nil || len(v.words) > len(found.words)) && startsWith(units[1:], v.words[1:]) {
				found = v
			}
		}
	}
	consider(units[0].exact)
	if units[0].country {
		consider(countryWord)
	}
	return found
}

func startsWith(units []unit, words []string) bool {
	if len(units) < len(words) {
		return false
	}
	for i, word := range words {
		if units[i].exact != word {
			return false
		}
	}
	return true
}

// analysisVersion is incremented with every change of the tokens that texts produce.
const analysisVersion = "2"

func fingerprintOf(groups [][]string) uint64 {
	hash := fnv.New64a()
	hash.Write([]byte(analysisVersion))
	for _, group := range groups {
		hash.Write([]byte("\x00" + strings.Join(group, "\x01")))
	}
	return hash.Sum64()
}
