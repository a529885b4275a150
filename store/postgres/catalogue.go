package postgres

import (
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Catalogue is a store.Catalogue in a PostgreSQL database. It also implements leases and the lineage of the database.
type Catalogue struct {
	engine
	*sqlstore.Leases
	*sqlstore.Catalogue
}

var (
	_ store.Catalogue = (*Catalogue)(nil)
	_ store.Leases    = (*Catalogue)(nil)
	_ store.Historian = (*Catalogue)(nil)
)

// Catalogue returns the catalogue of the database. Closing the last engine on a database closes the database.
func (d *Database) Catalogue() *Catalogue {
	db := shared{engine: d.engine(), reads: d.reading}
	return &Catalogue{db.engine, sqlstore.NewLeases(db), sqlstore.NewCatalogue(catalogueDatabase{db})}
}
