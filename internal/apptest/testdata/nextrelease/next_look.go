package postgres

import (
	"strings"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// The next release writes a column of videos that this release does not know.
func init() {
	next := strings.NewReplacer("(seq,", "(next_look, seq,", "($", "(1, $", " DO UPDATE SET ", " DO UPDATE SET next_look = 1, ")
	for _, st := range sqlstore.Statements() {
		if strings.HasPrefix(st.PostgreSQL, "INSERT INTO videos ") {
			st.PostgreSQL = next.Replace(st.PostgreSQL)
		}
	}
}
