package analysis

// StemPhrase returns the stems of the words of an English phrase in order, or none if the phrase contains no letter,
// digit or emoji. A text contains the phrase if these stems occur at consecutive positions of Stems.
func (a *Analyzer) StemPhrase(phrase string) []string {
	positions := a.Stems(phrase)
	words := make([]string, len(positions))
	for i, stems := range positions {
		words[i] = stems[0]
	}
	return words
}

// Stems returns, for each position of an English text, the stems of the words at that position, at least one: first the
// stem of the word as written, then that of the whole compound that starts there. It omits synonyms.
func (a *Analyzer) Stems(text string) [][]string {
	return WordsAt(a.Text(text, "eng"), func(token Token) string { return token.Stem })
}

// WordsAt returns, for each position of a text, what of returns for the words at that position. It omits the tokens that
// are only a Stem.
func WordsAt(tokens []Token, of func(Token) string) [][]string {
	var positions [][]string
	for _, token := range tokens {
		for token.Position >= len(positions) {
			positions = append(positions, nil)
		}
		if token.Exact != "" {
			positions[token.Position] = append(positions[token.Position], of(token))
		}
	}
	return positions
}
