package usagelogic

import (
	"cmp"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// MaxPlays is the largest number of plays that one call of store.Usage counts.
const MaxPlays = 1_000_000

// CheckPlays returns an error of code Invalid for plays that no engine counts: more than MaxPlays, or plays that are
// not in the order of the log after from and up to to.
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

// ErrMoved returns the error, of code Conflict, of Apply for a progress that differs from the expected one.
func ErrMoved(progress, expected usage.Progress) error {
	return fault.Errorf(fault.Conflict, "events up to %d are counted, not up to %d", progress.Position, expected.Position)
}

// Unsealed is the seal column of sums that no seal includes. It sorts after all months.
const Unsealed = math.MaxInt32

// SealColumn returns the value of the seal column for the month of a seal. It returns Unsealed for the zero Month.
func SealColumn(month usage.Month) int64 {
	if month == (usage.Month{}) {
		return Unsealed
	}
	return int64(month.Number())
}

// SealMonth is the inverse of SealColumn.
func SealMonth(column int64) usage.Month {
	if column == Unsealed {
		return usage.Month{}
	}
	return usage.MonthNumber(int(column))
}

// Sums adds plays up for the ledger, as voids change them (see usage.Voids.Sums). Each play belongs to the first of the
// seals that includes it; seals must be in the order of months. The sums are in the order of the ledger.
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

// ledger collects sums. index contains the position of each sum in sums; its keys are sums without measures.
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

// ordered returns the nonzero sums in the order of the ledger.
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

// CheckSeal returns an error of code Conflict for a seal that cannot follow the others, which must be in the order of
// months: if the month or a later one is already sealed, or if the progress has not reached the position of the last
// seal.
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
