// Package usagelogic implements the logic that all stores of usage share: it converts plays to numbers and sums them up
// in cells, splits a query into cells and plays, combines their contents, and orders the rows. Engines store the rows
// and find them.
//
// Texts have numbers (see Term), so plays are small and sets of users and videos are bitmaps. The stores keep all plays
// until retention deletes them: a query reads plays wherever no cell answers it, so every answer is exact.
//
// Combining sets is expensive; adding sums is not. So a query ranks its rows by sums (ranks.go), or by lists if the
// rows are videos (videos.go) or users (users.go), and combines the users only for the rows of the page.
package usagelogic

import (
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Number identifies a text within a dimension, starting at 1; 0 is the number of "".
type Number = uint32

// Term is a text with a number of its own.
type Term struct {
	// Dimension is the dimension that the text is a value of.
	Dimension usage.Dimension
	// Owner is the account of a user, because the same name at two accounts is two persons. It is 0 in other
	// dimensions.
	Owner Number
	Text  string
}

// Dictionary contains the numbers of terms.
type Dictionary map[Term]Number

// number returns the number of a text, which the dictionary must contain unless it is "".
func (d Dictionary) number(dimension usage.Dimension, owner Number, text string) Number {
	if text == "" {
		return 0
	}
	return d[Term{dimension, owner, text}]
}

// Play is a usage.Play with numbers in place of texts.
type Play struct {
	Position                                event.Position
	At                                      event.Instant
	Account, Client, Person, Video, Channel Number
	// Subjects is sorted and without duplicates.
	Subjects           []Number
	Start, End, Excess int64
	Sandbox            bool
	// Continues is as in usage.Play.
	Continues bool
	// Void is the number of the void that takes the play out of the counts (see usage.Voids.Holder), or 0 if the play
	// is counted.
	Void int64
}

// Plays returns how many plays the segment counts as: 1, or 0 if it continues one.
func (p *Play) Plays() int64 { return 1 - int64(truth(p.Continues)) }

// Milliseconds returns how much of the play is counted.
func (p *Play) Milliseconds() int64 { return p.End - p.Start - p.Excess }

// Terms returns the distinct terms of plays, in order of appearance, without the users: their terms contain the number
// of their account (see Users).
func Terms(plays []usage.Play) []Term {
	terms := collected{}
	for i := range plays {
		p := &plays[i]
		terms.add(Term{usage.ByAccount, 0, p.Account})
		terms.add(Term{usage.ByClient, 0, p.Client})
		terms.add(Term{usage.ByVideo, 0, p.Video})
		terms.add(Term{usage.ByChannel, 0, p.Channel})
		for _, subject := range p.Subjects {
			terms.add(Term{usage.BySubject, 0, subject})
		}
	}
	return terms.list
}

// Users returns the distinct users of plays, in order of appearance. The dictionary must contain their accounts.
func Users(plays []usage.Play, known Dictionary) []Term {
	terms := collected{}
	for i := range plays {
		p := &plays[i]
		terms.add(Term{usage.ByUser, known.number(usage.ByAccount, 0, p.Account), p.Person})
	}
	return terms.list
}

// collected is a list of distinct terms.
type collected struct {
	list []Term
	seen map[Term]bool
}

func (c *collected) add(term Term) {
	if term.Text == "" || c.seen[term] {
		return
	}
	if c.seen == nil {
		c.seen = map[Term]bool{}
	}
	c.seen[term] = true
	c.list = append(c.list, term)
}

// Translate converts plays to numbers, all of which the dictionary must contain. It sets Void on the plays that voids
// take.
func Translate(plays []usage.Play, known Dictionary, voids usage.Voids) []Play {
	numbered := make([]Play, len(plays))
	for i := range plays {
		p := &plays[i]
		account := known.number(usage.ByAccount, 0, p.Account)
		numbered[i] = Play{
			Position: p.Position, At: p.At, Account: account, Start: p.Start, End: p.End, Excess: p.Excess,
			Sandbox: p.Sandbox, Continues: p.Continues, Client: known.number(usage.ByClient, 0, p.Client), Person: known.number(usage.ByUser, account, p.Person),
			Video: known.number(usage.ByVideo, 0, p.Video), Channel: known.number(usage.ByChannel, 0, p.Channel),
			Void: voids.Holder(p),
		}
		for _, subject := range p.Subjects {
			if number := known.number(usage.BySubject, 0, subject); number != 0 {
				numbered[i].Subjects = append(numbered[i].Subjects, number)
			}
		}
		slices.Sort(numbered[i].Subjects)
		numbered[i].Subjects = slices.Compact(numbered[i].Subjects)
	}
	return numbered
}

// values returns the play's values of a dimension: one, which is 0 if it has none, or several subjects.
func (p *Play) values(dimension usage.Dimension) []Number {
	if dimension == usage.BySubject {
		return p.subjects()
	}
	return []Number{p.value(dimension)}
}

// value returns the play's value of a dimension other than subjects; 0 if it has none.
func (p *Play) value(dimension usage.Dimension) Number {
	switch dimension {
	case usage.ByAccount:
		return p.Account
	case usage.ByClient:
		return p.Client
	case usage.ByUser:
		return p.Person
	case usage.ByVideo:
		return p.Video
	case usage.ByChannel:
		return p.Channel
	}
	return 0
}

var noSubjects = []Number{0}

// subjects returns the play's subjects, or 0 if it has none.
func (p *Play) subjects() []Number {
	if len(p.Subjects) == 0 {
		return noSubjects
	}
	return p.Subjects
}
