package search

import "strings"

// ParseText takes a client's text apart: what stands between a pair of double quotes (typographic
// ones count) is a phrase and counts among the words too; a lone quote is ignored, as are phrases
// without any letter or digit by the time they are analysed.
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
