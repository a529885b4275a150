package postgres

import "strings"

// The next release writes a column of videos that this release does not know.
func init() {
	next := strings.NewReplacer("(seq,", "(next_look, seq,", "($", "(1, $", " DO UPDATE SET ", " DO UPDATE SET next_look = 1, ")
	for _, st := range sharedStatements {
		if strings.HasPrefix(st.text, "INSERT INTO videos ") {
			st.text = next.Replace(st.text)
		}
	}
}
