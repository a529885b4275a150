package counting

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// lists are the contents of the lists of videos as of a position of the log.
type lists struct {
	upTo  event.Position
	found map[listPlace]listed
}

// listPlace identifies a list.
type listPlace struct {
	place
	sandbox bool
}

// listed is the content of a list: its totals, and a weighted sum of its lines, so that one number represents all its videos.
type listed struct {
	usage.Measures
	weight uint64
}

// lists reads them.
func (c *Counter) lists(ctx context.Context, weigh func(video string) usage.Weight) (*lists, error) {
	l := &lists{found: map[listPlace]listed{}}
	all, progress, err := c.Usage.Lists(ctx, weigh)
	if err != nil {
		return nil, err
	}
	l.upTo = progress.Position
	for _, list := range all {
		at := listPlace{place{list.Account, list.Month}, list.Sandbox}
		l.found[at] = listed{usage.Measures{Plays: list.Plays, Milliseconds: list.Milliseconds, Excess: list.Excess}, list.Weight}
	}
	return l, nil
}

// compareLists compares lists with the log. If events were dropped, it compares their totals with the ledger before and after they
// were read.
func compareLists(report *Report, l *lists, recounted *recount, before, after []usage.Sum) {
	least, most := totals(before, listPlaceOf), totals(after, listPlaceOf)
	all := maps.Clone(recounted.lists)
	maps.Copy(all, l.found)
	for at := range least {
		all[at] = listed{}
	}
	for _, at := range slices.SortedFunc(maps.Keys(all), compareListPlaces) {
		what := ""
		switch found, counted := l.found[at], recounted.lists[at]; {
		case !recounted.holdsMonth(at.month):
			if !between(found.Measures, least[at], most[at]) {
				what = formatMeasures(found.Measures) + ", the ledger " + formatMeasures(most[at])
			}
		case found.Measures != counted.Measures:
			what = formatMeasures(found.Measures) + ", the log " + formatMeasures(counted.Measures)
		case found.weight != counted.weight:
			what = formatMeasures(found.Measures) + ", as the log has, but not for each video"
		}
		if what != "" {
			report.add(usage.Difference{Account: at.account, Month: at.month, What: fmt.Sprintf("the list of videos%s has %s", sandboxOf(at), what)})
		}
	}
}

func listPlaceOf(sum usage.Sum) listPlace {
	return listPlace{place{sum.Account, sum.Month}, sum.Sandbox}
}

func compareListPlaces(a, b listPlace) int {
	return cmp.Or(comparePlaces(a.place, b.place), cmp.Compare(sandboxOf(a), sandboxOf(b)))
}

func sandboxOf(at listPlace) string {
	if at.sandbox {
		return ", of a sandbox,"
	}
	return ""
}
