package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// SearchLog is a store.Queries in a database. Reports are read by the connections that answer what was counted: they may
// take long.
type SearchLog struct{ engine }

var _ store.SearchLog = (*SearchLog)(nil)

// SearchLog returns what was searched for in the database.
func (d *Database) Queries() *SearchLog { return &SearchLog{d.engine()} }

// Rows come in one order, so that writers do not wait for each other in a circle.
var (
	addSearched = define(`
		INSERT INTO ask_searched AS known (text, account, day, sandbox, spelling, at, times, unfiltered, empty, found, found_at)
		SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::integer[], $4::boolean[], $5::bytea[],
			$6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
		ON CONFLICT (text, account, day) DO UPDATE SET
			sandbox = CASE WHEN excluded.at >= known.at THEN excluded.sandbox ELSE known.sandbox END,
			spelling = CASE WHEN excluded.at >= known.at THEN excluded.spelling ELSE known.spelling END,
			at = greatest(known.at, excluded.at), times = known.times + excluded.times,
			unfiltered = known.unfiltered + excluded.unfiltered, empty = known.empty + excluded.empty,
			found = CASE WHEN excluded.found_at >= known.found_at THEN excluded.found ELSE known.found END,
			found_at = greatest(known.found_at, excluded.found_at)`)
	addClicked = define(`
		INSERT INTO ask_clicked AS known (text, account, day, video, sandbox, times)
		SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::integer[], $4::bytea[], $5::boolean[], $6::bigint[])
		ON CONFLICT (text, account, day, video) DO UPDATE SET times = known.times + excluded.times, sandbox = excluded.sandbox`)
)

// Add implements store.Queries.
func (q *SearchLog) Add(ctx context.Context, batch store.SearchLogBatch) error {
	batch, err := storelogic.CheckQueries(batch)
	if err != nil || len(batch.Searches)+len(batch.Clicks) == 0 {
		return err
	}
	first := func(p *pipeline) {
		p.do(addSearched, searchedColumns(batch.Searches)...)
		p.do(addClicked, clickedColumns(batch.Clicks)...)
	}
	return q.changing(ctx, first, func(context.Context, *session, *pipeline) error { return nil })
}

func searchedColumns(searches []store.Searched) []any {
	n := len(searches)
	texts, accounts, spellings := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	days, sandboxes := make([]int32, n), make([]bool, n)
	var numbers [6][]int64
	for i := range searches {
		s := &searches[i]
		texts[i], accounts[i], spellings[i] = []byte(s.Text), []byte(s.Account), []byte(s.Spelling)
		days[i], sandboxes[i] = int32(s.Day), s.Sandbox
		for j, number := range [...]int64{int64(s.At), s.Times, s.Unfiltered, s.Empty, s.Found, int64(s.FoundAt)} {
			numbers[j] = append(numbers[j], number)
		}
	}
	return []any{texts, accounts, days, sandboxes, spellings, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]}
}

func clickedColumns(clicks []store.Clicked) []any {
	n := len(clicks)
	texts, accounts, videos := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	days, sandboxes, times := make([]int32, n), make([]bool, n), make([]int64, n)
	for i := range clicks {
		c := &clicks[i]
		texts[i], accounts[i], videos[i] = []byte(c.Text), []byte(c.Account), []byte(c.Video)
		days[i], sandboxes[i], times[i] = int32(c.Day), c.Sandbox, c.Times
	}
	return []any{texts, accounts, days, videos, sandboxes, times}
}

// The lines of a report in the order of their texts: of all accounts, or of some.
var (
	selectQueries = define(`
		SELECT text, account, ''::bytea AS video, spelling, times, unfiltered, empty, found, at, found_at
		FROM ask_searched WHERE day >= $1 AND day <= $2 AND sandbox <= $3
		UNION ALL
		SELECT text, account, video, '', times, 0, 0, 0, 0, 0
		FROM ask_clicked WHERE day >= $1 AND day <= $2 AND sandbox <= $3
		ORDER BY text`)
	selectQueriesOf = define(`
		SELECT text, account, ''::bytea AS video, spelling, times, unfiltered, empty, found, at, found_at
		FROM ask_searched WHERE account = ANY ($4::bytea[]) AND day >= $1 AND day <= $2 AND sandbox <= $3
		UNION ALL
		SELECT text, account, video, '', times, 0, 0, 0, 0, 0
		FROM ask_clicked WHERE account = ANY ($4::bytea[]) AND day >= $1 AND day <= $2 AND sandbox <= $3
		ORDER BY text`)
)

// Report implements store.Queries.
func (q *SearchLog) Report(ctx context.Context, question store.SearchLogQuery) ([]store.SearchLogRow, error) {
	if err := question.Check(); err != nil {
		return nil, err
	}
	st, args := selectQueries, []any{int32(question.From), int32(question.To), question.Sandbox}
	if question.Accounts != nil {
		st, args = selectQueriesOf, append(args, bytesOf(question.Accounts))
	}
	var report *storelogic.QueryReport
	err := q.lines(ctx, st, func() func(*storelogic.QueryLine) {
		report = storelogic.NewQueryReport(&question)
		return report.Add
	}, args...)
	if err != nil {
		return nil, err
	}
	return report.Rows(), nil
}

// selectShared finds texts of enough accounts first: most are of one alone.
var selectShared = define(`
	SELECT s.text, s.account, ''::bytea AS video, s.spelling, s.unfiltered, s.unfiltered, s.empty, s.found, s.at, s.found_at
	FROM (
		SELECT text FROM ask_searched WHERE day >= $1 AND NOT sandbox AND unfiltered > 0
		GROUP BY text HAVING count(DISTINCT account) >= $2
	) AS several JOIN ask_searched AS s ON s.text = several.text
	WHERE s.day >= $1 AND NOT s.sandbox AND s.unfiltered > 0
	ORDER BY s.text`)

// Shared implements store.Queries.
func (q *SearchLog) Shared(ctx context.Context, since catalogue.Date, accounts, limit int) ([]store.SharedSearch, error) {
	var shared *storelogic.SharedQueries
	err := q.lines(ctx, selectShared, func() func(*storelogic.QueryLine) {
		shared = storelogic.NewSharedQueries(accounts)
		return shared.Add
	}, int32(since), accounts)
	if err != nil {
		return nil, err
	}
	return shared.Best(limit), nil
}

// lines hands out the lines that a statement finds, to what begin returns; from the first again where the connection
// turns out to be a dead one.
func (q *SearchLog) lines(ctx context.Context, st *statement, begin func() func(*storelogic.QueryLine), args ...any) error {
	return q.calling(ctx, q.counts.reads, func(ctx context.Context) error {
		return twice(func() error {
			return with(ctx, q.counts.pool, func(ctx context.Context, s *session) error {
				p, add := &pipeline{}, begin()
				p.ask(st, func(rows pgx.Rows) error { return scanQueryLine(rows, add) }, args...)
				return s.run(ctx, p)
			})
		})
	})
}

func scanQueryLine(rows pgx.Rows, add func(*storelogic.QueryLine)) error {
	var (
		line                           storelogic.QueryLine
		text, account, video, spelling []byte
	)
	err := rows.Scan(&text, &account, &video, &spelling,
		&line.Times, &line.Unfiltered, &line.Empty, &line.Found, (*int64)(&line.At), (*int64)(&line.FoundAt))
	if err != nil {
		return err
	}
	line.Text, line.Account, line.Video, line.Spelling = string(text), string(account), string(video), string(spelling)
	add(&line)
	return nil
}

// Of a chunk at a time, so that nobody who adds waits for more than a moment. The lock keeps rows where they are.
var (
	deleteSearchedBefore = define(`DELETE FROM ask_searched WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM ask_searched WHERE day < $1 ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED))`)
	deleteClickedBefore = define(`DELETE FROM ask_clicked WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM ask_clicked WHERE day < $1 ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED))`)
	deleteSearchedOf = define(`DELETE FROM ask_searched WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM ask_searched WHERE account = $1 ORDER BY text LIMIT $2 FOR UPDATE))`)
	deleteClickedOf = define(`DELETE FROM ask_clicked WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM ask_clicked WHERE account = $1 ORDER BY text LIMIT $2 FOR UPDATE))`)
)

// ForgetBefore implements store.Queries. What another process removes just now is left to it.
func (q *SearchLog) ForgetBefore(ctx context.Context, day catalogue.Date) error {
	if err := q.forget(ctx, deleteSearchedBefore, int32(day)); err != nil {
		return err
	}
	return q.forget(ctx, deleteClickedBefore, int32(day))
}

// ForgetAccount implements store.Queries.
func (q *SearchLog) ForgetAccount(ctx context.Context, account string) error {
	if err := q.forget(ctx, deleteSearchedOf, []byte(account)); err != nil {
		return err
	}
	return q.forget(ctx, deleteClickedOf, []byte(account))
}

// forgottenQueries is how many rows one transaction removes.
const forgottenQueries = 5_000

// forget runs a statement that deletes up to so many rows until it finds no more.
func (q *SearchLog) forget(ctx context.Context, st *statement, of any) error {
	for more := true; more; {
		err := q.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, _ *pipeline) error {
			deleted, err := s.change(ctx, st, of, forgottenQueries)
			more = deleted == forgottenQueries
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
