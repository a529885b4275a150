package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store"
)

var selectHeadSalt = define(`SELECT position, salt FROM head WHERE one`)

// Head implements store.Catalogue.
func (c *Catalogue) Head(ctx context.Context) (store.Position, error) { return c.head(ctx) }

func (d *Database) head(ctx context.Context) (position store.Position, err error) {
	var salt string
	err = d.read(ctx, func(p *pipeline) {
		p.ask(selectHeadSalt, func(rows pgx.Rows) error { return rows.Scan(&position, &salt) })
	})
	if err != nil {
		return 0, err
	}
	d.learn(position)
	if d.standby != nil {
		d.standby.salt.Store(&salt)
	}
	return position, nil
}
