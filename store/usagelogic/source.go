package usagelogic

import (
	"context"
	"math"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Source is one snapshot of the counts of an engine. Only one goroutine uses it.
type Source interface {
	// Progress returns how far plays are counted.
	Progress(ctx context.Context) (usage.Progress, error)
	// Horizon returns the first instant whose persons are known, or 0 if all are. See store.Usage.ForgetPersons.
	Horizon(ctx context.Context) (event.Instant, error)
	// Accounts returns the numbers of all accounts, without 0.
	Accounts(ctx context.Context) ([]Number, error)
	// Find returns the numbers of texts in a dimension: one for each text that has a number, and for users one for each
	// account that has a user of that name. No text is "".
	Find(ctx context.Context, dimension usage.Dimension, texts []string) ([]Number, error)
	// Texts calls each with the text of every one of the numbers of a dimension, in any order.
	Texts(ctx context.Context, dimension usage.Dimension, numbers []Number, each func(Number, string)) error
	// Cells calls each with all parts of the cells in a span. The parts of a cell come one after the other.
	Cells(ctx context.Context, span CellSpan, each func(Part)) error
	// Bodies calls each with the bodies of parts that Cells has returned, with their indexes in the list, in the
	// order of the list. The callback must not retain the body.
	Bodies(ctx context.Context, parts []PartKey, each func(place int, body []byte) error) error
	BlockSource
}

// CellSpan selects the cells of an account with From <= bucket < To.
type CellSpan struct {
	Account   Number
	Dimension usage.Dimension
	Grain     Grain
	From, To  int64
	// Values contains the values of the cells; nil selects any value.
	Values []Number
	// Sandbox selects cells of sandbox accounts too.
	Sandbox bool
}

// PlaySpan selects the plays of an account with From <= instant < To.
type PlaySpan struct {
	Account  Number
	From, To event.Instant
	// Video is the video of the plays if OfVideo is true.
	Video   Number
	OfVideo bool
	// Persons lists the requested persons; nil selects everybody. If it contains 0, plays of others may be selected too.
	Persons []Number
	// Sandbox selects plays of sandbox accounts too.
	Sandbox bool
	// Voided also selects plays that voids take out of the counts.
	Voided bool
}

// MaxVoid returns the largest Play.Void of the plays in the span.
func (s *PlaySpan) MaxVoid() int64 {
	if s.Voided {
		return math.MaxInt64
	}
	return 0
}

// PartKey identifies a part of a cell.
type PartKey struct {
	CellKey
	Part int64
}

// Part is a part of a cell.
type Part struct {
	Key                                        PartKey
	Plays, Milliseconds, Excess, Users, Videos int64
	// Body is the body of the part if the engine has already read it, else nil: most queries need few bodies. It is
	// valid only until the callback of Cells returns.
	Body []byte
}
