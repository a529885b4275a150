package postgres

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// openOthers opens the pools other than the primary's general one.
func (d *Database) openOthers(ctx context.Context, url string) (err error) {
	if d.appends, err = d.openAppends(ctx, url); err != nil {
		return err
	}
	if d.counts, err = d.openCounts(ctx, url); err != nil {
		return err
	}
	if d.replica != "" {
		d.standby, err = d.openStandby(ctx)
	}
	return err
}

// pools returns the pools that are open.
func (d *Database) pools() []*pgxpool.Pool {
	pools := []*pgxpool.Pool{d.primary}
	if d.appends != nil {
		pools = append(pools, d.appends.pool)
	}
	if d.counts != nil {
		pools = append(pools, d.counts.pool)
	}
	if d.standby != nil {
		pools = append(pools, d.standby.pool)
	}
	return pools
}

// openOwn opens a separate pool for one kind of work, with limits of its own. Its commits reach the disk before the
// server acknowledges them.
func (s settings) openOwn(ctx context.Context, url string, connections int32, limits map[string]time.Duration) (*pgxpool.Pool, error) {
	config, err := s.configOf(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns, config.MinConns = connections, 0
	// A statement that ends in a commit is never sent twice, so the pool detects lost connections before it hands them
	// out.
	config.ShouldPing = func(_ context.Context, params pgxpool.ShouldPingParams) bool {
		return params.IdleDuration > 100*time.Millisecond
	}
	config.ConnConfig.OnNotice = noteUnreplicated
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, flushCommits)
		return err
	}
	// A plan that was made while a table was empty scans the whole table, and the server keeps the plan after the table
	// has grown.
	config.ConnConfig.RuntimeParams["enable_seqscan"] = "off"
	for name, limit := range limits {
		config.ConnConfig.RuntimeParams[name] = milliseconds(limit)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, startFault(ctx, err)
	}
	return pool, nil
}

// flushCommits makes the server acknowledge a commit only once it has reached the disk, regardless of the settings of the
// server, the database and the user. Stricter settings stay.
const flushCommits = `
	SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')`

// configOf parses a connection string. Its errors contain no part of the string.
func (s settings) configOf(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("store/postgres: the connection string is not understood; it has the form postgres://USER@HOST:PORT/NAME?sslmode=MODE%s", hint(address))
	}
	config.MaxConns = int32(min(s.maxConnections, 1000))
	config.MinConns = 1
	config.MaxConnIdleTime = 5 * time.Minute
	config.PingTimeout = time.Second
	config.ConnConfig.ConnectTimeout = s.connectTimeout
	set := config.ConnConfig.RuntimeParams
	if set["application_name"] == "" {
		set["application_name"] = "filmstrip"
	}
	set["statement_timeout"] = milliseconds(s.statementTimeout)
	set["lock_timeout"] = milliseconds(s.patience)
	set["idle_in_transaction_session_timeout"] = milliseconds(idleLimit)
	set["default_transaction_isolation"] = "read committed"
	set["jit"] = "off" // every statement is short
	return config, nil
}

// hint returns advice about the most frequent mistake in a connection string, or "".
func hint(address string) string {
	if _, err := url.Parse(address); err != nil && strings.Contains(address, "://") {
		return "; special characters of the password are written %XX there, or the password is given apart"
	}
	return ""
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }
