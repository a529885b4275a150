package analysis

// StemPhrase returns the stems of the words of an English phrase in their order; none where it holds no
// letter, digit or emoji. A text has the phrase where these stand at neighbouring positions of Stems.
func (a *Analyzer) StemPhrase(phrase string) []string {
	positions := a.Stems(phrase)
	words := make([]string, len(positions))
	for i, stems := range positions {
		words[i] = stems[0]
	}
	return words
}

// Stems returns for each position of an English text the stems of the words that stand there, at least one:
// first the word as it is written, then the whole of a compound that starts there. Synonyms are left out.
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
