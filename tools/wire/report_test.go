package wire_test

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// report gathers how long answers took.
type report struct{ rows []*row }

// row is one who is asked in one phase.
type row struct {
	phase phase
	name  string
	all   []time.Duration
	text  []time.Duration // of the questions that have one
	plain []time.Duration // of the others
}

func (r *report) row(of phase, name string) *row {
	place := slices.IndexFunc(r.rows, func(known *row) bool { return known.phase == of && known.name == name })
	if place < 0 {
		place = len(r.rows)
		r.rows = append(r.rows, &row{phase: of, name: name})
	}
	return r.rows[place]
}

func (r *report) add(of phase, name string, q *question, took time.Duration) {
	row := r.row(of, name)
	row.all = append(row.all, took)
	if q.hasText {
		row.text = append(row.text, took)
	} else {
		row.plain = append(row.plain, took)
	}
}

// share is the median of the service in a phase over that of Typesense alone in the same phase.
func (r *report) share(of phase) float64 {
	alone := r.row(of, (*world)(nil).alone().name)
	return float64(quantile(r.row(of, service).all, 0.5)) / float64(quantile(alone.all, 0.5))
}

func (r *report) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "caches\tasked\tmedian\tp90\twith a text\twithout\tof Typesense alone")
	for _, row := range r.rows {
		share := ""
		if alone := r.row(row.phase, (*world)(nil).alone().name); len(alone.all) > 0 {
			share = fmt.Sprintf("%.2f", float64(quantile(row.all, 0.5))/float64(quantile(alone.all, 0.5)))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.phase, row.name, milliseconds(row.all, 0.5),
			milliseconds(row.all, 0.9), milliseconds(row.text, 0.5), milliseconds(row.plain, 0.5), share)
	}
	_ = table.Flush()
}

// describe says what the questions were like.
func describe(out io.Writer, list []*question) {
	texts, pages := 0, 0
	requests := map[int]int{}
	for _, q := range list {
		pages += len(q.found)
		if q.hasText {
			texts++
			requests[len(q.asked)]++
		}
	}
	fmt.Fprintf(out, "%d questions have a text; videos on a page: %.0f in the mean\n", texts, float64(pages)/float64(len(list)))
	for n := range 10 {
		if requests[n] > 0 {
			fmt.Fprintf(out, "requests to Typesense: %d for %d of the texts\n", n, requests[n])
		}
	}
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
