package usagelogic

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// tally sums the cells and plays of one row.
type tally struct {
	plays, milliseconds, excess int64
	persons, videos             set
	// parts contains the parts of cells whose users and videos the sets do not include, until the tally is open.
	parts []Part
	open  bool
	// distinct is the number of users and videos of an open tally that has united its parts.
	distinct *distinct
	// listed reports whether the tally includes sums from lists of videos, so that its users are incomplete.
	listed bool
	// listedUsers contains the users from lists of users, whose videos are missing until the tally is open.
	listedUsers []person
	skip        skipped
	// Cells before the horizon only have a number of users. users is the sum of these numbers over cells, except the
	// most recent cell, whose number is in lastUsers.
	horizon          event.Instant
	lastCell         CellKey
	users, lastUsers int64
	hasUsers         bool
	// damage is the error of a damaged body.
	damage error
}

// distinct contains numbers of distinct users and videos.
type distinct struct{ users, videos int64 }

// skipped contains the measures that the query does not ask for.
type skipped struct{ users, videos bool }

// add adds a part of a cell or a play, one of which is nil.
func (t *tally) add(part *Part, play *Play) {
	if part != nil {
		t.addPart(*part)
	} else {
		t.addPlay(play)
	}
}

func (t *tally) addPlay(p *Play) {
	t.plays += p.Plays()
	t.milliseconds += p.Milliseconds()
	t.excess += p.Excess
	if p.Continues {
		return
	}
	if p.Person != 0 && !t.skip.users {
		t.persons.add(p.Person)
	}
	if p.Video != 0 && !t.skip.videos {
		t.videos.add(p.Video)
	}
}

func (t *tally) addPart(p Part) {
	t.plays += p.Plays
	t.milliseconds += p.Milliseconds
	t.excess += p.Excess
	t.addUsers(&p)
	t.keep(p)
}

// addUsers adds the number of users of a part from before the horizon. Of several parts of one cell, which come one
// after the other, the largest number counts.
func (t *tally) addUsers(p *Part) {
	if !p.Key.Before(t.horizon) {
		return
	}
	if !t.hasUsers || t.lastCell != p.Key.CellKey {
		t.hasUsers, t.lastCell = true, p.Key.CellKey
		t.users, t.lastUsers = t.users+t.lastUsers, 0
	}
	t.lastUsers = max(t.lastUsers, p.Users)
}

// keep adds the body of a part at once if the engine has already read it, unless the part may be the only one of the
// tally.
func (t *tally) keep(p Part) {
	switch {
	case p.Body == nil:
		t.parts = append(t.parts, p)
	case len(t.parts) == 0:
		p.Body = slices.Clone(p.Body)
		t.parts = append(t.parts, p)
	default:
		t.absorb(p.Body)
	}
}

// addListed adds the sums that a list contains for a video.
func (t *tally) addListed(video Number, s sum) {
	t.plays += s.plays
	t.milliseconds += s.milliseconds
	t.excess += s.excess
	t.listed = true
	if video != 0 && s.plays > 0 && !t.skip.videos {
		t.videos.add(video)
	}
}

// addListedUser adds the sums that a list of an account contains for a user.
func (t *tally) addListedUser(account Number, l *line) {
	t.plays += l.plays
	t.milliseconds += l.milliseconds
	t.excess += l.excess
	if !t.skip.videos {
		t.listedUsers = append(t.listedUsers, person{account, l.value})
	}
	if l.value != 0 && l.plays > 0 && !t.skip.users {
		t.persons.add(l.value)
	}
}

// empty reports whether nothing was added to the tally.
func (t *tally) empty() bool { return t.plays == 0 && t.milliseconds == 0 && t.excess == 0 }

// absorb adds the sets of a body, except those that the query does not ask for.
func (t *tally) absorb(body []byte) {
	persons, videos := &t.persons, &t.videos
	if t.skip.users {
		persons = nil
	}
	if t.skip.videos {
		videos = nil
	}
	if _, err := readSets(body, persons, videos); err != nil {
		t.damage = err
	}
}

// unite adds another tally, which must not be used afterwards.
func (t *tally) unite(other *tally) {
	t.plays += other.plays
	t.milliseconds += other.milliseconds
	t.excess += other.excess
	t.parts = append(t.parts, other.parts...)
	t.listed = t.listed || other.listed
	t.listedUsers = append(t.listedUsers, other.listedUsers...)
	t.hasUsers = t.hasUsers || other.hasUsers
	t.users += other.users + other.lastUsers
	t.damage = cmp.Or(t.damage, other.damage)
	t.persons.unite(&other.persons)
	t.videos.unite(&other.videos)
}

// alone reports whether the tally consists of a single part, so that the counts of the part are exact.
func (t *tally) alone() bool {
	if len(t.parts) != 1 {
		return false
	}
	part := &t.parts[0]
	return part.Plays == t.plays && part.Milliseconds == t.milliseconds && part.Excess == t.excess
}

// measures returns the measures of an open tally. Measures that the query does not ask for are 0.
func (t *tally) measures() usage.Measures {
	m := usage.Measures{
		Plays: t.plays, Milliseconds: t.milliseconds, Excess: t.excess, Users: t.persons.len(), Videos: t.videos.len(),
	}
	if t.alone() {
		m.Users, m.Videos = t.parts[0].Users, t.parts[0].Videos
	}
	if t.distinct != nil {
		m.Users, m.Videos = t.distinct.users, t.distinct.videos
	}
	if t.hasUsers {
		m.Users = t.users + t.lastUsers
	}
	if t.skip.users {
		m.Users = 0
	}
	if t.skip.videos {
		m.Videos = 0
	}
	return m
}

// weight returns the measure that an order uses. If the tally is not open, weight may be an upper bound; known reports
// whether it is exact.
func (t *tally) weight(order usage.Order) (weight int64, known bool) {
	m := t.measures()
	switch {
	case order == usage.MostSeconds || order == usage.MostPlays || t.open || t.alone():
		known = true
	case t.listedUsers != nil:
		known, m.Videos = order == usage.MostUsers, m.Plays
	case len(t.parts) == 0 && !t.listed, order == usage.MostVideos && len(t.parts) == 0:
		known = true
	case t.listed:
		m.Users, m.Videos = m.Plays, m.Plays
	default:
		for _, part := range t.parts {
			m.Users += part.Users
			m.Videos += part.Videos
		}
	}
	return order.Weight(&m), known
}

// open combines the parts of the tallies that have more than one, reading the bodies that are missing.
func open(ctx context.Context, source Source, tallies ...*tally) error {
	var (
		keys   []PartKey
		into   []*tally // of each key
		opened []*tally
		all    uniting
	)
	for _, t := range tallies {
		if t.open || t.alone() || t.skip == (skipped{true, true}) {
			continue
		}
		t.open, opened = true, append(opened, t)
		for i := range t.parts {
			if t.parts[i].Body == nil {
				keys, into = append(keys, t.parts[i].Key), append(into, t)
			}
		}
	}
	err := error(nil)
	if len(keys) > 0 {
		err = source.Bodies(ctx, keys, func(place int, body []byte) error {
			all.of(into[place])
			all.add(body)
			return nil
		})
	}
	all.of(nil)
	for _, t := range opened {
		if t.distinct == nil { // all bodies are here, and short
			for i := range t.parts {
				t.absorb(t.parts[i].Body)
			}
		}
	}
	for _, t := range tallies {
		err = cmp.Or(err, t.damage)
	}
	return err
}

// uniting unites the parts of one tally after the other.
type uniting struct {
	tally           *tally
	persons, videos union
}

// of ends the tally before, and begins with t unless it is nil.
func (u *uniting) of(t *tally) {
	if u.tally == t {
		return
	}
	if u.tally != nil {
		u.tally.distinct = &distinct{u.persons.count(), u.videos.count()}
	}
	if u.tally = t; t == nil {
		return
	}
	u.persons.addSet(&t.persons)
	u.videos.addSet(&t.videos)
	for i := range t.parts {
		if t.parts[i].Body != nil {
			u.add(t.parts[i].Body)
		}
	}
}

// add adds the sets of a body, except those that the query does not ask for.
func (u *uniting) add(body []byte) {
	persons, videos := &u.persons, &u.videos
	if u.tally.skip.users {
		persons = nil
	}
	if u.tally.skip.videos {
		videos = nil
	}
	rest, err := persons.addStored(body)
	if err == nil {
		_, err = videos.addStored(rest)
	}
	u.tally.damage = cmp.Or(u.tally.damage, err)
}
