package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/filmstrip/filmstrip/fault"
)

// Replication describes whether a commit of events waits for a standby.
type Replication struct {
	// Waits reports whether the server acknowledges a commit only when a synchronous standby has it on its disk. The
	// connections that append events require at least synchronous_commit = on, so synchronous_standby_names decides.
	Waits bool
	// Visible reports whether the database user may see the standbys (pg_read_all_stats). If it may not, the counts are
	// 0.
	Visible bool
	// Synchronous and Asynchronous are the numbers of standbys that currently follow the server.
	Synchronous, Asynchronous int
}

var selectReplication = define(`
	SELECT current_setting('synchronous_standby_names'), pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),
		(SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')),
		(SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('async', 'potential'))`)

// Replication returns the server's current replication settings, which may change at any time.
func (d *Database) Replication(ctx context.Context) (r Replication, err error) {
	err = d.read(ctx, func(p *pipeline) {
		p.ask(selectReplication, func(rows pgx.Rows) error {
			var names string
			err := rows.Scan(&names, &r.Visible, &r.Synchronous, &r.Asynchronous)
			r.Waits = strings.TrimSpace(names) != ""
			return err
		})
	})
	return r, err
}

// unreplicated marks a connection on which a commit stopped waiting for its standby.
const unreplicated = "filmstrip unreplicated"

// noteUnreplicated marks a connection if the server reports that it acknowledges a commit without the standby, because
// somebody canceled the wait (pg_cancel_backend). The server reports such a commit as a success with a warning.
func noteUnreplicated(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[unreplicated] = true
	}
}

// checkReplicated returns an error if a commit on this connection may not have reached a standby.
func (s *session) checkReplicated() error {
	marks := s.conn.Conn().PgConn().CustomData()
	if marks[unreplicated] == nil {
		return nil
	}
	delete(marks, unreplicated)
	return fault.Errorf(fault.Unavailable, "the database stopped waiting for its standby: the events may be lost in a failover")
}
