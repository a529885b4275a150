package generate

import (
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
)

// synonyms are groups of words with the same meaning.
var synonyms = [][]string{
	{"movie", "film", "motion picture"},
	{"exam", "test", "assessment"},
	{"cell phone", "mobile phone", "smartphone"},
}

func (r *sharedRecords) addSynonyms() {
	for i, words := range synonyms {
		r.add(&catalogue.Synonym{Words: words}, "synonym-"+strconv.Itoa(i+1))
	}
}

// addSearchRule adds a rule that shows newcomers videos that play.
func (r *sharedRecords) addSearchRule(videos int) {
	rule := &catalogue.SearchRule{Query: "first steps"}
	for number := range min(videos, 3) {
		rule.PinnedIDs = append(rule.PinnedIDs, catalogue.DeriveID(catalogue.KindVideo, Source, videoReference(number)))
	}
	r.add(rule, "rule-first-steps")
}
