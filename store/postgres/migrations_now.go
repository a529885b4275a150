//go:build !filmstrip_future

package postgres

import (
	"embed"

	"github.com/filmstrip/filmstrip/store/storelogic"
)

//go:embed migrations/*.sql
var migrations embed.FS

var migrationFolders = []string{"migrations"}

// ahead does nothing. With the build tag filmstrip_future it writes a column of a future release.
func (*pipeline) ahead([]storelogic.VideoRow) {}
