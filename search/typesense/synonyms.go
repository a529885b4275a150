package typesense

// phrased is the alternatives of a word that consist of several adjacent words.
type phrased struct {
	// tokens are the pairTokens of phrases, separated by spaces within a phrase. Of a phrase of three or more words, they
	// also match a document that has all pairs but not the phrase.
	tokens []string
	// ranking are the tokens of the words, which rank the documents.
	ranking []string
}

// phrasedBy returns the alternatives for phrases, each of at least two words. It skips the phrases that no document
// has.
func (x *Index) phrasedBy(at *build, phrases [][]string) (p phrased) {
	for _, words := range phrases {
		if !at.vocabulary.hasAll(words) {
			continue
		}
		var pairs tokenSet
		for i, word := range words[1:] {
			pairs.add(pairToken(words[i], word))
		}
		p.tokens = append(p.tokens, pairs.joined())
		for _, word := range words {
			if token := x.firstStem(at, word); token != "" {
				p.ranking = append(p.ranking, token)
			}
		}
	}
	return p
}
