//go:build filmstrip_future

package postgres

import (
	"embed"

	"github.com/filmstrip/filmstrip/store/storelogic"
)

// The build tag filmstrip_future builds a binary of a fictitious future release, whose schema is one migration ahead.
// Like every migration, this one only adds: a nullable column of videos, and an index on it. With the tag, a test can
// run the future binary beside a plain one on one database while the migration runs: the future binary writes the
// column, the plain binary does not know it, and each binary reads the rows of the other.

//go:embed migrations/*.sql migrations_future/*.sql
var migrations embed.FS

var migrationFolders = []string{"migrations", "migrations_future"}

var writeNextLook = define(`UPDATE videos SET next_look = $2 WHERE seq = $1`)

// ahead writes the column that only the future release knows.
func (p *pipeline) ahead(videos []storelogic.VideoRow) {
	for _, row := range videos {
		p.do(writeNextLook, row.Video.Sequence, micros(row.Video.UpdatedAt))
	}
}
