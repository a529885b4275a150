package catalogue

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/filmstrip/filmstrip/fault"
)

// Synonym is a group of words that search treats as equal.
type Synonym struct {
	Meta
	// Words are the variants, each of one or more words.
	Words []string `json:"words"`
}

const (
	// MaxVariants is the maximum number of variants of a Synonym.
	MaxVariants = 50
	// MaxVariantWords is the maximum number of words of a variant.
	MaxVariantWords = 8
	// MaxVariantLength is the maximum length of a variant in characters.
	MaxVariantLength = 100
	// MaxRuleQueryLength is the maximum length of a SearchRule's query in characters.
	MaxRuleQueryLength = 200
)

// Kind returns KindSynonym.
func (*Synonym) Kind() Kind { return KindSynonym }

// Validate checks that the group has 2 to MaxVariants variants, all different after FoldName.
func (s *Synonym) Validate() fault.FieldErrors {
	var f Faults
	switch n := len(s.Words); n {
	case 0:
		f.Add("words", "is required")
	case 1:
		f.Add("words", "has 1 element, at least 2 are needed")
	default:
		f.Length("words", n, MaxVariants)
	}
	met := map[string]bool{}
	for i, variant := range s.Words {
		field := fmt.Sprintf("words[%d]", i)
		folded := FoldName(variant)
		switch n := len(strings.Fields(variant)); {
		case !f.searched(field, variant, MaxVariantLength):
		case n > MaxVariantWords:
			f.Add(field, "has %d words, at most %d are allowed", n, MaxVariantWords)
		case met[folded]:
			f.Add(field, "%q is a duplicate", fault.Shorten(variant))
		}
		met[folded] = true
	}
	return f.List()
}

// searched checks the length of a search text and that it contains a letter or digit. It reports whether the text is
// valid.
func (f *Faults) searched(field, text string, most int) bool {
	before := len(f.list)
	f.Line(field, text, 1, most)
	if len(f.list) == before && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		f.Add(field, "has no letter or digit")
	}
	return len(f.list) == before
}

// SearchRule pins and buries videos in the results of a query.
type SearchRule struct {
	Meta
	// Query is the query, regardless of case, accents and punctuation.
	Query string `json:"query"`
	// PinnedIDs come first in their order, regardless of the videos' content; BuriedIDs come last. A store accepts the ID
	// of a video only while the video exists (Mentions). IDs of videos deleted later stay and have no effect.
	PinnedIDs []ID `json:"pinned"`
	BuriedIDs []ID `json:"buried"`
}

// Kind returns KindSearchRule.
func (*SearchRule) Kind() Kind { return KindSearchRule }

// Mentions returns the pinned and buried videos.
func (r *SearchRule) Mentions() []Link {
	return append(linksTo(KindVideo, "pinned", r.PinnedIDs), linksTo(KindVideo, "buried", r.BuriedIDs)...)
}

// Validate checks the query, up to 200 characters, and that no video is both pinned and buried.
func (r *SearchRule) Validate() fault.FieldErrors {
	var f Faults
	f.searched("query", r.Query, MaxRuleQueryLength)
	f.Length("pinned", len(r.PinnedIDs), MaxPinned)
	f.Length("buried", len(r.BuriedIDs), MaxBuried)
	pinned := map[ID]bool{}
	for i, id := range r.PinnedIDs {
		if pinned[id] {
			f.Add(fmt.Sprintf("pinned[%d]", i), "%q is a duplicate", fault.Shorten(string(id)))
		}
		pinned[id] = true
	}
	for i, id := range r.BuriedIDs {
		if pinned[id] {
			f.Add(fmt.Sprintf("buried[%d]", i), "%q is pinned", fault.Shorten(string(id)))
		}
	}
	return f.List()
}
