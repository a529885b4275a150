package generate

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Query is one search of a log: the text that a client typed, and the filters.
type Query struct {
	// Text is as typed, including quotes; "" if blank.
	Text   string
	Filter search.Filter
	// Video is the video that the text was drawn from, whether searches find it or not; "" for a blank text and for
	// names of subjects and channels.
	Video catalogue.ID
}

// queryShares are the percentages of the kinds of texts: words of a title, a whole title, a quoted phrase, words with a
// typo, a sentence, a keyword, the name of a subject or channel, none.
var queryShares = []int{30, 10, 10, 12, 10, 8, 5, 15}

// Queries returns a log of n searches of the catalogue that the options select, the same for the same arguments. A
// third of the searches with a text have filters, and nearly all of those without one.
func Queries(seed uint64, n int, options Options) []Query {
	options.TranscriptWords = 0
	g := newGenerator(options)
	rng := rand.New(rand.NewPCG(seed, 1<<62))
	queries := make([]Query, 0, n)
	for len(queries) < n {
		query := Query{}
		kind := pick(rng, queryShares...)
		if options.Videos == 0 {
			kind = len(queryShares) - 1
		}
		if kind < len(queryShares)-1 {
			v := g.video(rng.IntN(options.Videos))
			query.Text, query.Video = g.ask(rng, kind, v), v.ID
			if kind == nameQuery {
				query.Video = ""
			}
		}
		if query.Text == "" {
			query.Filter = g.filter(rng, pick(rng, 5, 55, 40))
		} else {
			query.Filter = g.filter(rng, pick(rng, 67, 23, 10))
		}
		queries = append(queries, query)
	}
	return queries
}

// The indexes into queryShares.
const (
	titleWordsQuery = iota
	titleQuery
	phraseQuery
	typoQuery
	sentenceQuery
	keywordQuery
	nameQuery
)

// ask draws a text of a kind from a video.
func (g *generator) ask(rng *rand.Rand, kind int, v *catalogue.Video) string {
	words := strings.Fields(strings.ToLower(v.Title))
	switch kind {
	case titleWordsQuery:
		return someWords(rng, words, 1+rng.IntN(3))
	case phraseQuery:
		length := min(len(words), 2+rng.IntN(2))
		start := rng.IntN(len(words) - length + 1)
		phrase := `"` + strings.Join(words[start:start+length], " ") + `"`
		if rng.IntN(3) == 0 {
			phrase += " " + words[rng.IntN(len(words))]
		}
		return phrase
	case typoQuery:
		return Misspell(rng, someWords(rng, words, 1+rng.IntN(3)))
	case sentenceQuery:
		return Question(rng, v.Description)
	case keywordQuery:
		if len(v.Keywords) > 0 {
			return v.Keywords[rng.IntN(len(v.Keywords))]
		}
	case nameQuery:
		if rng.IntN(3) == 0 {
			return g.drawChannel(rng).item.Name
		}
		return strings.ToLower(areas[g.areaOrder.draw(rng)].name)
	}
	return v.Title
}

// someWords draws n of the words, in order, preferring those of at least four letters.
func someWords(rng *rand.Rand, words []string, n int) string {
	long := make([]string, 0, len(words))
	for _, word := range words {
		if utf8.RuneCountInString(word) >= 4 {
			long = append(long, strings.Trim(word, ",.:?"))
		}
	}
	if len(long) == 0 {
		long = words
	}
	for len(long) > n {
		drop := rng.IntN(len(long))
		long = append(long[:drop:drop], long[drop+1:]...)
	}
	return strings.Join(long, " ")
}

// Misspell makes one typing error (a letter omitted, doubled, swapped with the next, or replaced) in a word of at least
// five letters, if the text has one, after its first letter, where people rarely err.
func Misspell(rng *rand.Rand, text string) string {
	words := strings.Fields(text)
	var long []int
	for i, word := range words {
		if utf8.RuneCountInString(word) >= 5 {
			long = append(long, i)
		}
	}
	if len(long) == 0 {
		return text
	}
	at := long[rng.IntN(len(long))]
	words[at] = misspellWord(rng, []rune(words[at]))
	return strings.Join(words, " ")
}

func misspellWord(rng *rand.Rand, letters []rune) string {
	before := string(letters)
	for {
		after := append([]rune{}, letters...)
		at := 1 + rng.IntN(len(letters)-2)
		switch rng.IntN(4) {
		case 0:
			after = append(after[:at], after[at+1:]...)
		case 1:
			after = append(after[:at+1], letters[at:]...)
		case 2:
			after[at], after[at+1] = after[at+1], after[at]
		case 3:
			after[at] = rune('a' + rng.IntN(26))
		}
		if word := string(after); word != before {
			return word
		}
	}
}

// Question draws 10 to 30 consecutive words from a text (all words of a shorter one) and omits one in five, as people
// do when they describe what they look for.
func Question(rng *rand.Rand, text string) string {
	words := strings.Fields(text)
	length := min(len(words), 12+rng.IntN(24))
	start := rng.IntN(len(words) - length + 1)
	kept := make([]string, 0, length)
	for i, word := range words[start : start+length] {
		if dropped := rng.IntN(5) == 0; !dropped || length-i+len(kept) <= 10 {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept[:min(len(kept), 30)], " ")
}

// filter draws n different restrictions, those that clients use most often first.
func (g *generator) filter(rng *rand.Rand, n int) (f search.Filter) {
	for range n {
		switch pick(rng, 22, 18, 12, 10, 8, 7, 6, 5, 4, 3, 2, 2, 2, 2, 2, 2, 2, 1) {
		case 0:
			f.Subjects = g.oneOrTwo(rng, g.subjects)
		case 1:
			f.Types = []catalogue.VideoType{videoTypes[pick(rng, typeShares...)]}
		case 2:
			buckets := catalogue.DefaultDurationBuckets()
			f.Durations = []catalogue.DurationRange{buckets[rng.IntN(len(buckets))]}
		case 3:
			buckets := catalogue.DefaultAgeBuckets()
			f.Ages = []catalogue.AgeBracket{buckets[rng.IntN(len(buckets))]}
		case 4:
			f.Channels = []catalogue.ID{g.drawChannel(rng).item.ID}
		case 5:
			f.Languages = []catalogue.Language{locales()[pick(rng, 4, 2, 2, 1, 1)].language}
		case 6:
			f.EducationLevels = []string{educationLevels[rng.IntN(len(educationLevels))][0]}
		case 7:
			f.ReleasedFrom = new(Epoch - catalogue.Date(rng.IntN(10*365)))
		case 8:
			f.Subtypes = []catalogue.Subtype{catalogue.Subtypes()[rng.IntN(len(catalogue.Subtypes()))]}
		case 9:
			f.Topics = g.oneOrTwo(rng, g.topics[g.areaOrder.draw(rng)])
		case 10:
			f.CEFR = []catalogue.CEFRLevel{catalogue.CEFRLevels()[rng.IntN(6)]}
		case 11:
			f.Tags = []catalogue.ID{g.tags[g.tagOrder.draw(rng)]}
		case 12:
			f.ResourceTypes = []catalogue.AttachmentType{catalogue.AttachmentTypes()[pick(rng, 6, 3, 1)]}
		case 13:
			code, _, _ := strings.Cut(areas[g.areaOrder.draw(rng)].thema, " ")
			f.Categories = []string{code[:1+rng.IntN(len(code))]}
		case 14:
			f.AgeMin, f.AgeMax = new(3+rng.IntN(8)), new(12+rng.IntN(7))
		case 15:
			f.Promoted = new(true)
		case 16:
			f.YouTube = new(rng.IntN(4) == 0)
		case 17:
			f.ReleasedTo, f.SubjectsSetManually = new(Epoch-catalogue.Date(rng.IntN(15*365))), new(true)
		}
	}
	if f.ReleasedFrom != nil && f.ReleasedTo != nil && *f.ReleasedFrom > *f.ReleasedTo {
		f.ReleasedFrom, f.ReleasedTo = f.ReleasedTo, f.ReleasedFrom
	}
	return f
}

// oneOrTwo draws one or two of the ids.
func (g *generator) oneOrTwo(rng *rand.Rand, ids []catalogue.ID) []catalogue.ID {
	first := rng.IntN(len(ids))
	if rng.IntN(3) > 0 {
		return []catalogue.ID{ids[first]}
	}
	return []catalogue.ID{ids[first], ids[(first+1)%len(ids)]}
}
