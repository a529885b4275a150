package catalogue

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/filmstrip/filmstrip/fault"
)

// Synonym is a group of words that mean the same to whoever searches.
type Synonym struct {
	Meta
	// Words are the variants, each of one or more words.
	Words []string `json:"words"`
}

const (
	// MaxVariants is the most variants of a Synonym.
	MaxVariants = 50
	// MaxVariantWords is the most words of a variant.
	MaxVariantWords = 8
	// MaxVariantLength is the most characters of a variant.
	MaxVariantLength = 100
	// MaxRuleQueryLength is the most characters of a SearchRule's query.
	MaxRuleQueryLength = 200
)

// Kind is KindSynonym.
func (*Synonym) Kind() Kind { return KindSynonym }

// Links is empty.
func (*Synonym) Links() []Link { return nil }

// Validate checks that there are 2 to MaxVariants variants, no two the same as FoldName compares them.
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
			f.Add(field, "%q is there already", Shorten(variant))
		}
		met[folded] = true
	}
	return f.List()
}

// searched holds what somebody may search for to its length, and to have something to look for; it reports
// whether that is so.
func (f *Faults) searched(field, text string, most int) bool {
	before := len(f.list)
	f.Line(field, text, 1, most)
	if len(f.list) == before && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		f.Add(field, "has no letter or digit")
	}
	return len(f.list) == before
}

// SearchRule says which videos come first, and which last, where a text is searched for.
type SearchRule struct {
	Meta
	// Query is the text, whatever its case, accents and signs.
	Query string `json:"query"`
	// PinnedIDs are found first, in their order, whatever stands in them; BuriedIDs last. A store accepts the ID
	// of a video only while the video exists (Mentions); IDs of videos that are deleted later stay and do nothing.
	PinnedIDs []ID `json:"pinned"`
	BuriedIDs []ID `json:"buried"`
}

// Kind is KindSearchRule.
func (*SearchRule) Kind() Kind { return KindSearchRule }

// Links is empty: a rule stays as it is when a video goes.
func (*SearchRule) Links() []Link { return nil }

// Mentions lists the videos that the rule pins or buries.
func (r *SearchRule) Mentions() []Link {
	return append(linksTo(KindVideo, "pinned", r.PinnedIDs), linksTo(KindVideo, "buried", r.BuriedIDs)...)
}

// Validate checks the query, up to 200 characters, and that no video is in both lists.
func (r *SearchRule) Validate() fault.FieldErrors {
	var f Faults
	f.searched("query", r.Query, MaxRuleQueryLength)
	f.Length("pinned", len(r.PinnedIDs), MaxPinned)
	f.Length("buried", len(r.BuriedIDs), MaxBuried)
	pinned := map[ID]bool{}
	for i, id := range r.PinnedIDs {
		if pinned[id] {
			f.Add(fmt.Sprintf("pinned[%d]", i), "%q is there already", Shorten(string(id)))
		}
		pinned[id] = true
	}
	for i, id := range r.BuriedIDs {
		if pinned[id] {
			f.Add(fmt.Sprintf("buried[%d]", i), "%q is pinned", Shorten(string(id)))
		}
	}
	return f.List()
}
