// Growth measures how the size and the times of an installation grow with its event log. For each number of events, a
// power of ten, it generates a log with the program, counts it, and runs the commands and the queries of dashboards. The
// number of persons grows with the log, so that one person always has about as many events.
//
//	growth --filmstrip bin/filmstrip --events 10000000
//
// Times are processor times, with the time on the clock in brackets: other work on the machine disturbs them less. The
// last two columns of the table are the power of the number of events by which a row grows, from the last two sizes,
// and what follows from it for a billion events. Growth needs about 250 bytes of disk and 60 µs of processor time for
// each event, in a temporary folder or in --folder.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"text/tabwriter"
	"time"
)

// measured is one row of the table, for one size.
type measured struct {
	name  string
	value float64 // bytes, or seconds of processor time
	// clock is the time in seconds; 0: unknown.
	clock   float64
	isBytes bool
}

func main() {
	binary := flag.String("filmstrip", "bin/filmstrip", "the program to measure")
	least := flag.Int("least", 1_000_000, "the smallest number of events")
	most := flag.Int("events", 10_000_000, "the largest number of events")
	folder := flag.String("folder", "", "the folder for the data; a folder in it is created and removed")
	flag.Parse()
	if err := grow(context.Background(), *binary, *folder, *least, *most); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func grow(ctx context.Context, binary, folder string, least, most int) error {
	if least < eventsOfPersons || most < least {
		return fmt.Errorf("--least %d, --events %d: the first must be at least %d, and the second at least as large", least, most, eventsOfPersons)
	}
	var (
		sizes   []int
		columns [][]measured
	)
	for events := least; events <= most; events *= 10 {
		column, err := measure(ctx, binary, folder, events)
		if err != nil {
			return fmt.Errorf("%d events: %w", events, err)
		}
		sizes, columns = append(sizes, events), append(columns, column)
	}
	return write(os.Stdout, sizes, columns)
}

// write writes the table in Markdown.
func write(w io.Writer, sizes []int, columns [][]measured) error {
	table := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(table, "| events")
	for _, size := range sizes {
		fmt.Fprintf(table, "\t| 10^%.0f", math.Log10(float64(size)))
	}
	fmt.Fprint(table, "\t| power\t| 10^9 |\n|---")
	for range len(sizes) + 2 {
		fmt.Fprint(table, "\t|---")
	}
	fmt.Fprintln(table, "|")
	for row := range columns[0] {
		fmt.Fprintf(table, "| %s", columns[0][row].name)
		for _, column := range columns {
			fmt.Fprintf(table, "\t| %s", column[row])
		}
		if n := len(columns); n > 1 {
			last := columns[n-1][row]
			power := math.Log10(last.value/columns[n-2][row].value) / math.Log10(float64(sizes[n-1])/float64(sizes[n-2]))
			last.value *= math.Pow(1e9/float64(sizes[n-1]), power)
			last.clock = 0
			fmt.Fprintf(table, "\t| %.2f\t| %s |\n", power, last)
		} else {
			fmt.Fprint(table, "\t|\t| |\n")
		}
	}
	return table.Flush()
}

// String returns the value with its unit and, in brackets, the time on the clock.
func (m measured) String() string {
	if m.isBytes {
		if m.value >= 1e9 {
			return fmt.Sprintf("%.3g GB", m.value/1e9)
		}
		return fmt.Sprintf("%.3g MB", m.value/1e6)
	}
	text := seconds(m.value)
	if m.clock > 0 {
		text += " (" + seconds(m.clock) + ")"
	}
	return text
}

func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", s*1000)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.3g s", s)
	case d < 2*time.Hour:
		return fmt.Sprintf("%.3g min", s/60)
	}
	return fmt.Sprintf("%.3g h", s/3600)
}
