// Package usagelogic is what every store of usage does alike: it turns plays into numbers and sums them up in
// cells, cuts a query into cells and plays, unites what they say, and orders the rows. Engines keep the rows and
// find them.
//
// Texts are numbered (Term), so that plays are small and sets of users and videos are bitmaps. All plays are
// kept: whatever no cell answers is counted from them, so that every query is answered exactly.
//
// Sets are dear to unite, sums are not. So rows find their places by sums (ranks.go), of videos by lists of them
// (videos.go), and users are put together for the rows of the page.
package usagelogic

import (
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Number is what a text is stored as, from 1 in each dimension; 0 stands for "".
type Number = uint32

// Term is a text that has a number of its own.
type Term struct {
	// Dimension is what it is the value of.
	Dimension usage.Dimension
	// Owner is the account of a user: one name at two accounts is two persons. 0 of other dimensions.
	Owner Number
	Text  string
}

// Dictionary knows the numbers of terms.
type Dictionary map[Term]Number

// number is that of a text, which the dictionary knows.
func (d Dictionary) number(dimension usage.Dimension, owner Number, text string) Number {
	if text == "" {
		return 0
	}
	return d[Term{dimension, owner, text}]
}

// Play is a usage.Play in numbers.
type Play struct {
	Position                                event.Position
	At                                      event.Instant
	Account, Client, Person, Video, Channel Number
	// Subjects are in their order, each once.
	Subjects           []Number
	Start, End, Excess int64
	Sandbox            bool
	// Void is the number of the void that takes the play out of the counts (usage.Voids.Holder), 0: it is counted.
	Void int64
}

// Milliseconds is how much of the play is counted.
func (p *Play) Milliseconds() int64 { return p.End - p.Start - p.Excess }

// Terms lists the terms of plays, each once, in the order in which they come, but users: these have their
// account's number within them (Users).
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

// Users lists the users of plays, each once, in the order in which they come. The dictionary knows their accounts.
func Users(plays []usage.Play, known Dictionary) []Term {
	terms := collected{}
	for i := range plays {
		p := &plays[i]
		terms.add(Term{usage.ByUser, known.number(usage.ByAccount, 0, p.Account), p.Person})
	}
	return terms.list
}

// collected are terms, each once.
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

// Translate turns plays into numbers, all of which the dictionary knows, and notes which of them voids take.
func Translate(plays []usage.Play, known Dictionary, voids usage.Voids) []Play {
	numbered := make([]Play, len(plays))
	for i := range plays {
		p := &plays[i]
		account := known.number(usage.ByAccount, 0, p.Account)
		numbered[i] = Play{
			Position: p.Position, At: p.At, Account: account, Start: p.Start, End: p.End, Excess: p.Excess,
			Sandbox: p.Sandbox, Client: known.number(usage.ByClient, 0, p.Client), Person: known.number(usage.ByUser, account, p.Person),
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

// values are the play's values of a dimension: one, 0 where it has none, or several subjects.
func (p *Play) values(dimension usage.Dimension) []Number {
	switch dimension {
	case usage.ByAccount:
		return []Number{p.Account}
	case usage.ByClient:
		return []Number{p.Client}
	case usage.ByUser:
		return []Number{p.Person}
	case usage.ByVideo:
		return []Number{p.Video}
	case usage.ByChannel:
		return []Number{p.Channel}
	}
	if len(p.Subjects) == 0 {
		return []Number{0}
	}
	return p.Subjects
}
