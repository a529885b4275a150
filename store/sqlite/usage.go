package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// Usage is a store.Usage in one SQLite file.
type Usage struct {
	*database
	// recounted contains the numbers of terms that a recount has used.
	recounted usagelogic.Numbers
}

var _ store.Usage = (*Usage)(nil)

// OpenUsage opens the usage counts in a file, after creating it or bringing its schema up to date (MigrateUsage). The
// folder must exist.
func OpenUsage(ctx context.Context, path string, options ...Option) (*Usage, error) {
	d, err := open(ctx, path, migrationsOf("usage"), slices.Concat(options, []Option{overwriting("FAST")}))
	if err != nil {
		return nil, err
	}
	return &Usage{database: d}, nil
}

var (
	selectProgress = define(`SELECT position, as_of FROM progress WHERE one = 1`)
	moveProgress   = define(`UPDATE progress SET position = ?, as_of = ? WHERE one = 1`)
)

// Progress implements store.Usage.
func (u *Usage) Progress(ctx context.Context) (progress usage.Progress, err error) {
	err = u.read(ctx, func(s *session) error {
		progress, err = s.progress(ctx)
		return err
	})
	return progress, err
}

func (s *session) progress(ctx context.Context) (progress usage.Progress, err error) {
	err = s.query(ctx, selectProgress, func(rows *sql.Rows) error {
		return rows.Scan(&progress.Position, &progress.AsOf)
	})
	return progress, err
}

// Apply implements store.Usage.
func (u *Usage) Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) error {
	if err := usagelogic.CheckPlays(from, to, plays); err != nil {
		return err
	}
	return u.write(ctx, func(s *session) error {
		progress, err := s.progress(ctx)
		if err != nil {
			return err
		}
		if progress != from {
			return usagelogic.ErrMoved(progress, from)
		}
		if err := s.count(ctx, plays, usagelogic.Dictionary{}, true); err != nil {
			return err
		}
		_, err = s.exec(ctx, moveProgress, to.Position, int64(to.AsOf))
		return err
	})
}

// count adds plays, to cells only if gathers is true. known contains numbers of terms, and receives those that are
// missing.
func (s *session) count(ctx context.Context, plays []usage.Play, known usagelogic.Dictionary, gathers bool) error {
	seals, err := s.seals(ctx)
	if err != nil {
		return err
	}
	var voids usage.Voids
	if s.recounting { // a void removes only plays that were counted before it
		if voids, err = s.voids(ctx); err != nil {
			return err
		}
	}
	if err := s.addSums(ctx, usagelogic.Sums(plays, seals, voids)); err != nil {
		return err
	}
	if err := s.learn(ctx, known, usagelogic.Terms(plays)); err != nil {
		return err
	}
	if err := s.learn(ctx, known, usagelogic.Users(plays, known)); err != nil {
		return err
	}
	numbered := usagelogic.Translate(plays, known, voids)
	if err := usagelogic.AddPlays(ctx, s, numbered); err != nil || !gathers {
		return err
	}
	return s.AddCells(ctx, usagelogic.Gather(numbered))
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

// learn adds the numbers of terms to a dictionary. Terms without a number get a new one.
func (s *session) learn(ctx context.Context, known usagelogic.Dictionary, terms []usagelogic.Term) error {
	if err := s.findTerms(ctx, known, terms); err != nil {
		return err
	}
	last, added := map[usage.Dimension]int64{}, batch{insertion: insertTerms}
	for _, term := range terms {
		if known[term] != 0 {
			continue
		}
		var number int64
		if !utf8.ValidString(term.Text) || strings.ContainsRune(term.Text, 0) { // findTerms may have missed it
			var err error
			if number, err = s.number(ctx, selectNumber, int64(term.Dimension), term.Text, int64(term.Owner)); err != nil {
				return err
			}
		}
		if number == 0 {
			if last[term.Dimension] == 0 {
				var err error
				if last[term.Dimension], err = s.number(ctx, lastNumber, int64(term.Dimension)); err != nil {
					return err
				}
			}
			last[term.Dimension]++
			number = last[term.Dimension]
			added.add(int64(term.Dimension), number, int64(term.Owner), term.Text)
		}
		known[term] = usagelogic.Number(number)
	}
	return added.flush(ctx, s)
}
