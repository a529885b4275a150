package search

import "strings"

// ParseText parses a client's text. The text between a pair of double quotes (also typographic ones) is a phrase, and its
// words count among the words too. A single quote is ignored. So is, once it is analyzed, a phrase without letters and
// digits. In a text with quotingWords or more words outside its quotes, which people write to describe what they look
// for, quotes have no effect: a phrase that no video contains would hide all results.
func ParseText(text string) Text {
	pieces := strings.Split(plainQuotes.Replace(text), `"`)
	parsed := Text{Words: strings.Join(strings.Fields(strings.Join(pieces, " ")), " ")}
	outside := 0
	for i := 0; i < len(pieces); i += 2 {
		outside += len(strings.Fields(pieces[i]))
	}
	if outside >= quotingWords {
		return parsed
	}
	for i := 1; i < len(pieces)-1; i += 2 {
		if phrase := strings.Join(strings.Fields(pieces[i]), " "); phrase != "" {
			parsed.Phrases = append(parsed.Phrases, phrase)
		}
	}
	return parsed
}

// quotingWords is the number of words, as separated by spaces, from which on a text quotes without requiring phrases.
const quotingWords = 10

var plainQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)
