package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// Usage is a store.Usage in one SQLite file.
type Usage struct{ *database }

var _ store.Usage = (*Usage)(nil)

// OpenUsage opens the usage counts in a file, after creating it or bringing its schema up to date (MigrateUsage). The
// folder must exist.
func OpenUsage(ctx context.Context, path string, options ...Option) (*Usage, error) {
	d, err := open(ctx, path, migrationsOf("usage"), slices.Concat(options, []Option{overwriting("FAST")}))
	if err != nil {
		return nil, err
	}
	return &Usage{d}, nil
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
		if err := s.count(ctx, plays); err != nil {
			return err
		}
		_, err = s.exec(ctx, moveProgress, to.Position, int64(to.AsOf))
		return err
	})
}

func (s *session) count(ctx context.Context, plays []usage.Play) error {
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
	known := usagelogic.Dictionary{}
	if err := s.learn(ctx, known, usagelogic.Terms(plays)); err != nil {
		return err
	}
	if err := s.learn(ctx, known, usagelogic.Users(plays, known)); err != nil {
		return err
	}
	numbered := usagelogic.Translate(plays, known, voids)
	if err := s.addPlays(ctx, numbered); err != nil {
		return err
	}
	return s.addCells(ctx, usagelogic.Gather(numbered))
}

var (
	selectNumber = define(`SELECT number FROM terms WHERE dimension = ? AND text = ? AND owner = ?`)
	lastNumber   = define(`SELECT coalesce(max(number), 0) FROM terms WHERE dimension = ?`)
	insertTerms  = defineInsertion(4, `INSERT INTO terms (dimension, number, owner, text)`, ``)
)

// learn adds the numbers of terms to a dictionary. Terms without a number get a new one.
func (s *session) learn(ctx context.Context, known usagelogic.Dictionary, terms []usagelogic.Term) error {
	last, added := map[usage.Dimension]int64{}, batch{insertion: insertTerms}
	for _, term := range terms {
		number, err := s.number(ctx, selectNumber, int64(term.Dimension), term.Text, int64(term.Owner))
		if err != nil {
			return err
		}
		if number == 0 {
			if last[term.Dimension] == 0 {
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

var insertPlays = defineInsertion(14, `
	INSERT INTO plays (account, at, position, sandbox, client, person, video, channel, subjects, segment_start, segment_end, excess, void, continues)`, ``)

func (s *session) addPlays(ctx context.Context, plays []usagelogic.Play) error {
	rows := batch{insertion: insertPlays}
	for i := range plays {
		p := &plays[i]
		rows.add(int64(p.Account), int64(p.At), p.Position, flag(p.Sandbox), int64(p.Client), int64(p.Person), int64(p.Video),
			int64(p.Channel), packed(p.Subjects), p.Start, p.End, p.Excess, p.Void, flag(p.Continues))
	}
	return rows.flush(ctx, s)
}

// packed encodes numbers as varints, and returns nil for none.
func packed(numbers []usagelogic.Number) (list []byte) {
	for _, number := range numbers {
		list = binary.AppendUvarint(list, uint64(number))
	}
	return list
}

// unpacked decodes a list of packed and reuses the memory of into.
func unpacked(list []byte, into []usagelogic.Number) []usagelogic.Number {
	into = into[:0]
	for len(list) > 0 {
		number, n := binary.Uvarint(list)
		into = append(into, usagelogic.Number(number))
		list = list[max(1, n):]
	}
	return into
}

const playColumns = `
	SELECT position, at, sandbox, client, person, video, channel, subjects, segment_start, segment_end, excess, void, continues FROM plays `

// The statements find plays by account, and by video or person.
var (
	selectPlays         = define(playColumns + `WHERE account = ? AND at >= ? AND at < ? AND sandbox <= ? AND void <= ?`)
	selectPlaysOfVideo  = define(playColumns + `INDEXED BY plays_video WHERE account = ? AND at >= ? AND at < ? AND sandbox <= ? AND void <= ? AND video = ?`)
	selectPlaysOfPerson = define(playColumns + `INDEXED BY plays_person WHERE account = ? AND at >= ? AND at < ? AND sandbox <= ? AND void <= ? AND person = ?`)
)

// Plays implements usagelogic.Source.
func (m *moment) Plays(ctx context.Context, span usagelogic.PlaySpan, each func(*usagelogic.Play)) error {
	row := playRow{play: usagelogic.Play{Account: span.Account}}
	scan := func(rows *sql.Rows) error {
		err := row.scan(rows)
		if err == nil {
			each(&row.play)
		}
		return err
	}
	args := []any{int64(span.Account), int64(span.From), int64(span.To), flag(span.Sandbox), span.MaxVoid()}
	switch {
	case span.OfVideo:
		return m.query(ctx, selectPlaysOfVideo, scan, append(args, int64(span.Video))...)
	case span.Persons == nil || slices.Contains(span.Persons, 0): // the unknown person has too many plays for an index
		return m.query(ctx, selectPlays, scan, args...)
	}
	for _, person := range span.Persons {
		if err := m.query(ctx, selectPlaysOfPerson, scan, append(args, int64(person))...); err != nil {
			return err
		}
	}
	return nil
}

// playRow scans the columns of selectPlays, row after row, into types that need no conversion, because there may be
// millions of rows.
type playRow struct {
	play                                                   usagelogic.Play
	at, sandbox, client, person, video, channel, continues int64
	subjects                                               sql.RawBytes
	targets                                                []any
}

func (r *playRow) scan(rows *sql.Rows) error {
	p := &r.play
	if r.targets == nil {
		r.targets = []any{
			&p.Position, &r.at, &r.sandbox, &r.client, &r.person, &r.video, &r.channel, &r.subjects, &p.Start, &p.End, &p.Excess, &p.Void,
			&r.continues,
		}
	}
	if err := rows.Scan(r.targets...); err != nil {
		return err
	}
	p.At, p.Sandbox, p.Continues = event.Instant(r.at), r.sandbox == 1, r.continues == 1
	p.Subjects = unpacked(r.subjects, p.Subjects)
	p.Client, p.Person = usagelogic.Number(r.client), usagelogic.Number(r.person)
	p.Video, p.Channel = usagelogic.Number(r.video), usagelogic.Number(r.channel)
	return nil
}
