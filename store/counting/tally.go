package counting

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// tally counts what belongs to one row, of cells and of plays.
type tally struct {
	plays, milliseconds int64
	persons, videos     set
	// parts are those of cells whose users and videos are not in the sets.
	parts []Part
	// damage is what is wrong with a body that was to be united.
	damage error
}

// add adds a part of a cell or a play; the other is nil.
func (t *tally) add(part *Part, play *Play) {
	if part != nil {
		t.addPart(*part)
	} else {
		t.addPlay(play)
	}
}

func (t *tally) addPlay(p *Play) {
	t.plays++
	t.milliseconds += p.Milliseconds()
	if p.Person != 0 {
		t.persons.add(p.Person)
	}
	if p.Video != 0 {
		t.videos.add(p.Video)
	}
}

// addPart takes the body of a part at once where it is at hand, unless it may be all that the tally gets.
func (t *tally) addPart(p Part) {
	first := t.plays == 0
	t.plays += p.Plays
	t.milliseconds += p.Milliseconds
	switch {
	case p.Body == nil:
		t.parts = append(t.parts, p)
	case first:
		p.Body = slices.Clone(p.Body)
		t.parts = append(t.parts, p)
	default:
		t.absorb(p.Body)
	}
}

func (t *tally) absorb(body []byte) {
	cell := Cell{persons: t.persons, videos: t.videos}
	if err := cell.Absorb(0, 0, body); err != nil {
		t.damage = err
	}
	t.persons, t.videos = cell.persons, cell.videos
}

// unite adds another tally, which may not be used afterwards.
func (t *tally) unite(other *tally) {
	t.plays += other.plays
	t.milliseconds += other.milliseconds
	t.parts = append(t.parts, other.parts...)
	t.damage = cmp.Or(t.damage, other.damage)
	t.persons.unite(&other.persons)
	t.videos.unite(&other.videos)
}

// alone reports whether one part is all that the tally has, so that its own counts are right.
func (t *tally) alone() bool {
	return len(t.parts) == 1 && t.parts[0].Plays == t.plays
}

func (t *tally) measures() usage.Measures {
	m := usage.Measures{Plays: t.plays, Milliseconds: t.milliseconds, Users: t.persons.len(), Videos: t.videos.len()}
	if t.alone() {
		m.Users, m.Videos = t.parts[0].Users, t.parts[0].Videos
	}
	return m
}

// open unites the parts that are not alone, reading the bodies that are not at hand.
func open(ctx context.Context, source Source, tallies []*tally) error {
	type opening struct {
		key  PartKey
		into *tally
	}
	var list []opening
	for _, t := range tallies {
		if t.alone() {
			continue
		}
		for _, part := range t.parts {
			if part.Body != nil {
				t.absorb(part.Body)
			} else {
				list = append(list, opening{part.Key, t})
			}
		}
	}
	slices.SortFunc(list, func(a, b opening) int { return a.key.compare(b.key.CellKey) })
	keys := make([]PartKey, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	err := error(nil)
	if len(keys) > 0 {
		err = source.Bodies(ctx, keys, func(place int, body []byte) error {
			list[place].into.absorb(body)
			return nil
		})
	}
	for _, t := range tallies {
		err = cmp.Or(err, t.damage)
	}
	return err
}
