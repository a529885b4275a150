package typesense

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// maxVerified is how many documents are read to see whether the words of longer phrases, which they all
// have in pairs, stand one behind the other. Where more have the pairs, those are all that is asked.
const maxVerified = 1000

// quoted is the condition that a document has all phrases, each a list of words at neighbouring positions
// of one text. "" where there is no word.
//
// Typesense's own phrases are exact as well, but 0.24.1 loses documents of texts with repeated tokens.
func (x *Index) quoted(ctx context.Context, at *build, phrases [][]string) (string, error) {
	var parts tokenSet
	var longer [][]string
	for _, words := range phrases {
		for _, word := range words {
			if !at.vocabulary.hasWord(word) {
				return nothing, nil
			}
		}
		switch len(words) {
		case 0:
			continue
		case 1:
			parts.add(wordToken(words[0]))
		case 2:
		default:
			longer = append(longer, words)
		}
		for i, word := range words[1:] {
			parts.add(pairToken(words[i], word))
		}
	}
	switch {
	case len(parts.tokens) == 0:
		return "", nil
	case len(longer) == 0:
		return allOf(fieldTerms, parts.tokens), nil
	}
	condition := allOf(fieldTerms, parts.tokens)
	var key strings.Builder
	key.WriteString(condition)
	for _, words := range longer {
		key.WriteString("\n" + strings.Join(words, " "))
	}
	if known, found := x.phrases.get(at, key.String()); found {
		return known, nil
	}
	condition, err := x.verified(ctx, at, condition, longer)
	if err == nil {
		x.phrases.put(at, key.String(), condition)
	}
	return condition, err
}

// verified reads the documents that have all pairs of all phrases. Where some do not have the longer
// phrases, the condition names those that do.
func (x *Index) verified(ctx context.Context, at *build, condition string, longer [][]string) (string, error) {
	var having []string
	for read, found := 0, 1; read < found; read += maxPerPage {
		var r round
		r.ask(searchRequest{
			Q: "*", FilterBy: condition, SortBy: byDate, Page: read/maxPerPage + 1, PerPage: maxPerPage,
			IncludeFields: "id," + fieldSequences,
		}, func(answer *searchAnswer) (err error) {
			found = answer.Found
			having, err = appendHaving(having, answer, longer)
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

// appendHaving appends the ids of the hits that have every phrase.
func appendHaving(having []string, answer *searchAnswer, phrases [][]string) ([]string, error) {
	for _, found := range answer.Hits {
		var d document
		if err := json.Unmarshal(found.Document, &d); err != nil {
			return nil, unavailable("answered what is no video", err)
		}
		lacks := func(words []string) bool {
			return !slices.ContainsFunc(d.Sequences, func(text string) bool { return standsIn(text, words) })
		}
		if !slices.ContainsFunc(phrases, lacks) {
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
