package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// Usage is a store.Usage in one SQLite file.
type Usage = sqlstore.Usage

// OpenUsage opens the usage counts in a file, after creating it or bringing its schema up to date (Migrate). The
// folder must exist.
func OpenUsage(ctx context.Context, path string, options ...Option) (*Usage, error) {
	d, err := openUsage(ctx, path, options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewUsage(d, d.gather), nil
}

func openUsage(ctx context.Context, path string, options []Option) (usageDatabase, error) {
	d, err := open(ctx, path, "usage", slices.Concat(options, []Option{overwriting("FAST")}))
	return usageDatabase{shared{d}}, err
}

// usageDatabase implements sqlstore.UsageDatabase.
type usageDatabase struct{ shared }

var _ sqlstore.UsageDatabase = usageDatabase{}

// counts implements sqlstore.CountsTx, and thus sqlstore.Counts, in one transaction.
type counts struct {
	*session
	sqlstore.CountsConn
}

// Snapshot implements sqlstore.UsageDatabase.
func (d usageDatabase) Snapshot(ctx context.Context, fn func(ctx context.Context, c sqlstore.Counts) error) error {
	return d.read(ctx, func(s *session) error {
		return s.reading(ctx, func() error {
			return d.with(ctx, s, func(ctx context.Context, c *counts) error { return fn(ctx, c) })
		})
	})
}

// Count implements sqlstore.UsageDatabase.
func (d usageDatabase) Count(ctx context.Context, fn func(ctx context.Context, tx sqlstore.CountsTx) error) error {
	return d.count(ctx, func(ctx context.Context, c *counts) error { return fn(ctx, c) })
}

func (d usageDatabase) count(ctx context.Context, fn func(ctx context.Context, c *counts) error) error {
	return d.write(ctx, func(s *session) error { return d.with(ctx, s, fn) })
}

// with runs fn with the counts of a session, which has an open transaction.
func (d usageDatabase) with(ctx context.Context, s *session, fn func(ctx context.Context, c *counts) error) error {
	return d.run(ctx, s, func(ctx context.Context, c sqlstore.Conn) error {
		return fn(ctx, &counts{s, sqlstore.CountsConn{Conn: c}})
	})
}

var (
	selectNumber      = define(`SELECT number FROM terms WHERE dimension = ? AND text = ? AND owner = ?`)
	selectTermNumbers = define(`
		SELECT asked.key, t.number, t.text FROM json_each(?) AS asked CROSS JOIN terms AS t ON t.dimension = ? AND t.text = asked.value AND t.owner = ?`)
	lastNumber  = define(`SELECT coalesce(max(number), 0) FROM terms WHERE dimension = ?`)
	insertTerms = defineInsertion(4, `INSERT INTO terms (dimension, number, owner, text)`, ``)
)

// termsAtOnce is the number of terms that one query finds.
const termsAtOnce = 500

// findTerms adds the numbers of terms to a dictionary, many at once. It may miss terms whose texts contain a zero byte or are not valid UTF-8.
func (s *session) findTerms(ctx context.Context, known usagelogic.Dictionary, terms []usagelogic.Term) error {
	groups := map[usagelogic.Term][]string{}
	for _, term := range terms {
		if known[term] == 0 {
			of := usagelogic.Term{Dimension: term.Dimension, Owner: term.Owner}
			groups[of] = append(groups[of], term.Text)
		}
	}
	for of, texts := range groups {
		for some := range slices.Chunk(texts, termsAtOnce) {
			err := s.query(ctx, selectTermNumbers, func(rows *sql.Rows) error {
				var (
					place, number int64
					text          sql.RawBytes
				)
				err := rows.Scan(&place, &number, &text)
				if err == nil && string(text) == some[place] { // JSON replaces bytes that are not UTF-8
					of.Text = some[place]
					known[of] = usagelogic.Number(number)
				}
				return err
			}, jsonList(some), int64(of.Dimension), int64(of.Owner))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Number implements sqlstore.Counts.
func (s *session) Number(ctx context.Context, term usagelogic.Term) (usagelogic.Number, error) {
	number, err := s.number(ctx, selectNumber, int64(term.Dimension), term.Text, int64(term.Owner))
	return usagelogic.Number(number), err
}

// Learn implements sqlstore.CountsTx.
func (s *session) Learn(ctx context.Context, known usagelogic.Dictionary, terms []usagelogic.Term) error {
	if err := s.findTerms(ctx, known, terms); err != nil {
		return err
	}
	last, added := map[usage.Dimension]int64{}, batch{insertion: insertTerms}
	for _, term := range terms {
		if known[term] != 0 {
			continue
		}
		if !utf8.ValidString(term.Text) || strings.ContainsRune(term.Text, 0) { // findTerms may have missed it
			var err error
			if known[term], err = s.Number(ctx, term); err != nil {
				return err
			}
		}
		if known[term] == 0 {
			if last[term.Dimension] == 0 {
				var err error
				if last[term.Dimension], err = s.number(ctx, lastNumber, int64(term.Dimension)); err != nil {
					return err
				}
			}
			last[term.Dimension]++
			known[term] = usagelogic.Number(last[term.Dimension])
			added.add(int64(term.Dimension), last[term.Dimension], int64(term.Owner), term.Text)
		}
	}
	return added.flush(ctx, s)
}
