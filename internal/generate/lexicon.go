package generate

import (
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
)

// slots is the size of the table of skewed; a power of two, so that drawing needs only a mask.
const slots = 1024

// skewed draws indexes 0 to n-1 by Zipf's law, the first ones most often.
type skewed [slots]uint16

func newSkewed(n int) *skewed {
	// Weights are integers in 1/2^20, so that every processor yields the same table.
	total := 0
	for i := range n {
		total += 1 << 20 / (i + 2)
	}
	var table skewed
	filled, sum := 0, 0
	for i := range n {
		sum += 1 << 20 / (i + 2)
		for ; filled < sum*slots/total; filled++ {
			table[filled] = uint16(i)
		}
	}
	return &table
}

func (s *skewed) draw(rng *rand.Rand) int { return int(s[rng.Uint64()%slots]) }

// words are a list whose first elements are drawn most often.
type words struct {
	list   []string
	skewed *skewed
}

func newWords(list []string) words { return words{list: list, skewed: newSkewed(len(list))} }

func (w words) draw(rng *rand.Rand) string { return w.list[w.skewed.draw(rng)] }

// lexicon is the vocabulary of one language for one area.
type lexicon struct {
	nouns      words
	plurals    []string // of nouns.list, in the same order
	adjectives words    // only in English
}

// locale is a language with everything needed to write it.
type locale struct {
	language  catalogue.Language
	lexicons  []*lexicon // by area
	people    words
	titles    []template
	sentences []template
	speech    []template
	// name and term append the coined name or term with a number below 2^18; gap separates sentences.
	name, term func([]byte, uint32) []byte
	gap        string
}

// locales contains the languages, English first.
var locales = sync.OnceValue(func() []*locale {
	return []*locale{
		englishLocale(),
		foreignLocale("spa", &spanish, spanishPlural),
		foreignLocale("fra", &french, frenchPlural),
		foreignLocale("deu", &german, unchanged),
		foreignLocale("zho", &chinese, unchanged),
	}
})

func englishLocale() *locale {
	t := newLocale("eng", &foreignWords{people: people, titles: englishTitles, sentences: englishSentences, speech: englishSpeech})
	for i := range areas {
		nouns := strings.Fields(areas[i].nouns)
		t.lexicons = append(t.lexicons, &lexicon{
			nouns: newWords(nouns), plurals: mapped(nouns, plural),
			adjectives: newWords(strings.Fields(areas[i].adjectives)),
		})
	}
	return t
}

// newLocale returns a language without lexicons.
func newLocale(language catalogue.Language, from *foreignWords) *locale {
	return &locale{
		language: language, people: newWords(strings.Fields(from.people)), gap: " ",
		titles: parseTemplates(from.titles), sentences: parseTemplates(from.sentences),
		speech: parseTemplates(from.speech), name: appendLatinName, term: appendLatinTerm,
	}
}

func foreignLocale(language catalogue.Language, from *foreignWords, plural func(string) string) *locale {
	t := newLocale(language, from)
	if language == "zho" {
		t.gap, t.name, t.term = "", appendHanName, appendHanName
	}
	byDiscipline := map[string]*lexicon{}
	for i, discipline := range disciplineNames {
		nouns := strings.Fields(from.nouns[i])
		byDiscipline[discipline[0]] = &lexicon{
			nouns: newWords(nouns), plurals: mapped(nouns, plural),
		}
	}
	for i := range areas {
		t.lexicons = append(t.lexicons, byDiscipline[areas[i].discipline])
	}
	return t
}

func mapped(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

func unchanged(word string) string { return word }

func spanishPlural(word string) string {
	switch last := word[len(word)-1]; {
	case strings.HasSuffix(word, "ón"):
		return strings.TrimSuffix(word, "ón") + "ones"
	case strings.HasSuffix(word, "án"):
		return strings.TrimSuffix(word, "án") + "anes"
	case strings.IndexByte("aeiou", last) >= 0:
		return word + "s"
	}
	return word + "es"
}

func frenchPlural(word string) string {
	switch {
	case strings.HasSuffix(word, "s"), strings.HasSuffix(word, "x"):
		return word
	case strings.HasSuffix(word, "al"):
		return strings.TrimSuffix(word, "al") + "aux"
	case strings.HasSuffix(word, "eau"):
		return word + "x"
	}
	return word + "s"
}

// plural returns the plural of an English noun, and the noun itself if it has none.
func plural(word string) string {
	if irregular, found := exceptions()[word]; found {
		return irregular
	}
	switch {
	case strings.HasSuffix(word, "ics"):
		return word
	case strings.HasSuffix(word, "sis"):
		return strings.TrimSuffix(word, "is") + "es"
	case strings.HasSuffix(word, "s"), strings.HasSuffix(word, "x"), strings.HasSuffix(word, "ch"), strings.HasSuffix(word, "sh"):
		return word + "es"
	case strings.HasSuffix(word, "y") && strings.IndexByte("aeiou", word[len(word)-2]) < 0:
		return strings.TrimSuffix(word, "y") + "ies"
	}
	return word + "s"
}

// exceptions are the irregular plurals, and the nouns without a plural.
var exceptions = sync.OnceValue(func() map[string]string {
	list := map[string]string{}
	for pair := range strings.FieldsSeq(irregularPlurals) {
		singular, plural, _ := strings.Cut(pair, ":")
		list[singular] = plural
	}
	for noun := range strings.FieldsSeq(withoutPlural) {
		list[noun] = noun
	}
	return list
})

// tailSize is the number of coined terms, and of coined names.
const tailSize = 1 << 18

// drawTail draws a number below tailSize, k with a probability proportional to 1/k.
func drawTail(rng *rand.Rand) uint32 {
	bits := rng.Uint64()
	octave := uint32(1) << (bits % 18)
	return octave + uint32(bits>>32)%octave
}

// scatter permutes the numbers below tailSize, so that neighbors in frequency look different.
func scatter(k uint32) uint32 { return k * 0x2545F491 % tailSize }

var coined = sync.OnceValue(func() (c struct{ prefixes, roots, suffixes, starts, middles, ends []string }) {
	c.prefixes, c.roots, c.suffixes = strings.Fields(tailPrefixes), strings.Fields(tailRoots), strings.Fields(tailSuffixes)
	c.starts, c.middles, c.ends = strings.Fields(nameStarts), strings.Fields(nameMiddles), strings.Fields(nameEnds)
	return c
})

func appendLatinTerm(b []byte, k uint32) []byte {
	k, c := scatter(k), coined()
	b = append(b, c.prefixes[k%64]...)
	b = append(b, c.roots[k/64%128]...)
	return append(b, c.suffixes[k/(64*128)]...)
}

func appendLatinName(b []byte, k uint32) []byte {
	k, c := scatter(k), coined()
	b = append(b, c.starts[k%64]...)
	b = append(b, c.middles[k/64%64]...)
	return append(b, c.ends[k/(64*64)]...)
}

func appendHanName(b []byte, k uint32) []byte {
	k = scatter(k)
	for range 3 {
		at := k % 64 * 3 // each character has three bytes
		b = append(b, hanSyllables[at:at+3]...)
		k /= 64
	}
	return b
}
