// Package semantic turns texts into vectors for search by meaning. A Service is a client of an embedding model behind
// OpenAI's API, Passages splits the texts of a video into what a model can read, and Questions turns queries into
// meanings within a time limit.
//
// The package knows neither stores nor indexes: package projection embeds videos in the background and hands the vectors
// to the index with the rest of each document (docs/search.md, "Search by meaning").
package semantic

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// passageWords is the length of a passage in words. Common models read the first 256 tokens, about 180 words, and ignore
// the rest.
const passageWords = 180

// Passages splits the texts of a video into at most catalogue.MaxPassages passages: title, keywords and description, and
// parts of the transcript, each behind the title, without which a part often does not say what it is about. The parts of
// a transcript that is too long grow, so that they cover it evenly even if a model ignores the end of each.
func Passages(d *search.Document) []string {
	about := strings.Fields(strings.Join(append([]string{d.Description}, d.Keywords...), " "))
	passages := divide(d.Title, about, catalogue.MaxPassages/2)
	if len(passages) == 0 {
		passages = []string{d.Title}
	}
	return append(passages, divide(d.Title, strings.Fields(d.Transcript), catalogue.MaxPassages-len(passages))...)
}

// divide divides words into passages of equal length, most at most.
func divide(title string, words []string, most int) []string {
	passages := make([]string, min(most, (len(words)+passageWords-1)/passageWords))
	for i := range passages {
		part := words[len(words)*i/len(passages) : len(words)*(i+1)/len(passages)]
		passages[i] = title + ". " + strings.Join(part, " ")
	}
	return passages
}

// Fingerprint identifies a model and passages: vectors are outdated if the fingerprint of their video's passages changes.
func Fingerprint(model string, passages []string) string {
	sum := sha256.New()
	for _, text := range append([]string{model}, passages...) {
		sum.Write([]byte(text))
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
