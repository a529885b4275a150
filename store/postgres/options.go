package postgres

import (
	"log/slog"
	"time"

	"github.com/filmstrip/filmstrip/store/storelogic"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// Option configures how Open and Migrate connect to a database.
type Option func(*settings)

type settings struct {
	now            func() time.Time
	replica        string
	maxConnections int
	// connectTimeout is how long connecting may take. A read waits for a connection no longer than for its statement.
	connectTimeout   time.Duration
	statementTimeout time.Duration
	patience         time.Duration
	logger           *slog.Logger
	// segment is storelogic.PersonSegment, except in tests.
	segment int64
	// gather is usagelogic.GatheredPlays, except in tests.
	gather int64
}

func settingsOf(options []Option) settings {
	s := settings{
		now: time.Now, maxConnections: 16, connectTimeout: 3 * time.Second,
		statementTimeout: 5 * time.Second, patience: 10 * time.Second, logger: slog.New(slog.DiscardHandler),
		segment: storelogic.PersonSegment, gather: usagelogic.GatheredPlays,
	}
	for _, option := range options {
		option(&s)
	}
	return s
}

// WithClock sets the clock for the times of changes; the default is time.Now. Leases use the server's clock.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.now = now } }

// WithReplica sets the connection string of a streaming standby of the database, which serves the reads that may lag:
// Videos, States, Transcripts, Aliases, Scan, CountVideos and the reads of owned items. Reads use the replica only if
// it has reached every position that this process knows; if it is behind or unreachable, they use the database itself.
// All other options apply to both.
func WithReplica(url string) Option { return func(s *settings) { s.replica = url } }

// WithMaxConnections sets the maximum number of connections to the database, at least 4; the default is 16. One
// connection writes the catalogue, a fifth of them serve other writes, and the rest serve reads. The replica gets as
// many connections again. In addition, up to three connections append events, and up to four count usage and answer
// queries about it.
func WithMaxConnections(n int) Option { return func(s *settings) { s.maxConnections = max(4, n) } }

// WithStatementTimeout sets how long the server works on one statement before it cancels the statement, which causes
// the error fault.Unavailable; the default is 5 seconds. If the server hangs, a read fails after one second more,
// including the time for connecting. For a write, the time waiting for a lock does not count toward the timeout;
// leases, tokens and other account data wait for a lock for as long as the timeout. Migrations have no timeout. A
// statement_timeout in the connection string has no effect.
func WithStatementTimeout(d time.Duration) Option {
	return func(s *settings) { s.statementTimeout = d }
}

// WithPatience sets how long a write of the catalogue waits for another write that has the catalogue's lock before it
// fails with fault.Unavailable; the default is 10 seconds.
func WithPatience(d time.Duration) Option { return func(s *settings) { s.patience = d } }

// WithLogger sets the logger that receives a record whenever calls to the database are suspended or resumed. By default
// nothing is logged.
func WithLogger(logger *slog.Logger) Option { return func(s *settings) { s.logger = logger } }
