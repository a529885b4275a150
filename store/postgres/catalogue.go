package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/catalogue"
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

// A video takes its privacy from its channel and has the channel's categories. The statement joins the channel at read
// time, so a channel that becomes private hides its videos in the same moment.
var selectStates = define(`
	SELECT v.id, v.version, v.seq, v.updated_at, v.available_until, e.private, v.retired, v.retired_into, b.body, e.body
	FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
	JOIN videos AS v ON v.id = asked.id
	JOIN entities AS e ON e.number = v.channel
	JOIN video_bodies AS b ON b.seq = v.seq
	ORDER BY asked.place`)

// States implements store.Catalogue.
func (c *Catalogue) States(ctx context.Context, ids []catalogue.ID) (states []catalogue.State, err error) {
	err = c.readLagging(ctx, func(p *pipeline) {
		states = make([]catalogue.State, 0, len(ids))
		var row stateRow
		p.ask(selectStates, func(rows pgx.Rows) error {
			state, err := row.scan(rows)
			states = append(states, state)
			return err
		}, idList(ids))
	})
	if err != nil {
		return nil, err
	}
	return states, nil
}
