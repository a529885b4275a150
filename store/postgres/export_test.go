package postgres

import (
	"time"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Statements returns the texts of all statements of the package.
func Statements() (texts []string) {
	for _, st := range sqlstore.Statements() {
		if st.PostgreSQL != "" {
			texts = append(texts, st.PostgreSQL)
		}
	}
	return texts
}

// WholeTable returns the statements that scan a whole table on purpose, each with the reason.
func WholeTable() map[string]string {
	return map[string]string{
		"SELECT id, version, updated_at, source, reference, kind, body FROM entities":                                                                                "a directory is everything that is small",
		"SELECT account, month, client, sandbox, sealed, void, plays, milliseconds, excess FROM usage_ledger ORDER BY account, month, client, sandbox, sealed, void": "a seal, once a month, is made of the whole ledger",
		"SELECT body FROM (SELECT account, max(month) AS month FROM usage_statements GROUP BY account) AS last JOIN usage_statements USING (account, month)":         "a seal, once a month, asks for the last statement of every account",
	}
}

// Again reports whether the engine retries an append that failed with err. sent says whether the text that ends in a
// commit had been sent.
func Again(sent bool, err error) bool { return (&batch{sent: sent}).again(err) }

// PartitionLock is the key of the lock that a process holds while it creates a partition of the log.
const PartitionLock = partitionLock

// WithGathering sets how many plays a recount gathers in one transaction.
func WithGathering(plays int64) Option { return func(s *settings) { s.gather = plays } }

// WithSegments sets how many events a segment of the index of persons covers.
func WithSegments(size int64) Option { return func(s *settings) { s.segment = size } }

// LimitUsage sets the time limit of one statement that reads the counts.
func (d *Database) LimitUsage(limit time.Duration) { d.counts.reads = d.counts.reads.Within(limit) }

// WithConnectTimeout sets how long connecting may take.
func WithConnectTimeout(d time.Duration) Option { return func(s *settings) { s.connectTimeout = d } }
