package usage

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// SealOf returns the month of the seal to which a play belongs: the first seal whose Month is not before the play's
// and whose Position is not below the play's. It returns zero if there is none yet. seals must be in the order of
// months.
func SealOf(seals []Seal, month Month, position event.Position) Month {
	for _, seal := range seals {
		if !seal.Month.Before(month) && seal.Position >= position {
			return seal.Month
		}
	}
	return Month{}
}

// Compose returns the statements of a seal. It uses the sums of the ledger that belong to the seal, and those that
// belong to no seal and whose month is not after the seal's. last are the previous statements by account. Every
// account that has a line or had a statement before gets a statement, with its checksum, in the order of accounts.
// Plays without an account appear on no statement.
func Compose(seal Seal, ledger []Sum, last map[string]Statement) ([]Statement, error) {
	taken := map[string][]Sum{}
	for account := range last {
		taken[account] = nil
	}
	for _, sum := range ledger {
		open := sum.Sealed == Month{} && !seal.Month.Before(sum.Month)
		if sum.Account != "" && (open || sum.Sealed == seal.Month) {
			taken[sum.Account] = append(taken[sum.Account], sum)
		}
	}
	at := seal.At.UTC().Truncate(time.Millisecond)
	statements := make([]Statement, 0, len(taken))
	for _, account := range slices.Sorted(maps.Keys(taken)) {
		statement := compose(account, seal.Month, seal.Position, taken[account])
		statement.SealedAt, statement.Previous = &at, last[account].Checksum
		if err := statement.sign(); err != nil {
			return nil, err
		}
		statements = append(statements, statement)
	}
	return statements, nil
}

// Provisional returns the statement of an account for a month as it would be if nothing more were played and the
// months before it were sealed first; late plays of sealed months appear in the month after the last of them. seals
// are all seals in the order of months; none may be of this or a later month.
func Provisional(account string, month Month, progress Progress, ledger []Sum, seals []Seal) Statement {
	takesLate := len(seals) > 0 && seals[len(seals)-1].Month.Next() == month
	var taken []Sum
	for _, sum := range ledger {
		late := takesLate && sum.Month.Before(month)
		if sum.Account == account && sum.Sealed == (Month{}) && (sum.Month == month || late) {
			taken = append(taken, sum)
		}
	}
	return compose(account, month, progress.Position, taken)
}

// compose returns a statement of the given sums.
func compose(account string, month Month, position event.Position, sums []Sum) Statement {
	type key struct {
		month   Month
		client  string
		sandbox bool
		void    string
	}
	lines := map[key]Line{}
	for _, sum := range sums {
		k := key{sum.Month, sum.Client, sum.Sandbox, sum.Void}
		line := lines[k]
		line.Month, line.Client, line.Billable = sum.Month, sum.Client, !sum.Sandbox
		line.Adjustment, line.Void = sum.Month.Before(month), sum.Void
		line.Plays += sum.Plays
		line.Milliseconds += sum.Milliseconds
		line.Seconds = Seconds(line.Milliseconds)
		line.ExcessMilliseconds += sum.Excess
		lines[k] = line
	}
	statement := Statement{Account: account, Month: month, Position: position, Lines: make([]Line, 0, len(lines))}
	for _, line := range lines {
		statement.Lines = append(statement.Lines, line)
		if line.Billable {
			statement.Plays += line.Plays
			statement.Milliseconds += line.Milliseconds
			statement.Seconds += line.Seconds
			statement.ExcessMilliseconds += line.ExcessMilliseconds
		}
	}
	slices.SortFunc(statement.Lines, inOrder)
	return statement
}

// inOrder compares lines: by month and client, billable before not billable, plays before voids.
func inOrder(a, b Line) int {
	return cmp.Or(
		cmp.Compare(a.Month.Number(), b.Month.Number()),
		cmp.Compare(a.Client, b.Client),
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(a.Void, b.Void),
	)
}

func rank(l Line) int {
	if l.Billable {
		return 0
	}
	return 1
}
