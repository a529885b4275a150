package typesense

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// document is a video as Typesense stores it. Every string is made of encoded tokens, except the fields that are stored
// only.
type document struct {
	ID      string `json:"id"` // encodeID
	Version int64  `json:"version"`
	// Order sorts a list without a text, in descending order: by the day of release, then by the sequence.
	Order    int64 `json:"order"`
	Updated  int64 `json:"updated"` // microseconds of Unix time
	Released int32 `json:"released"`
	Duration int64 `json:"duration"`

	// AgeMin and AgeMax are the video's own bounds. An unknown bound is unknownMin or unknownMax, which no strict
	// filter matches.
	AgeMin int32 `json:"age_min"`
	AgeMax int32 `json:"age_max"`
	// Ages is AgeRange.Ages as one number (agesNumber), or unknownAges.
	Ages int32 `json:"ages"`

	Subjects      []string `json:"subjects,omitempty"`
	Tags          []string `json:"tags,omitempty"`
	Topics        []string `json:"topics,omitempty"`
	Channel       string   `json:"channel,omitempty"`
	Type          string   `json:"type,omitempty"`
	Language      string   `json:"language,omitempty"`
	Levels        []string `json:"levels,omitempty"`
	CEFR          string   `json:"cefr,omitempty"`
	Subtypes      []string `json:"subtypes,omitempty"`
	ResourceTypes []string `json:"resource_types,omitempty"`
	// Categories are the codes and all their ancestors.
	Categories []string `json:"categories,omitempty"`
	Manual     bool     `json:"manual"`
	Promoted   bool     `json:"promoted"`
	YouTube    bool     `json:"youtube"`
	// Traits decide who sees the video, and until when (traitsOf).
	Traits []string `json:"traits"`

	// DurationBuckets and AgeBuckets are the default buckets that contain the video (bucketToken).
	DurationBuckets []string `json:"duration_buckets,omitempty"`
	AgeBuckets      []string `json:"age_buckets,omitempty"`

	// The following fields are lists of distinct tokens, separated by spaces (tokenSet.joined).
	//
	// Terms are the tokens that a text can search for. They share one field, so that a text takes one operand of a
	// filter:
	//   - the stems of all texts (encode);
	//   - each exact word (wordToken) and each pair of adjacent words (pairToken) of the texts that phrases search;
	//   - the exact words that occur in names only (nameToken).
	Terms string `json:"terms,omitempty"`
	// Grams are the folded substrings of one to three characters of the title and the keywords (encode).
	Grams string `json:"grams,omitempty"`

	// Every is everyDocument. The token has a field of its own: in one of the texts, it would make that text the best
	// match.
	Every string `json:"every"`
	// The texts contain the stems of each text in their order, for ranking.
	TitleText       string `json:"title_text,omitempty"`
	KeywordText     string `json:"keyword_text,omitempty"`
	SubjectText     string `json:"subject_text,omitempty"`
	ChannelText     string `json:"channel_text,omitempty"`
	DescriptionText string `json:"description_text,omitempty"`
	TranscriptText  string `json:"transcript_text,omitempty"`

	// Spelled and Folded are the title and the keywords as suggestions: the spellingToken of each as written, and of
	// each as folded.
	Spelled []string `json:"phrase_spelled,omitempty"`
	Folded  []string `json:"phrase_folded,omitempty"`

	// The following fields are stored only. Spellings are the texts of Spelled, in the same order (storedText). Title
	// is the folded title. Sequences are the texts that phrases search: each lists its positions, separated by spaces,
	// and sequenceSeparator separates the words of one position.
	Spellings []string `json:"spellings,omitempty"`
	Title     string   `json:"title,omitempty"`
	Sequences []string `json:"sequences,omitempty"`

	vectors
}

const (
	unknownMin = math.MinInt32 + 1
	unknownMax = math.MaxInt32

	sequenceSeparator = "|"
)

// The layout of document.Order: the sequence takes the lowest orderShift bits, and the day of release plus orderDays
// the bits above them.
const (
	orderShift = 41
	orderDays  = 1 << 20
)

// pairToken returns the token of two exact words at adjacent positions. The token is short: a text has as many pairs as
// words, and the server reads whole documents.
func pairToken(first, second string) string { return "p" + digest(first+" "+second, 8) }

// wordToken returns the token of an exact word of a text that phrases search, and nameToken that of an exact word of a
// name. The tokens of stems, words and names are disjoint.
func wordToken(exact string) string { return "w" + encode(exact) }
func nameToken(exact string) string { return "n" + encode(exact) }

// storedText encodes a text so that JSON returns it byte by byte, even if it is invalid UTF-8. readStoredText decodes
// it.
func storedText(text string) string {
	if utf8.ValidString(text) {
		return "0" + text
	}
	return encodeID(catalogue.ID(text))
}

// newDocument returns the document of a video and adds the words that the vocabulary lacks to learned. It returns an
// error if a number exceeds the range of its field, because Typesense truncates such a number silently.
func newDocument(d *search.Document, analyzer *analysis.Analyzer, learned *words) (*document, error) {
	if err := checkRanges(d); err != nil {
		return nil, err
	}
	made := &document{
		ID:       encodeID(d.ID),
		Version:  d.Version,
		Order:    (int64(d.ReleasedOn)+orderDays)<<orderShift | d.Sequence,
		Updated:  d.UpdatedAt.UnixMicro(),
		Released: int32(d.ReleasedOn),
		Duration: int64(d.Duration),
		Manual:   d.SubjectsSetManually,
		Promoted: d.Promoted,
		YouTube:  d.YouTube,

		Subjects:      encodeAll(d.Subjects),
		Tags:          encodeAll(d.Tags),
		Topics:        encodeAll(d.Topics),
		Channel:       encodeOne(d.Channel),
		Type:          encodeOne(d.Type),
		Language:      encodeOne(d.Language.OrUndetermined()),
		Levels:        encodeAll(d.EducationLevels),
		CEFR:          encodeOne(d.CEFR),
		Subtypes:      encodeAll(d.Subtypes),
		ResourceTypes: encodeAll(d.ResourceTypes),
		Categories:    encodeAll(withAncestors(d.Categories)),
		Traits:        traitsOf(d),
	}
	made.AgeMin, made.AgeMax, made.Ages = agesOf(d.Ages)
	made.setBuckets(d)
	made.setTexts(d, analyzer, learned)
	made.setSuggestions(d, analyzer)
	return made, nil
}

func checkRanges(d *search.Document) error {
	ages := []int{0}
	for _, age := range []*int{d.Ages.Min, d.Ages.Max} {
		if age != nil {
			ages = append(ages, *age)
		}
	}
	switch {
	case d.Sequence < 0 || d.Sequence >= 1<<orderShift:
	case d.ReleasedOn < -orderDays || d.ReleasedOn >= 1<<(63-orderShift)-orderDays:
	case slices.Min(ages) <= unknownMin || slices.Max(ages) >= unknownMax:
	default:
		return nil
	}
	return internal("has no budget for a document", fmt.Errorf("document %q", d.ID))
}

func encodeOne[T ~string](value T) string {
	if value == "" {
		return ""
	}
	return encode(string(value))
}

// withAncestors returns the codes and each proper prefix of each code.
func withAncestors(codes []string) []string {
	var all []string
	for _, code := range codes {
		for end := 1; end <= len(code); end++ {
			all = append(all, code[:end])
		}
	}
	return all
}

// agesOf returns the numbers of a range in a document: its bounds and its ages, each with its value for unknown.
func agesOf(r catalogue.AgeRange) (lowest, highest, ages int32) {
	lowest, highest, ages = unknownMin, unknownMax, unknownAges
	if r.Min != nil {
		lowest = int32(*r.Min)
	}
	if r.Max != nil {
		highest = int32(*r.Max)
	}
	if from, to, known := r.Ages(); known {
		ages = int32(agesNumber(from, to))
	}
	return lowest, highest, ages
}

func (made *document) setBuckets(d *search.Document) {
	for i, bucket := range catalogue.DefaultDurationBuckets() {
		if bucket.Buckets(d.Duration) {
			made.DurationBuckets = append(made.DurationBuckets, bucketToken(i))
		}
	}
	for i, bucket := range catalogue.DefaultAgeBuckets() {
		if bucket.Buckets(d.Ages) {
			made.AgeBuckets = append(made.AgeBuckets, bucketToken(i))
		}
	}
}

func (made *document) setTexts(d *search.Document, analyzer *analysis.Analyzer, learned *words) {
	t := texts{analyzer: analyzer, language: d.Language, learned: learned}
	made.Every = everyDocument
	made.TitleText = t.add(true, d.Title)
	made.KeywordText = t.add(true, d.Keywords...)
	made.SubjectText = t.add(false, d.SubjectNames...)
	made.ChannelText = t.add(false, d.ChannelName)
	made.DescriptionText = t.add(true, d.Description)
	made.TranscriptText = t.add(true, d.Transcript)
	t.addNames()
	made.Terms, made.Sequences = t.terms.joined(), t.sequences
	made.Title = analyzer.Fold(d.Title)
}

// texts collects the tokens of the texts of a document.
type texts struct {
	analyzer *analysis.Analyzer
	language catalogue.Language
	learned  *words

	terms     tokenSet
	names     tokenSet // exact words of the texts that phrases do not search
	sequences []string
	tokens    []analysis.Token
}

// add adds the texts of one field and returns their distinct stems in order of first occurrence.
//
// The stems are distinct because Typesense 0.24.1 loses documents of a token that a text repeats when other texts are
// replaced. For the same reason, no filter that decides a result uses a text; filters use lists of distinct tokens
// only.
func (t *texts) add(phrases bool, texts ...string) string {
	var ordered tokenSet
	for _, text := range texts {
		t.tokens = t.analyzer.AppendText(t.tokens[:0], text, t.language)
		for _, token := range t.tokens {
			if token.Exact != "" {
				if phrases {
					t.terms.add(wordToken(token.Exact))
				} else {
					t.names.add(token.Exact)
				}
				t.learned.addExact(token.Exact)
			}
			if token.Stem == "" {
				continue
			}
			stem := encode(token.Stem)
			t.terms.add(stem)
			t.learned.addStem(token.Stem)
			ordered.add(stem)
		}
		if phrases {
			t.addPhrases()
		}
	}
	return ordered.joined()
}

// addNames adds the words that occur in names only. The caller adds all texts first.
func (t *texts) addNames() {
	for _, exact := range t.names.tokens {
		if !t.terms.has(wordToken(exact)) {
			t.terms.add(nameToken(exact))
		}
	}
}

// addPhrases adds the pairs of adjacent exact words of the current tokens, and their sequence.
func (t *texts) addPhrases() {
	positions := analysis.WordsAt(t.tokens, func(token analysis.Token) string { return token.Exact })
	if len(positions) == 0 {
		return
	}
	addPairs(&t.terms, positions)
	t.sequences = append(t.sequences, joinedPositions(positions))
}

// addPairs adds the tokens of the words at adjacent positions.
func addPairs(terms *tokenSet, positions [][]string) {
	for i := 1; i < len(positions); i++ {
		for _, word := range positions[i] {
			for _, before := range positions[i-1] {
				terms.add(pairToken(before, word))
			}
		}
	}
}

// joinedPositions returns the words of a text in the format of document.Sequences.
func joinedPositions(positions [][]string) string {
	sequence := make([]string, len(positions))
	for i, words := range positions {
		sequence[i] = strings.Join(words, sequenceSeparator)
	}
	return strings.Join(sequence, " ")
}

func (made *document) setSuggestions(d *search.Document, analyzer *analysis.Analyzer) {
	var spelled, folded, grams tokenSet
	for _, text := range append([]string{d.Title}, d.Keywords...) {
		form, token := analyzer.Fold(text), spellingToken(text)
		if form == "" || spelled.has(token) {
			continue
		}
		spelled.add(token)
		made.Spellings = append(made.Spellings, storedText(text))
		folded.add(spellingToken(form))
		grams.addGrams(form)
	}
	made.Spelled, made.Folded, made.Grams = spelled.tokens, folded.tokens, grams.joined()
}

// addGrams adds the tokens of the substrings of one to three characters of a folded text.
func (s *tokenSet) addGrams(folded string) {
	runes := []rune(folded)
	for i := range runes {
		for n := 1; n <= 3 && i+n <= len(runes); n++ {
			s.add(encode(string(runes[i : i+n])))
		}
	}
}
