package typesense

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// question is a text as a build understands it.
type question struct {
	words []word
	// phrases is the condition of the quoted parts, "" where there are none.
	phrases string
	// sequence is the whole text, word for word.
	sequence []string
	// needsCounts: how documents are ranked depends on how many have each word.
	needsCounts bool
}

// word is one distinct word of a text.
type word struct {
	analysis.Word
	// stems are the tokens of those that documents may have.
	stems []string
	phrased
	// documents is how many have one of these, whether they may be found or not.
	documents int
	// near are the words that it may be misspelt for, the nearest first; none where it is a known word.
	near []string
	// ranked is the token that ranks documents by the word, "" if there is none.
	ranked string
}

// tokens are what a document may have the word by.
func (w *word) tokens(typos bool) []string {
	if len(w.phrased.tokens) == 0 && (!typos || len(w.near) == 0) {
		return w.stems
	}
	tokens := slices.Concat(w.stems, w.phrased.tokens)
	if !typos {
		return tokens
	}
	for _, near := range w.near {
		tokens = append(tokens, wordToken(near), nameToken(near))
	}
	return tokens
}

// blank reports whether the text asks for nothing.
func (q *question) blank() bool { return len(q.words) == 0 && q.phrases == "" }

// ask understands a text. Where typos are forgiven by any level, typos says so.
func (x *Index) ask(ctx context.Context, at *build, text search.Text, typos bool) (*question, error) {
	q, err := x.understand(ctx, at, text)
	if err != nil || !q.needsCounts && !typos {
		return q, err
	}
	var r round
	take := x.countWords(&r, at, q.words)
	if err := x.run(ctx, at, &r); err != nil {
		return nil, err
	}
	take()
	if !typos {
		return q, nil
	}
	return q, x.forgive(ctx, at, q)
}

// understand takes a text apart, as far as its strictest level needs it.
func (x *Index) understand(ctx context.Context, at *build, text search.Text) (*question, error) {
	q := &question{sequence: x.analyzer.Phrase(text.Words)}
	var phrases [][]string
	for _, quoted := range text.Phrases {
		phrases = append(phrases, x.analyzer.Phrase(quoted))
	}
	var err error
	if q.phrases, err = x.quoted(ctx, at, phrases); err != nil {
		return nil, err
	}
	for _, w := range x.analyzer.QueryWithSynonyms(text.Words, text.SynonymGroups) {
		found := word{Word: w}
		if found.phrased, err = x.phrasedBy(ctx, at, w.Phrases); err != nil {
			return nil, err
		}
		for _, stem := range w.Stems {
			if at.vocabulary.hasStem(stem) {
				found.stems = append(found.stems, encode(stem))
			}
		}
		if len(found.stems) > 0 {
			found.ranked = found.stems[0]
		}
		q.needsCounts = q.needsCounts || len(found.stems) > 1 || len(q.words) > 0
		q.words = append(q.words, found)
	}
	return q, nil
}

// forgive finds the near forms of words that are not known, once they have been counted.
func (x *Index) forgive(ctx context.Context, at *build, q *question) error {
	for i := range q.words {
		if w := &q.words[i]; w.documents < search.KnownWord {
			w.near = nearWords(at.vocabulary, w.Exact)
		}
	}
	return x.guess(ctx, at, q)
}

// countWords asks in a round how many documents have each word, and by which stem most of them have it:
// in a catalogue of many languages that is seldom the English one. take, once the round has run, writes
// that into the words.
func (x *Index) countWords(r *round, at *build, words []word) (take func()) {
	var conditions []string
	for _, w := range words {
		conditions = append(conditions, w.condition(false))
		for _, stem := range w.stems {
			conditions = append(conditions, anyOf(fieldTerms, []string{stem}))
		}
	}
	documents := x.countDocuments(r, at, conditions)
	return func() {
		for i := range words {
			w := &words[i]
			w.documents, documents = documents[0], documents[1:]
			most := 0
			for s, stem := range w.stems {
				if documents[s] > most {
					w.ranked, most = stem, documents[s]
				}
			}
			documents = documents[len(w.stems):]
		}
	}
}

// maxGuesses is how many near words are considered as what was meant.
const maxGuesses = 8

// guess finds what words that no document has were meant to be: the most frequent of the nearest.
func (x *Index) guess(ctx context.Context, at *build, q *question) error {
	var candidates, conditions []string
	for i := range q.words {
		if w := &q.words[i]; w.documents == 0 {
			for _, near := range w.near[:min(len(w.near), maxGuesses)] {
				candidates = append(candidates, near)
				conditions = append(conditions, anyOf(fieldTerms, []string{wordToken(near), nameToken(near)}))
			}
		}
	}
	documents, err := x.documentsWith(ctx, at, conditions)
	if err != nil {
		return err
	}
	for i := range q.words {
		w := &q.words[i]
		if w.documents > 0 {
			continue
		}
		for _, near := range w.near[:min(len(w.near), maxGuesses)] {
			if n := documents[slices.Index(candidates, near)]; n > w.documents {
				w.documents, w.ranked = n, x.firstStem(at, near)
			}
		}
	}
	return nil
}

// firstStem is the token of the first stem of an exact word that documents may have.
func (x *Index) firstStem(at *build, exact string) string {
	for _, w := range x.analyzer.Query(exact) {
		for _, stem := range w.Stems {
			if at.vocabulary.hasStem(stem) {
				return encode(stem)
			}
		}
	}
	return ""
}

// maxNear is how many near words a word may be misspelt for: the nearest. A million words have a few
// hundred that are two edits from one of seven letters.
const maxNear = 500

// nearWords are the known words within the forgiven edits of another, the nearest first.
func nearWords(v *vocabulary, exact string) []string {
	edits := analysis.Edits(exact)
	if exact == "" || edits == 0 {
		return nil
	}
	type near struct {
		word  string
		edits int
	}
	var found []near
	v.near(exact, edits, func(word string, edits int) { found = append(found, near{word, edits}) })
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.word, b.word))
	})
	words := make([]string, min(len(found), maxNear))
	for i, n := range found[:len(words)] {
		words[i] = n.word
	}
	return words
}
