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
	var positions [][]string
	for _, token := range a.Text(text, "eng") {
		if token.Exact == "" {
			continue
		}
		for token.Position >= len(positions) {
			positions = append(positions, nil)
		}
		positions[token.Position] = append(positions[token.Position], token.Stem)
	}
	return positions
}
