package usagelogic

import (
	"context"
	"math"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Source is one moment of what an engine keeps. It is used by one goroutine.
type Source interface {
	// Progress is how far plays are counted.
	Progress(ctx context.Context) (usage.Progress, error)
	// Horizon is the first instant whose persons are known; 0: all are. See store.Usage.ForgetPersons.
	Horizon(ctx context.Context) (event.Instant, error)
	// Accounts lists the numbers of all accounts, without 0.
	Accounts(ctx context.Context) ([]Number, error)
	// Find lists the numbers that texts have in a dimension: one of each text that has any, of users one for each
	// account that knows one of the name. The texts are not "".
	Find(ctx context.Context, dimension usage.Dimension, texts []string) ([]Number, error)
	// Texts calls each with the text of numbers of a dimension, in any order.
	Texts(ctx context.Context, dimension usage.Dimension, numbers []Number, each func(Number, string)) error
	// Cells calls each with all parts of cells in a span, in any order.
	Cells(ctx context.Context, span CellSpan, each func(Part)) error
	// Bodies calls each with the bodies of parts that Cells has shown, by their places in the list, in any order.
	// A body is not used after each has returned.
	Bodies(ctx context.Context, parts []PartKey, each func(place int, body []byte) error) error
	// Plays calls each with all plays in a span, in any order. A play is not used after each has returned.
	Plays(ctx context.Context, span PlaySpan, each func(*Play)) error
}

// CellSpan names cells: of an account, from one bucket to the one before another.
type CellSpan struct {
	Account   Number
	Dimension usage.Dimension
	Grain     Grain
	From, To  int64
	// Values are those of the cells; nil: any.
	Values []Number
	// Sandbox: cells of sandboxes too.
	Sandbox bool
}

// PlaySpan names plays: of an account, from one instant to the one before another.
type PlaySpan struct {
	Account  Number
	From, To event.Instant
	// Video is that of the plays where OfVideo is set.
	Video   Number
	OfVideo bool
	// Persons are those who are asked for, nil: anybody. An engine that finds plays by their person may leave out all
	// others'.
	Persons []Number
	// Sandbox: plays of sandboxes too.
	Sandbox bool
	// Voided: plays too that voids take out of the counts.
	Voided bool
}

// MaxVoid is the largest Play.Void that plays of the span have.
func (s *PlaySpan) MaxVoid() int64 {
	if s.Voided {
		return math.MaxInt64
	}
	return 0
}

// PartKey names a part of a cell.
type PartKey struct {
	CellKey
	Part int64
}

// Part is a part of a cell.
type Part struct {
	Key                                        PartKey
	Plays, Milliseconds, Excess, Users, Videos int64
	// Body is the part's body where the engine has it at hand, else nil: most answers need few bodies. It is not used
	// after Cells has handed out the next.
	Body []byte
}
