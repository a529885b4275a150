package search

import "strings"

// ParseText parses a client's text. The text between a pair of double quotes (also typographic ones) is a phrase, and its
// words count among the words too. A single quote is ignored. So is, once it is analyzed, a phrase without letters and
// digits.
func ParseText(text string) Text {
	pieces := strings.Split(plainQuotes.Replace(text), `"`)
	parsed := Text{Words: strings.Join(strings.Fields(strings.Join(pieces, " ")), " ")}
	for i := 1; i < len(pieces)-1; i += 2 {
		if phrase := strings.Join(strings.Fields(pieces[i]), " "); phrase != "" {
			parsed.Phrases = append(parsed.Phrases, phrase)
		}
	}
	return parsed
}

var plainQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)
