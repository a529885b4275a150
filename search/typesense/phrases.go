package typesense

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// maxVerified is how many documents are read to see whether the words of a longer phrase, which they all
// have in pairs, stand one behind the other. Where more have the pairs, those are all that is asked.
const maxVerified = 1000

// phrase is the condition that a document has a phrase: words at neighbouring positions of one text. ""
// where there is no word.
//
// Typesense's own phrases are exact as well, but 0.24.1 loses documents of texts with repeated tokens.
func (x *Index) phrase(ctx context.Context, at *build, words []string) (string, error) {
	switch len(words) {
	case 0:
		return "", nil
	case 1:
		return oneOf(fieldPairs, []string{encode(words[0])}), nil
	case 2:
		return oneOf(fieldPairs, []string{pairToken(words[0], words[1])}), nil
	}
	for _, word := range words {
		if !at.vocabulary.hasWord(word) {
			return nothing, nil
		}
	}
	key := strings.Join(words, " ")
	if condition, found := x.phrases.get(at, key); found {
		return condition, nil
	}
	condition, err := x.verified(ctx, at, words)
	if err == nil {
		x.phrases.put(at, key, condition)
	}
	return condition, err
}

// verified reads the documents that have all pairs of a phrase. Where some do not have the phrase, the
// condition names those that do.
func (x *Index) verified(ctx context.Context, at *build, words []string) (string, error) {
	var pairs tokenSet
	for i := range words[1:] {
		pairs.add(pairToken(words[i], words[i+1]))
	}
	condition := allOf(fieldPairs, pairs.tokens)
	var having []string
	for read, found := 0, 1; read < found; read += maxPerPage {
		var r round
		r.ask(searchRequest{
			Q: "*", FilterBy: condition, SortBy: byDate, Page: read/maxPerPage + 1, PerPage: maxPerPage,
			IncludeFields: "id," + fieldSequences,
		}, func(answer *searchAnswer) (err error) {
			found = answer.Found
			having, err = appendHaving(having, answer, words)
			return err
		})
		if err := x.run(ctx, at, &r); err != nil {
			return "", err
		}
		if found > maxVerified || found == len(having) {
			return condition, nil
		}
	}
	if len(having) == 0 {
		return nothing, nil
	}
	return "id:[" + strings.Join(having, ",") + "]", nil
}

// appendHaving appends the ids of the hits that have a phrase.
func appendHaving(having []string, answer *searchAnswer, words []string) ([]string, error) {
	for _, found := range answer.Hits {
		var d document
		if err := json.Unmarshal(found.Document, &d); err != nil {
			return nil, unavailable("answered what is no video", err)
		}
		if slices.ContainsFunc(d.Sequences, func(text string) bool { return standsIn(text, words) }) {
			having = append(having, d.ID)
		}
	}
	return having, nil
}

// standsIn reports whether words stand at neighbouring positions of a sequence.
func standsIn(sequence string, words []string) bool {
	positions := strings.Split(sequence, " ")
	for start := 0; start+len(words) <= len(positions); start++ {
		n := 0
		for n < len(words) && slices.Contains(strings.Split(positions[start+n], sequenceSeparator), words[n]) {
			n++
		}
		if n == len(words) {
			return true
		}
	}
	return false
}
