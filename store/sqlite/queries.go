package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// SearchLog is a store.Queries in one SQLite file.
type SearchLog struct{ *database }

var _ store.SearchLog = (*SearchLog)(nil)

// OpenSearchLog opens what was searched for in a file, creating it or bringing its schema up to date first
// (MigrateQueries). The folder must be there.
func OpenSearchLog(ctx context.Context, path string, options ...Option) (*SearchLog, error) {
	d, err := open(ctx, path, migrationsOf("queries"), slices.Concat(options, []Option{overwriting("ON")}))
	if err != nil {
		return nil, err
	}
	return &SearchLog{d}, nil
}

// MigrateQueries is MigrateCatalogue for the file of what was searched for.
func MigrateQueries(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("queries"), settingsOf(nil))
}

var (
	addSearched = defineInsertion(11, `
		INSERT INTO searched (text, account, day, sandbox, spelling, at, times, unfiltered, empty, found, found_at)`, `
		ON CONFLICT (text, account, day) DO UPDATE SET
			sandbox = iif(excluded.at >= at, excluded.sandbox, sandbox),
			spelling = iif(excluded.at >= at, excluded.spelling, spelling),
			at = max(at, excluded.at),
			times = times + excluded.times, unfiltered = unfiltered + excluded.unfiltered, empty = empty + excluded.empty,
			found = iif(excluded.found_at >= found_at, excluded.found, found),
			found_at = max(found_at, excluded.found_at)`)
	addClicked = defineInsertion(6, `INSERT INTO clicked (text, account, day, video, sandbox, times)`, `
		ON CONFLICT (text, account, day, video) DO UPDATE SET times = times + excluded.times, sandbox = excluded.sandbox`)
)

// Add implements store.Queries.
func (q *SearchLog) Add(ctx context.Context, batched store.SearchLogBatch) error {
	batched, err := storelogic.CheckQueries(batched)
	if err != nil || len(batched.Searches)+len(batched.Clicks) == 0 {
		return err
	}
	searched, clicked := batch{insertion: addSearched}, batch{insertion: addClicked}
	for i := range batched.Searches {
		s := &batched.Searches[i]
		searched.add(s.Text, s.Account, int64(s.Day), flag(s.Sandbox), s.Spelling, int64(s.At),
			s.Times, s.Unfiltered, s.Empty, s.Found, int64(s.FoundAt))
	}
	for i := range batched.Clicks {
		c := &batched.Clicks[i]
		clicked.add(c.Text, c.Account, int64(c.Day), c.Video, flag(c.Sandbox), c.Times)
	}
	return q.write(ctx, func(s *session) error {
		if err := searched.flush(ctx, s); err != nil {
			return err
		}
		return clicked.flush(ctx, s)
	})
}

// The lines of a report in the order of their texts: of all accounts, or of one. The plus signs keep the engine from
// finding days first, which it would then have to sort.
var (
	selectQueries = define(`
		SELECT text, account, '' AS video, spelling, times, unfiltered, empty, found, at, found_at
		FROM searched WHERE +day >= ?1 AND +day <= ?2 AND sandbox <= ?3
		UNION ALL
		SELECT text, account, video, '', times, 0, 0, 0, 0, 0
		FROM clicked WHERE +day >= ?1 AND +day <= ?2 AND sandbox <= ?3
		ORDER BY text`)
	selectQueriesOf = define(`
		SELECT text, account, '' AS video, spelling, times, unfiltered, empty, found, at, found_at
		FROM searched WHERE account = ?4 AND +day >= ?1 AND +day <= ?2 AND sandbox <= ?3
		UNION ALL
		SELECT text, account, video, '', times, 0, 0, 0, 0, 0
		FROM clicked WHERE account = ?4 AND +day >= ?1 AND +day <= ?2 AND sandbox <= ?3
		ORDER BY text`)
)

// Report implements store.Queries.
func (q *SearchLog) Report(ctx context.Context, question store.SearchLogQuery) ([]store.SearchLogRow, error) {
	if err := question.Check(); err != nil {
		return nil, err
	}
	report := storelogic.NewQueryReport(&question)
	st, args := selectQueries, []any{int64(question.From), int64(question.To), flag(question.Sandbox)}
	if len(question.Accounts) == 1 {
		st, args = selectQueriesOf, append(args, question.Accounts[0])
	}
	err := q.read(ctx, func(s *session) error {
		return s.queryLines(ctx, st, report.Add, args...)
	})
	if err != nil {
		return nil, err
	}
	return report.Rows(), nil
}

// selectShared finds texts of more than one account first: most are of one alone.
var selectShared = define(`
	SELECT s.text, s.account, '' AS video, s.spelling, s.unfiltered, s.unfiltered, s.empty, s.found, s.at, s.found_at
	FROM (
		SELECT text FROM searched WHERE +day >= ?1 AND sandbox = 0 AND unfiltered > 0
		GROUP BY text HAVING min(account) <> max(account) OR ?2 = 1
	) AS several CROSS JOIN searched AS s ON s.text = several.text
	WHERE +s.day >= ?1 AND s.sandbox = 0 AND s.unfiltered > 0`)

// Shared implements store.Queries.
func (q *SearchLog) Shared(ctx context.Context, since catalogue.Date, accounts, limit int) ([]store.SharedSearch, error) {
	shared := storelogic.NewSharedQueries(accounts)
	err := q.read(ctx, func(s *session) error {
		return s.queryLines(ctx, selectShared, shared.Add, int64(since), accounts)
	})
	if err != nil {
		return nil, err
	}
	return shared.Best(limit), nil
}

// queryLines hands out the lines that a statement finds.
func (s *session) queryLines(ctx context.Context, st *statement, add func(*storelogic.QueryLine), args ...any) error {
	return s.query(ctx, st, func(rows *sql.Rows) error {
		var line storelogic.QueryLine
		err := rows.Scan(&line.Text, &line.Account, &line.Video, &line.Spelling,
			&line.Times, &line.Unfiltered, &line.Empty, &line.Found, &line.At, &line.FoundAt)
		if err == nil {
			add(&line)
		}
		return err
	}, args...)
}

var (
	deleteSearchedBefore = define(`
		DELETE FROM searched WHERE (text, account, day) IN (SELECT text, account, day FROM searched WHERE day < ? ORDER BY day LIMIT ?)`)
	deleteClickedBefore = define(`
		DELETE FROM clicked WHERE (text, account, day, video) IN (SELECT text, account, day, video FROM clicked WHERE day < ? ORDER BY day LIMIT ?)`)
	deleteSearchedOf = define(`
		DELETE FROM searched WHERE (text, account, day) IN (SELECT text, account, day FROM searched WHERE account = ? LIMIT ?)`)
	deleteClickedOf = define(`
		DELETE FROM clicked WHERE (text, account, day, video) IN (SELECT text, account, day, video FROM clicked WHERE account = ? LIMIT ?)`)
)

// ForgetBefore implements store.Queries.
func (q *SearchLog) ForgetBefore(ctx context.Context, day catalogue.Date) error {
	if err := q.inChunks(ctx, deleting(ctx, deleteSearchedBefore, int64(day))); err != nil {
		return err
	}
	return q.inChunks(ctx, deleting(ctx, deleteClickedBefore, int64(day)))
}

// ForgetAccount implements store.Queries.
func (q *SearchLog) ForgetAccount(ctx context.Context, account string) error {
	if err := q.inChunks(ctx, deleting(ctx, deleteSearchedOf, account)); err != nil {
		return err
	}
	return q.inChunks(ctx, deleting(ctx, deleteClickedOf, account))
}
