package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/jackc/pgx/v5"
)

var (
	// The name of a WAL file begins with the timeline, which a point-in-time recovery and a promotion change. Any role
	// may read it. Restoring a dump creates a new database or a new table.
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

// Lineage implements store.Historian. It returns a hash of the cluster's identifier (if the role may read it, as by
// default every role may), the timeline, the database, the head table, and a salt. So every restore of a cluster backup
// that runs a recovery (to a point in time or to the end) changes the lineage, and so does every restore of a dump that
// creates the tables. A promotion changes it too, because the data that the old primary had not sent is lost. Two
// restores are undetectable and need RenewLineage: copying back the files of a cluster that was shut down, and loading
// a data-only dump into existing tables.
func (c *Catalogue) Lineage(ctx context.Context) (string, error) { return c.lineage(ctx) }

func (d *Database) lineage(ctx context.Context) (string, error) {
	var (
		parts, system string
		may           int64
	)
	err := d.read(ctx, func(p *pipeline) {
		p.number(maySelectSystem, &may)
		p.ask(selectLineage, func(rows pgx.Rows) error { return rows.Scan(&parts) })
	})
	if err == nil && may == 1 {
		err = d.read(ctx, func(p *pipeline) {
			p.ask(selectSystem, func(rows pgx.Rows) error { return rows.Scan(&system) })
		})
	}
	if isCode(err, notInRequiredState) {
		return "", startFault(ctx, err)
	}
	if err != nil {
		return "", err
	}
	if d.standby != nil {
		timeline, _, _ := strings.Cut(parts, ":")
		d.standby.system.Store(&system)
		d.standby.timeline.Store(&timeline)
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
