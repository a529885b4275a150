package sqlstore

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// SearchLog implements store.SearchLog. It is safe for concurrent use.
type SearchLog struct{ on[Database] }

var _ store.SearchLog = (*SearchLog)(nil)

// NewSearchLog returns the search log of a database.
func NewSearchLog(db Database) *SearchLog { return &SearchLog{on[Database]{db}} }

var (
	addSearches = defineInsertion(11, `
		INSERT INTO searchlog_searches AS known (text, account, day, sandbox, spelling, at, times, unfiltered, empty, found, found_at)`, `
		ON CONFLICT (text, account, day) DO UPDATE SET
			sandbox = CASE WHEN excluded.at >= known.at THEN excluded.sandbox ELSE known.sandbox END,
			spelling = CASE WHEN excluded.at >= known.at THEN excluded.spelling ELSE known.spelling END,
			at = CASE WHEN excluded.at >= known.at THEN excluded.at ELSE known.at END, times = known.times + excluded.times,
			unfiltered = known.unfiltered + excluded.unfiltered, empty = known.empty + excluded.empty,
			found = CASE WHEN excluded.found_at >= known.found_at THEN excluded.found ELSE known.found END,
			found_at = CASE WHEN excluded.found_at >= known.found_at THEN excluded.found_at ELSE known.found_at END`)
	addClicks = defineInsertion(6, `
		INSERT INTO searchlog_clicks AS known (text, account, day, video, sandbox, times)`, `
		ON CONFLICT (text, account, day, video) DO UPDATE SET times = known.times + excluded.times, sandbox = excluded.sandbox`)
)

// Add implements store.SearchLog.
func (l *SearchLog) Add(ctx context.Context, batch store.SearchLogBatch) error {
	batch, err := mergeBatch(batch)
	if err != nil || len(batch.Searches)+len(batch.Clicks) == 0 {
		return err
	}
	var searches, clicks []any
	for i := range batch.Searches {
		s := &batch.Searches[i]
		searches = append(searches, s.Text, s.Account, int64(s.Day), s.Sandbox, s.Spelling, int64(s.At),
			s.Times, s.Unfiltered, s.Empty, s.Found, int64(s.FoundAt))
	}
	for i := range batch.Clicks {
		c := &batch.Clicks[i]
		clicks = append(clicks, c.Text, c.Account, int64(c.Day), c.Video, c.Sandbox, c.Times)
	}
	return l.db.Write(ctx, func(ctx context.Context, c Conn) error {
		addSearches.Insert(ctx, c, searches)
		addClicks.Insert(ctx, c, clicks)
		return nil
	})
}

// reportLines returns a statement that selects the lines of a report in the order of their texts.
func reportLines(where string) string {
	return `
		SELECT text, account, '' AS video, spelling, times, unfiltered, empty, found, at, found_at
		FROM searchlog_searches WHERE ` + where + `
		UNION ALL
		SELECT text, account, video, '', times, 0, 0, 0, 0, 0
		FROM searchlog_clicks WHERE ` + where + `
		ORDER BY text`
}

// In SQLite, the plus signs prevent the use of an index on days or accounts, because SQLite would have to sort its
// rows.
const (
	sqliteDays = `+day >= $1 AND +day <= $2 AND sandbox <= $3`
	days       = `day >= $1 AND day <= $2 AND sandbox <= $3`
)

var (
	selectReport = DefinePer(reportLines(sqliteDays), reportLines(days)).
			scanning("a report reads all texts in order")
	selectReportOfOne = DefinePer(reportLines(`account = $4 AND `+sqliteDays), reportLines(`account = $4 AND `+days))
	selectReportOf    = DefinePer(
		reportLines(`+account IN (SELECT value FROM json_each($4)) AND `+sqliteDays),
		reportLines(`account = ANY ($4::bytea[]) AND `+days)).
		scanning("a report of several accounts reads all texts in order")
)

// Report implements store.SearchLog.
func (l *SearchLog) Report(ctx context.Context, question store.SearchLogQuery) ([]store.SearchLogRow, error) {
	if err := question.Check(); err != nil {
		return nil, err
	}
	st, args := selectReport, []any{int64(question.From), int64(question.To), question.Sandbox}
	switch {
	case len(question.Accounts) == 1:
		st, args = selectReportOfOne, append(args, question.Accounts[0])
	case question.Accounts != nil:
		st, args = selectReportOf, append(args, List(question.Accounts))
	}
	return read(ctx, l.db, func(ctx context.Context, c Conn) ([]store.SearchLogRow, error) {
		report := &report{question: &question}
		if err := c.Query(ctx, st, lines(report.add), args...); err != nil {
			return nil, err
		}
		return report.finish(), nil
	})
}

// selectShared finds the texts that several accounts used first, because most texts were used by only one account.
var selectShared = DefinePer(`
	SELECT s.text, s.account, '' AS video, s.spelling, s.unfiltered, s.unfiltered, s.empty, s.found, s.at, s.found_at
	FROM (
		SELECT text FROM searchlog_searches WHERE +day >= $1 AND NOT sandbox AND unfiltered > 0
		GROUP BY text HAVING min(account) <> max(account) OR $2 = 1
	) AS several CROSS JOIN searchlog_searches AS s ON s.text = several.text
	WHERE +s.day >= $1 AND NOT s.sandbox AND s.unfiltered > 0`, `
	SELECT s.text, s.account, '' AS video, s.spelling, s.unfiltered, s.unfiltered, s.empty, s.found, s.at, s.found_at
	FROM (
		SELECT text FROM searchlog_searches WHERE day >= $1 AND NOT sandbox AND unfiltered > 0
		GROUP BY text HAVING count(DISTINCT account) >= $2
	) AS several JOIN searchlog_searches AS s ON s.text = several.text
	WHERE s.day >= $1 AND NOT s.sandbox AND s.unfiltered > 0
	ORDER BY s.text`).
	scanning("the occasional choice of shared searches reads all texts")

// Shared implements store.SearchLog.
func (l *SearchLog) Shared(ctx context.Context, since catalogue.Date, accounts, limit int) ([]store.SharedSearch, error) {
	return read(ctx, l.db, func(ctx context.Context, c Conn) ([]store.SharedSearch, error) {
		shared := &sharedTexts{accounts: max(1, accounts)}
		if err := c.Query(ctx, selectShared, lines(shared.add), int64(since), accounts); err != nil {
			return nil, err
		}
		return shared.finish(limit), nil
	})
}

// lines returns a function that scans each row as a line and passes it to add.
func lines(add func(*line)) func(Row) error {
	return func(row Row) error {
		var line line
		err := row.Scan(&line.text, &line.account, &line.video, &line.spelling,
			&line.times, &line.unfiltered, &line.empty, &line.found, (*int64)(&line.at), (*int64)(&line.foundAt))
		if err == nil {
			add(&line)
		}
		return err
	}
}

// Deletions work in chunks, so that no writer waits for more than a moment. In PostgreSQL, the row lock keeps the ctid
// of a row valid.
var (
	deleteSearchesBefore = DefinePer(`
		DELETE FROM searchlog_searches WHERE (text, account, day) IN (
			SELECT text, account, day FROM searchlog_searches WHERE day < $1 ORDER BY day LIMIT $2)`, `
		DELETE FROM searchlog_searches WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM searchlog_searches WHERE day < $1 ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED))`)
	deleteClicksBefore = DefinePer(`
		DELETE FROM searchlog_clicks WHERE (text, account, day, video) IN (
			SELECT text, account, day, video FROM searchlog_clicks WHERE day < $1 ORDER BY day LIMIT $2)`, `
		DELETE FROM searchlog_clicks WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM searchlog_clicks WHERE day < $1 ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED))`)
	deleteSearchesOf = DefinePer(`
		DELETE FROM searchlog_searches WHERE (text, account, day) IN (
			SELECT text, account, day FROM searchlog_searches WHERE account = $1 LIMIT $2)`, `
		DELETE FROM searchlog_searches WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM searchlog_searches WHERE account = $1 ORDER BY text LIMIT $2 FOR UPDATE))`)
	deleteClicksOf = DefinePer(`
		DELETE FROM searchlog_clicks WHERE (text, account, day, video) IN (
			SELECT text, account, day, video FROM searchlog_clicks WHERE account = $1 LIMIT $2)`, `
		DELETE FROM searchlog_clicks WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM searchlog_clicks WHERE account = $1 ORDER BY text LIMIT $2 FOR UPDATE))`)
)

// deletedAtOnce is the largest number of rows that one transaction deletes.
const deletedAtOnce = 5_000

// ForgetBefore implements store.SearchLog. It skips rows that another process is deleting.
func (l *SearchLog) ForgetBefore(ctx context.Context, day catalogue.Date) error {
	if err := execAll(ctx, l.db, deleteSearchesBefore, int64(day), deletedAtOnce); err != nil {
		return err
	}
	return execAll(ctx, l.db, deleteClicksBefore, int64(day), deletedAtOnce)
}

// ForgetAccount implements store.SearchLog.
func (l *SearchLog) ForgetAccount(ctx context.Context, account string) error {
	if err := execAll(ctx, l.db, deleteSearchesOf, account, deletedAtOnce); err != nil {
		return err
	}
	return execAll(ctx, l.db, deleteClicksOf, account, deletedAtOnce)
}
