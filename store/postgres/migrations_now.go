//go:build !filmstrip_future

package postgres

import (
	"embed"

	"github.com/filmstrip/filmstrip/store/storelogic"
)

//go:embed migrations/*.sql
var migrations embed.FS

var migrationFolders = []string{"migrations"}

// ahead writes what only a later release knows: see the build tag filmstrip_future.
func (*pipeline) ahead([]storelogic.VideoRow) {}
