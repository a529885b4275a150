package typesense

import (
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/search"
)

// maxVerified is the maximum number of documents that verified reads to check the order of the words of phrases of
// three or more words. If more documents have the pairs of such phrases, the pairs alone decide.
const maxVerified = 1000

// quoted returns the filter for documents that have all phrases. A phrase is a list of words at adjacent positions of
// one text. The filter is "" if there is no word.
//
// Typesense's own phrase search is exact as well, but version 0.24.1 loses documents of texts with repeated tokens.
func (x *Index) quoted(ctx context.Context, at *build, phrases [][]string) (string, error) {
	if !at.vocabulary.hasAll(slices.Concat(phrases...)) {
		return nothing, nil
	}
	return x.phrased(ctx, at, fieldTerms, fieldSequences, phrases)
}

// phrased returns the filter for documents that have all phrases. terms is the field of the tokens of words and pairs,
// and sequences is the field of the stored texts (joinedPositions).
func (x *Index) phrased(ctx context.Context, at *build, terms, sequences string, phrases [][]string) (string, error) {
	var parts tokenSet
	var longer [][]string
	for _, words := range phrases {
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
		return allOf(terms, parts.tokens), nil
	}
	var key strings.Builder
	for _, words := range longer {
		key.WriteString("\n" + strings.Join(words, " "))
	}
	return x.verified(ctx, at, allOf(terms, parts.tokens), key.String(), sequences, func(texts []string) bool {
		lacks := func(words []string) bool {
			return !slices.ContainsFunc(texts, func(text string) bool { return standsIn(text, words) })
		}
		return !slices.ContainsFunc(longer, lacks)
	})
}

// verified reads the texts of the documents that match a filter. It returns the filter if the predicate accepts all of
// them or if there are more than maxVerified, and otherwise a filter on the ids of the accepted documents. key
// identifies the predicate in the cache.
func (x *Index) verified(
	ctx context.Context, at *build, condition, key, texts string, are func(texts []string) bool,
) (string, error) {
	key = condition + key
	if known, found := x.phrases.get(at, key); found {
		return known, nil
	}
	condition, err := x.verifiedNow(ctx, at, condition, texts, are)
	if err == nil {
		x.phrases.put(at, key, condition)
	}
	return condition, err
}

func (x *Index) verifiedNow(
	ctx context.Context, at *build, condition, texts string, are func(texts []string) bool,
) (string, error) {
	var having []string
	for read, found := 0, 1; read < found; read += maxPerPage {
		answer, err := x.server.searchOne(ctx, at.collection, searchRequest{
			Q: "*", FilterBy: condition, SortBy: byDate, Page: read/maxPerPage + 1, PerPage: maxPerPage,
			IncludeFields: "id," + texts,
		})
		if err != nil {
			return "", err
		}
		documents, err := documentsOf[textsDocument](answer.Hits)
		if err != nil {
			return "", err
		}
		for _, d := range documents {
			if are(slices.Concat(d.Sequences, d.TitleSequence, d.DescriptionSequence, d.FoldedTitle)) {
				having = append(having, d.ID)
			}
		}
		if found = answer.Found; found > maxVerified || found == len(having) {
			return condition, nil
		}
	}
	return anyOf("id", having), nil
}

// textsDocument contains the stored texts of a document, of which a search reads one field.
type textsDocument struct {
	ID                  string   `json:"id"`
	Sequences           []string `json:"sequences"`
	TitleSequence       []string `json:"title_sequence"`
	DescriptionSequence []string `json:"description_sequence"`
	FoldedTitle         []string `json:"folded_title"`
}

// standsIn reports whether a sequence contains the words at adjacent positions.
func standsIn(sequence string, words []string) bool {
	var positions [][]string
	for written := range strings.SplitSeq(sequence, " ") {
		positions = append(positions, strings.Split(written, sequenceSeparator))
	}
	return search.StandsIn(positions, words)
}
