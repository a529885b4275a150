package counting

import (
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

func (t *tally) addPart(p Part) {
	t.plays += p.Plays
	t.milliseconds += p.Milliseconds
	t.parts = append(t.parts, p)
}

// unite adds another tally, which may not be used afterwards. Neither has parts.
func (t *tally) unite(other *tally) {
	t.plays += other.plays
	t.milliseconds += other.milliseconds
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

// open reads the bodies of parts that have to be united with others.
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
			list = append(list, opening{part.Key, t})
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b opening) int { return a.key.compare(b.key.CellKey) })
	keys := make([]PartKey, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	return source.Bodies(ctx, keys, func(place int, body []byte) error {
		cell := Cell{}
		if err := cell.Absorb(0, 0, body); err != nil {
			return err
		}
		into := list[place].into
		into.persons.unite(&cell.persons)
		into.videos.unite(&cell.videos)
		return nil
	})
}
