// Searches measures searches over HTTP. It generates and imports a catalogue, starts the server without an index, which builds it,
// then again from the snapshot, and sends different searches that no cache has answered, one after the other over one connection.
//
//	searches --filmstrip bin/filmstrip --videos 1000000 --folder DIR
//
// Each round starts the server from the snapshot and requests the videos of all answers by their IDs, so that the caches hold
// documents and no answers. It prints times on the clock, as the client sees them, and the processor time of the server: the
// lowest, median and highest of the rounds. The server uses at most --memory MiB and --processors processors.
//
// With --folder, the next run uses the imported catalogue again. A million videos take 2 GB of disk. The tool requires Linux.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

type settings struct {
	filmstrip, folder                          string
	videos, questions, rounds, memory, workers int
	build                                      bool
}

func main() {
	var s settings
	flag.StringVar(&s.filmstrip, "filmstrip", "bin/filmstrip", "the program to measure")
	flag.IntVar(&s.videos, "videos", 1_000_000, "the number of videos")
	flag.StringVar(&s.folder, "folder", "", "the folder of the catalogue, which is kept; a new one is created and removed if it is empty")
	flag.IntVar(&s.questions, "questions", 1000, "the number of searches of each kind")
	flag.IntVar(&s.rounds, "rounds", 3, "how often they are sent")
	flag.IntVar(&s.memory, "memory", 1536, "the server's --memory, in MiB")
	flag.IntVar(&s.workers, "processors", 2, "the server's GOMAXPROCS")
	flag.BoolVar(&s.build, "build", true, "measure the first build of the index; false: use the index in --folder")
	flag.Parse()
	if err := s.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "searches:", err)
		os.Exit(1)
	}
}

func (s *settings) run(ctx context.Context) error {
	if s.videos < 1 || s.questions < 1 || s.rounds < 1 {
		return fmt.Errorf("--videos %d, --questions %d, --rounds %d: each must be at least 1", s.videos, s.questions, s.rounds)
	}
	folder := s.folder
	if folder == "" {
		temporary, err := os.MkdirTemp("", "filmstrip-search-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(temporary) }()
		folder = temporary
	}
	m := &measurement{settings: s, data: folder}
	if err := m.fill(ctx); err != nil {
		return err
	}
	if s.build {
		if err := m.buildIndex(ctx); err != nil {
			return err
		}
	}
	if err := m.learn(ctx); err != nil {
		return err
	}
	for range s.rounds {
		if err := m.round(ctx); err != nil {
			return err
		}
	}
	return m.print()
}

// spread writes the lowest, the median and the highest of the values of all rounds.
func spread(values []float64, unit string) string {
	values = slices.Sorted(slices.Values(values))
	return fmt.Sprintf("%.3g / %.3g / %.3g %s", values[0], values[len(values)/2], values[len(values)-1], unit)
}

// print prints the figures of all rounds as Markdown.
func (m *measurement) print() error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintf(table, "| %d videos, %d of each\t| p50\t| p99\t| processor p50\t| processor p99\t|\n|---\t|---\t|---\t|---\t|---\t|\n", m.videos, m.questions)
	for _, kind := range m.kinds {
		fmt.Fprintf(table, "| %s", kind.name)
		for _, values := range [][]float64{kind.p50, kind.p99, kind.processor50, kind.processor99} {
			fmt.Fprintf(table, "\t| %s", spread(values, "ms"))
		}
		fmt.Fprintln(table, "\t|")
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var lines []string
	if m.build {
		lines = append(lines, fmt.Sprintf("first build, until the server is ready: %.3g s (processor %.3g s), at most %.0f MB resident", m.built, m.buildProcessor, m.buildPeak))
	}
	lines = append(lines,
		fmt.Sprintf("start from the snapshot, until the first answer: %s (processor %s)", spread(m.starts, "s"), spread(m.startProcessors, "s")),
		fmt.Sprintf("resident after the load: %s, at most %s", spread(m.resident, "MB"), spread(m.peaks, "MB")),
	)
	_, err := fmt.Println(strings.Join(lines, "\n"))
	return err
}

// share returns the value below which a share of the sorted values lies, in milliseconds.
func share(times []time.Duration, percent int) float64 {
	return float64(times[(len(times)-1)*percent/100]) / float64(time.Millisecond)
}
