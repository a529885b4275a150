package counting

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// compareLedger compares a ledger with the sums of the log, and returns the sums for composing statements: those of the log, and
// those of the ledger for months whose events were dropped.
func compareLedger(report *Report, m *derived, recounted *recount) []usage.Sum {
	kept := map[usage.Sum]usage.Measures{}
	for _, sum := range m.ledger {
		key, measures := apart(sum)
		kept[key] = measures
	}
	all := maps.Clone(recounted.sums)
	maps.Copy(all, kept)
	unchecked := map[usage.Month]bool{}
	var sums []usage.Sum
	for _, key := range slices.SortedFunc(maps.Keys(all), byPlace) {
		found, counted := kept[key], recounted.sums[key]
		holds := recounted.holds(key, m.seals)
		switch {
		case !holds && key.Void != "": // a void may contain any part of dropped events
			unchecked[key.Month] = true
			counted = found
		case !holds:
			unchecked[key.Month] = true
			counted = usage.Measures{
				Plays:        max(found.Plays, counted.Plays),
				Milliseconds: max(found.Milliseconds, counted.Milliseconds),
				Excess:       max(found.Excess, counted.Excess),
			}
		default:
			report.Sums++
		}
		if found != counted {
			report.add(usage.Difference{Account: key.Account, Month: key.Month, What: fmt.Sprintf(
				"the ledger has %s for client %q%s, the log %s", formatMeasures(found), key.Client, sealOf(key), formatMeasures(counted))})
		}
		if counted == (usage.Measures{}) {
			continue // plays that were voided or restored meanwhile
		}
		key.Plays, key.Milliseconds, key.Excess = counted.Plays, counted.Milliseconds, counted.Excess
		sums = append(sums, key)
	}
	report.Unchecked = slices.SortedFunc(maps.Keys(unchecked), byMonth)
	return sums
}

// apart splits a sum into its key and its measures.
func apart(sum usage.Sum) (usage.Sum, usage.Measures) {
	measures := usage.Measures{Plays: sum.Plays, Milliseconds: sum.Milliseconds, Excess: sum.Excess}
	sum.Plays, sum.Milliseconds, sum.Excess = 0, 0, 0
	return sum, measures
}

func byPlace(a, b usage.Sum) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), byMonth(a.Month, b.Month), cmp.Compare(a.Client, b.Client), byMonth(a.Sealed, b.Sealed), cmp.Compare(a.Void, b.Void))
}

func byMonth(a, b usage.Month) int { return cmp.Compare(a.Number(), b.Number()) }

// formatMeasures returns measures as text for a difference.
func formatMeasures(m usage.Measures) string {
	text := fmt.Sprintf("%d plays of %d ms", m.Plays, m.Milliseconds)
	if m.Excess > 0 {
		text += fmt.Sprintf(" and %d ms of excess", m.Excess)
	}
	return text
}

func sealOf(sum usage.Sum) string {
	text := ", not sealed"
	if sum.Sealed != (usage.Month{}) {
		text = ", sealed in " + sum.Sealed.String()
	}
	if sum.Void != "" {
		text += ", by void " + sum.Void
	}
	return text
}

// compareTables compares the tables behind dashboards with the ledger before and after they were read: plays that are counted
// meanwhile lie between the two.
func compareTables(report *Report, tables map[place]usage.Measures, before, after []usage.Sum) {
	least, most := totals(before, placeOf), totals(after, placeOf)
	for at := range tables {
		if _, known := most[at]; !known {
			most[at] = usage.Measures{}
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(most), comparePlaces) {
		found, least, most := tables[at], least[at], most[at]
		if least == (usage.Measures{}) && found == (usage.Measures{}) {
			continue // its first play came after the tables were read
		}
		if !between(found, least, most) {
			report.add(usage.Difference{Account: at.account, Month: at.month, What: fmt.Sprintf("the tables have %s, the ledger %s", formatMeasures(found), formatMeasures(most))})
		}
	}
}

// totals adds up the sums of a ledger by key.
func totals[Key comparable](ledger []usage.Sum, of func(usage.Sum) Key) map[Key]usage.Measures {
	all := map[Key]usage.Measures{}
	for _, sum := range ledger {
		_, measures := apart(sum)
		all[of(sum)] = plus(all[of(sum)], measures)
	}
	return all
}

func placeOf(sum usage.Sum) place { return place{sum.Account, sum.Month} }

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.account, b.account), byMonth(a.month, b.month))
}

// between reports whether plays, milliseconds and excess lie between least and most, both included.
func between(found, least, most usage.Measures) bool {
	return found.Plays >= least.Plays && found.Plays <= most.Plays &&
		found.Milliseconds >= least.Milliseconds && found.Milliseconds <= most.Milliseconds &&
		found.Excess >= least.Excess && found.Excess <= most.Excess
}

// compareStatements composes all statements again and compares them with the stored ones.
func compareStatements(report *Report, m *derived, sums []usage.Sum) error {
	chains := map[string][]usage.Statement{}
	kept := map[place]usage.Statement{}
	for _, s := range m.statements {
		chains[s.Account] = append(chains[s.Account], s)
		kept[place{s.Account, s.Month}] = s
	}
	for _, account := range slices.Sorted(maps.Keys(chains)) {
		report.add(usage.CheckChain(chains[account])...)
	}
	last := map[string]usage.Statement{}
	for _, seal := range m.seals {
		composed, err := usage.Compose(seal, sealedIn(sums, seal.Month), last)
		if err != nil {
			return err
		}
		for _, want := range composed {
			at := place{want.Account, want.Month}
			found, known := kept[at]
			delete(kept, at)
			report.Statements++
			switch {
			case !known:
				report.add(usage.Difference{Account: at.account, Month: at.month, What: "there is no statement, though the month is sealed"})
				continue
			case found.Checksum != want.Checksum:
				report.add(usage.Difference{Account: at.account, Month: at.month, What: fmt.Sprintf(
					"the statement has %d lines, %d plays and %d ms, its seal comes to %d lines, %d plays and %d ms",
					len(found.Lines), found.Plays, found.Milliseconds, len(want.Lines), want.Plays, want.Milliseconds)})
			}
			last[want.Account] = found
		}
	}
	for _, s := range m.statements {
		if _, left := kept[place{s.Account, s.Month}]; left {
			report.add(usage.Difference{Account: s.Account, Month: s.Month, What: "there is a statement that comes from no seal"})
		}
	}
	return nil
}

func sealedIn(sums []usage.Sum, month usage.Month) []usage.Sum {
	var list []usage.Sum
	for _, sum := range sums {
		if sum.Sealed == month {
			list = append(list, sum)
		}
	}
	return list
}
