package postgres

import "strings"

// The next release writes a column of videos that this release does not know.
func init() {
	videoTable.insert.text = strings.NewReplacer("(seq,", "(next_look, seq,", "($1,", "(1, $1,").Replace(videoTable.insert.text)
	videoTable.update.text = strings.Replace(videoTable.update.text, " SET ", " SET next_look = 1, ", 1)
}
