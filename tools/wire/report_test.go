package wire_test

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"
)

// report collects response times.
type report struct{ rows []*row }

// row contains the times of one server in one phase.
type row struct {
	phase phase
	name  string
	all   []time.Duration
	least map[*question]time.Duration // over the rounds
	kinds map[string][]time.Duration  // by kind of questions
}

// The kinds of questions.
var kinds = []string{"one match level", "several", "no text"}

func kindOf(q *question) string {
	switch {
	case !q.hasText:
		return kinds[2]
	case q.oneLevel:
		return kinds[0]
	}
	return kinds[1]
}

func (r *report) row(of phase, name string) *row {
	place := slices.IndexFunc(r.rows, func(known *row) bool { return known.phase == of && known.name == name })
	if place < 0 {
		place = len(r.rows)
		r.rows = append(r.rows, &row{phase: of, name: name, least: map[*question]time.Duration{}, kinds: map[string][]time.Duration{}})
	}
	return r.rows[place]
}

func (r *report) add(of phase, name string, q *question, took time.Duration) {
	row := r.row(of, name)
	row.all = append(row.all, took)
	if least, known := row.least[q]; !known || took < least {
		row.least[q] = took
	}
	row.kinds[kindOf(q)] = append(row.kinds[kindOf(q)], took)
}

// undisturbed returns the time of each question in its fastest round, which excludes the effect of other work on the
// machine.
func (r *row) undisturbed() []time.Duration { return slices.Collect(maps.Values(r.least)) }

// share returns the median of a row relative to that of Typesense alone in the same phase; 0 if that is not measured.
func (r *report) share(one *row, times func(*row) []time.Duration) float64 {
	place := slices.IndexFunc(r.rows, func(known *row) bool { return known.phase == one.phase && known.name == typesenseAlone })
	if place < 0 {
		return 0
	}
	alone := quantile(times(r.rows[place]), 0.5)
	if alone == 0 {
		return 0
	}
	return float64(quantile(times(one), 0.5)) / float64(alone)
}

func allTimes(r *row) []time.Duration { return r.all }

// undisturbedOf returns the undisturbed times of a kind of questions.
func undisturbedOf(kind string) func(*row) []time.Duration {
	return func(r *row) (times []time.Duration) {
		for q, least := range r.least {
			if kindOf(q) == kind {
				times = append(times, least)
			}
		}
		return times
	}
}

func timesOf(kind string) func(*row) []time.Duration {
	return func(r *row) []time.Duration { return r.kinds[kind] }
}

func (r *report) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "asked\tmedian\tp90\tof alone\tundisturbed\tof alone")
	var last phase
	for _, one := range r.rows {
		if one.phase != last {
			fmt.Fprintf(table, "%s\t\t\t\t\t\n", one.phase)
			last = one.phase
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\n", one.name, milliseconds(one.all, 0.5), milliseconds(one.all, 0.9),
			ratio(r.share(one, allTimes)), milliseconds(one.undisturbed(), 0.5), ratio(r.share(one, (*row).undisturbed)))
		for _, kind := range kinds {
			fmt.Fprintf(table, "    %s\t%s\t%s\t%s\t%s\t%s\n", kind, milliseconds(one.kinds[kind], 0.5), milliseconds(one.kinds[kind], 0.9),
				ratio(r.share(one, timesOf(kind))), milliseconds(undisturbedOf(kind)(one), 0.5), ratio(r.share(one, undisturbedOf(kind))))
		}
	}
	_ = table.Flush()
}

// describe prints the properties of the questions.
func describe(out io.Writer, list []*question) {
	pages := 0
	of := map[string]int{}
	requests := map[int]int{}
	for _, q := range list {
		pages += len(q.found)
		if of[kindOf(q)]++; q.hasText {
			requests[len(q.asked)]++
		}
	}
	fmt.Fprintf(out, "questions by kind: %v; videos on a page: %.0f in the mean\n", of, float64(pages)/float64(len(list)))
	for _, n := range slices.Sorted(maps.Keys(requests)) {
		fmt.Fprintf(out, "requests to Typesense: %d for %d of the texts\n", n, requests[n])
	}
}

func ratio(share float64) string {
	if share == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", share)
}

func milliseconds(times []time.Duration, q float64) string {
	if len(times) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f ms", float64(quantile(times, q))/float64(time.Millisecond))
}

func quantile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}
