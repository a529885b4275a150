//go:build filmstrip_future

package postgres

import (
	"embed"

	"github.com/filmstrip/filmstrip/store/storelogic"
)

// The build tag filmstrip_future makes a binary of a release that does not exist: its schema is one step
// ahead. The step only adds, as every step does: a column of videos that may be NULL, and an index on it.
// So a test can run such a binary beside a plain one on one database while the step is taken: the future
// binary writes the column, the plain one knows nothing of it, and each reads what the other wrote.

//go:embed migrations/*.sql migrations_future/*.sql
var migrations embed.FS

var migrationFolders = []string{"migrations", "migrations_future"}

var writeNextLook = define(`UPDATE videos SET next_look = $2 WHERE seq = $1`)

// ahead writes what only the future release knows.
func (p *pipeline) ahead(videos []storelogic.VideoRow) {
	for _, row := range videos {
		p.do(writeNextLook, row.Video.Sequence, micros(row.Video.UpdatedAt))
	}
}
