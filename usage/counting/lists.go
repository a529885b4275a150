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

// lists are the lists of videos and the single plays as of a position of the log.
type lists struct {
	upTo          event.Position
	videos, plays map[listPlace]listed
	// horizon is the first instant whose single plays are kept.
	horizon event.Instant
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
	all, err := c.Usage.Lists(ctx, weigh)
	if err != nil {
		return nil, err
	}
	return &lists{all.Progress.Position, byListPlace(all.Videos), byListPlace(all.Plays), all.Horizon}, nil
}

func byListPlace(all []usage.List) map[listPlace]listed {
	found := make(map[listPlace]listed, len(all))
	for _, l := range all {
		found[listPlace{place{l.Account, l.Month}, l.Sandbox}] = listed{usage.Measures{Plays: l.Plays, Milliseconds: l.Milliseconds, Excess: l.Excess}, l.Weight}
	}
	return found
}

// compareLists compares lists with the log. If events were dropped, it compares the totals of lists of videos with the ledger before and
// after they were read, and no single plays.
func compareLists(report *Report, l *lists, recounted *recount, before, after []usage.Sum) {
	least, most := totals(before, listPlaceOf), totals(after, listPlaceOf)
	all := maps.Clone(recounted.lists)
	maps.Copy(all, l.plays)
	maps.Copy(all, l.videos)
	for at := range least {
		all[at] = listed{}
	}
	for _, at := range slices.SortedFunc(maps.Keys(all), compareListPlaces) {
		videos, counted := l.videos[at], recounted.lists[at]
		if recounted.holdsMonth(at.month) {
			compareListed(report, at, "the list of videos"+sandboxOf(at)+" has", videos, counted)
			if at.month.Start() >= l.horizon {
				compareListed(report, at, "the single plays"+sandboxOf(at)+" have", l.plays[at], counted)
			}
		} else if !between(videos.Measures, least[at], most[at]) {
			report.add(usage.Difference{Account: at.account, Month: at.month, What: fmt.Sprintf(
				"the list of videos%s has %s, the ledger %s", sandboxOf(at), formatMeasures(videos.Measures), formatMeasures(most[at]))})
		}
	}
}

// compareListed compares a list or single plays with the log. having is the subject and verb of a difference.
func compareListed(report *Report, at listPlace, having string, found, counted listed) {
	switch {
	case found.Measures != counted.Measures:
		having += " " + formatMeasures(found.Measures) + ", the log " + formatMeasures(counted.Measures)
	case found.weight != counted.weight:
		having += " " + formatMeasures(found.Measures) + ", as the log has, but not for each video"
	default:
		return
	}
	report.add(usage.Difference{Account: at.account, Month: at.month, What: having})
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
