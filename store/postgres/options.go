package postgres

import (
	"log/slog"
	"time"
)

// Option changes how a database is opened.
type Option func(*settings)

type settings struct {
	now              func() time.Time
	password         string
	replica          string
	maxConnections   int
	connectTimeout   time.Duration
	statementTimeout time.Duration
	patience         time.Duration
	logger           *slog.Logger
}

func settingsOf(options []Option) settings {
	s := settings{
		now: time.Now, maxConnections: 16, connectTimeout: 3 * time.Second,
		statementTimeout: 5 * time.Second, patience: 10 * time.Second, logger: slog.New(slog.DiscardHandler),
	}
	for _, option := range options {
		option(&s)
	}
	return s
}

// WithClock takes the time of changes from now instead of time.Now. Leases go by the server's own.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.now = now } }

// WithPassword is the password where the connection string has none; it is the replica's too.
func WithPassword(password string) Option { return func(s *settings) { s.password = password } }

// WithReplica names, by a connection string, a streaming standby of the database for reads that may lag:
// Videos, States, Transcripts, Aliases, Scan and CountVideos. It is asked only where it has reached every
// position that this process knows of; where it is behind or away, the database itself answers. Options
// hold for both.
func WithReplica(url string) Option { return func(s *settings) { s.replica = url } }

// WithMaxConnections sets how many connections there are at most, at least 4; the default is 16. One
// writes the catalogue, a fifth serve other writes, the rest reads; as many more go to the replica. Beside
// these, events are appended through up to three, and counted and asked about through up to four.
func WithMaxConnections(n int) Option { return func(s *settings) { s.maxConnections = max(4, n) } }

// WithConnectTimeout sets how long connecting may take; the default is 3 seconds. A read does not wait for
// it any longer than for its statement.
func WithConnectTimeout(d time.Duration) Option { return func(s *settings) { s.connectTimeout = d } }

// WithStatementTimeout sets how long the server works at one statement before it gives up, which is
// catalogue.Unavailable; the default is 5 seconds. Of a server that hangs, a read waits a second longer, with
// connecting. What writes has this time apart from that for which it waits for a lock; leases, tokens and
// other accounts wait for one as long as this. Migrations have no such limit. A statement_timeout in the
// connection string does not count.
func WithStatementTimeout(d time.Duration) Option {
	return func(s *settings) { s.statementTimeout = d }
}

// WithPatience sets how long a write of the catalogue waits for another that holds the catalogue's lock before it fails
// with catalogue.Unavailable; the default is 10 seconds.
func WithPatience(d time.Duration) Option { return func(s *settings) { s.patience = d } }

// WithLogger takes a line whenever the database is no longer asked, or is asked again.
func WithLogger(logger *slog.Logger) Option { return func(s *settings) { s.logger = logger } }
