package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/jackc/pgx/v5"
)

var (
	// The name of a WAL file begins with the timeline, which a recovery to a point in time and a
	// promotion change. Any role may ask for it. A dump that is restored makes another database, or
	// another table.
	selectLineage = define(`
		SELECT concat_ws(':',
			substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
			(SELECT oid FROM pg_database WHERE datname = current_database()),
			'head'::regclass::oid, salt)
		FROM head WHERE one`)
	maySelectSystem = define(`SELECT CASE WHEN has_function_privilege('pg_control_system()', 'execute') THEN 1 ELSE 0 END`)
	selectSystem    = define(`SELECT system_identifier::text FROM pg_control_system()`)
	renewSalt       = define(`UPDATE head SET salt = gen_random_uuid()::text WHERE one`)
)

// Lineage implements store.Historian. The name is made of the cluster's identifier (where the role may
// read it, as every role may by default), its timeline, the database, its table, and a salt. So every
// restore of a backup of the cluster that recovers (to a point in time or to the end) changes it, and so
// does every restore of a dump that makes the tables anew. A promotion changes it too, as what the old
// primary had not sent is lost. What cannot be noticed: the files of a cluster that was shut down, copied
// back, and a dump of the data alone that is put into the tables that are there: then RenewLineage is
// needed.
func (c *Catalogue) Lineage(ctx context.Context) (string, error) {
	var (
		parts, system string
		may           int64
	)
	err := c.read(ctx, func(p *pipeline) {
		p.number(maySelectSystem, &may)
		p.ask(selectLineage, func(rows pgx.Rows) error { return rows.Scan(&parts) })
	})
	if err == nil && may == 1 {
		err = c.read(ctx, func(p *pipeline) {
			p.ask(selectSystem, func(rows pgx.Rows) error { return rows.Scan(&system) })
		})
	}
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(system + ":" + parts))
	return hex.EncodeToString(sum[:8]), nil
}

// RenewLineage implements store.Historian.
func (c *Catalogue) RenewLineage(ctx context.Context) error {
	return c.change(ctx, func(ctx context.Context, t *transaction) error {
		return t.send(ctx, func(p *pipeline) { p.do(renewSalt) })
	})
}
