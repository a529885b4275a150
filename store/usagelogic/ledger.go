package usagelogic

import (
	"cmp"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// MaxPlays is the most plays that one call of store.Usage counts.
const MaxPlays = 1_000_000

// CheckPlays returns the fault of plays that no engine counts: too many, or not those of the log between two
// places in their order.
func CheckPlays(from, to usage.Progress, plays []usage.Play) error {
	if len(plays) > MaxPlays {
		return fault.InvalidRequest("%d plays are more than the %d that are counted at once", len(plays), MaxPlays)
	}
	last := from.Position
	for i := range plays {
		if plays[i].Position <= last || plays[i].Position > to.Position {
			return fault.InvalidRequest("the play at position %d is not behind %d, or not up to %d", plays[i].Position, last, to.Position)
		}
		last = plays[i].Position
	}
	if to.Position < from.Position {
		return fault.InvalidRequest("the position %d is before %d", to.Position, from.Position)
	}
	return nil
}

// ErrMoved is what Apply returns where the progress is not what was expected.
func ErrMoved(progress, expected usage.Progress) error {
	return fault.Errorf(fault.Conflict, "events up to %d are counted, not up to %d", progress.Position, expected.Position)
}

// Unsealed is, in a column, the seal of what no seal has taken in: behind all months.
const Unsealed = math.MaxInt32

// SealColumn is a month of a seal as a column holds it, zero: none.
func SealColumn(month usage.Month) int64 {
	if month == (usage.Month{}) {
		return Unsealed
	}
	return int64(month.Number())
}

// SealMonth is the month of a SealColumn.
func SealMonth(column int64) usage.Month {
	if column == Unsealed {
		return usage.Month{}
	}
	return usage.MonthNumber(int(column))
}

// Sums adds plays up for the ledger: each under the first of the seals, which are in the order of months, that it
// belongs to, as voids change it (usage.Voids.Sums). They are in the order of the ledger.
func Sums(plays []usage.Play, seals []usage.Seal, voids usage.Voids) []usage.Sum {
	all := ledger{index: map[usage.Sum]int{}}
	for i := range plays {
		if len(voids) == 0 {
			all.add(usage.SumOf(&plays[i], seals))
			continue
		}
		for _, sum := range voids.Sums(&plays[i], seals) {
			all.add(sum)
		}
	}
	return all.ordered()
}

// ledger gathers sums. index finds them by themselves without their measures.
type ledger struct {
	index map[usage.Sum]int
	sums  []usage.Sum
}

func (l *ledger) add(more usage.Sum) {
	key := more
	key.Plays, key.Milliseconds, key.Excess = 0, 0, 0
	place, known := l.index[key]
	if !known {
		place = len(l.sums)
		l.index[key] = place
		l.sums = append(l.sums, key)
	}
	sum := &l.sums[place]
	sum.Plays += more.Plays
	sum.Milliseconds += more.Milliseconds
	sum.Excess += more.Excess
}

// ordered are the sums that are not nothing, in the order of the ledger.
func (l *ledger) ordered() []usage.Sum {
	sums := slices.DeleteFunc(l.sums, func(s usage.Sum) bool { return s.Plays == 0 && s.Milliseconds == 0 && s.Excess == 0 })
	slices.SortFunc(sums, compareSums)
	return sums
}

func compareSums(a, b usage.Sum) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Month.Number(), b.Month.Number()),
		cmp.Compare(a.Client, b.Client), cmp.Compare(truth(a.Sandbox), truth(b.Sandbox)),
		cmp.Compare(SealColumn(a.Sealed), SealColumn(b.Sealed)), cmp.Compare(a.Void, b.Void))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// CheckSeal returns the fault of a seal that cannot follow the others, which are in the order of months: of a month
// that is sealed or before one that is, or at a progress that has not reached the position of the last.
func CheckSeal(month usage.Month, progress usage.Progress, seals []usage.Seal) error {
	if len(seals) == 0 {
		return nil
	}
	last := seals[len(seals)-1]
	if !last.Month.Before(month) {
		return fault.Errorf(fault.Conflict, "%s is sealed, so %s cannot be", last.Month, month)
	}
	if progress.Position < last.Position {
		return fault.Errorf(fault.Conflict, "events are counted up to %d, and %s was sealed with those up to %d",
			progress.Position, last.Month, last.Position)
	}
	return nil
}
