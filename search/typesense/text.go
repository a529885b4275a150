package typesense

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// question is a text, analyzed for a build.
type question struct {
	words []word
	// phrases is the condition of the quoted parts, or "" if there are none.
	phrases string
	// sequence is the whole text, word for word.
	sequence []string
	// needsCounts means that the ranking depends on the number of documents with each word.
	needsCounts bool
}

// word is one distinct word of a text.
type word struct {
	analysis.Word
	// stems are the tokens of the stems of the word that occur in the index.
	stems []string
	phrased
	// documents is the number of documents that have one of these tokens, including those that the caller may not see.
	documents int
	// near are the words that the word may be a misspelling of, nearest first. A known word has none.
	near []string
	// ranked is the token that ranks documents by the word, or "" if there is none.
	ranked string
}

// tokens returns the tokens that match the word in a document.
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

// blank reports whether the text has no words and no phrases.
func (q *question) blank() bool { return len(q.words) == 0 && q.phrases == "" }

// ask analyzes a text. typos is set if the level allows typos.
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

// understand analyzes a text, as far as the strictest level needs.
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
		found := word{Word: w, phrased: x.phrasedBy(at, w.Phrases)}
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

// forgive finds the near words of unknown words, after the counts of the words are known.
func (x *Index) forgive(ctx context.Context, at *build, q *question) error {
	for i := range q.words {
		if w := &q.words[i]; w.documents < search.KnownWord {
			w.near = nearWords(at.vocabulary, w.Exact)
		}
	}
	return x.guess(ctx, at, q)
}

// countWords adds to a round the counts of the documents with each word and each of its stems. The most frequent stem
// is seldom the English one in a catalogue of many languages. After the round, take stores the counts in the words.
func (x *Index) countWords(r *round, at *build, words []word) (take func()) {
	var conditions []string
	for _, w := range words {
		conditions = append(conditions, anyOf(fieldTerms, w.tokens(false)))
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

// maxGuesses is the maximum number of near words that may replace a word.
const maxGuesses = 8

// guess sets documents and ranked of the words that no document has to those of the most frequent of their nearest
// words.
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
	var r round
	documents := x.countDocuments(&r, at, conditions)
	if err := x.run(ctx, at, &r); err != nil {
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

// firstStem returns the token of the first stem of an exact word that occurs in the index.
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

// maxNear is the maximum number of near words of a word. Among a million words, a few hundred are two edits from a word
// of seven letters.
const maxNear = 500

// nearWords returns the known words within the allowed edits of a word, nearest first.
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
