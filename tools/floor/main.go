// Floor compares the cost of the service with the lowest possible cost. The floor is a gorilla/mux
// handler that checks the same kind of token in the same way and writes the same bytes from memory,
// without any other middleware; the service runs as in production. Both are separate processes,
// and this process loads them in turn. Floor compares the processor time per request.
//
//	floor --filmstrip bin/filmstrip            print the table
//	floor --filmstrip bin/filmstrip --gzip     request compressed responses
//
// The service serves a catalogue that floor generates, so the figures do not depend on the demo. Floor
// sends a bounded number of requests, to 127.0.0.1 only.
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

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// target is one kind of request.
type target struct {
	name string
	// path is relative to the base URL; {video} stands for an ID.
	path string
	// requests is the number of requests in a round.
	requests int
}

var targets = []target{
	{"GET /v1/videos/{id}", "/v1/videos/{video}", 20_000},
	{"search page of 100, answer cached", "/v1/videos?size=100&include_channel_facets=true", 1500},
	{"feed page of 1,000", "/v1/feed/videos", 300},
}

func main() {
	binary := flag.String("filmstrip", "bin/filmstrip", "the program to measure")
	compress := flag.Bool("gzip", false, "request compressed responses")
	rounds := flag.Int("rounds", 7, "the number of rounds of each side, in turn")
	only := flag.String("only", "", "measure only targets whose name contains this text")
	floor := flag.String("serve-floor", "", "internal: serve the floor from this directory")
	flag.Parse()
	var err error
	if *floor != "" {
		err = serveFloor(context.Background(), *floor)
	} else {
		err = compare(context.Background(), *binary, *only, *compress, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func compare(ctx context.Context, binary, only string, compress bool, rounds int) error {
	folder, err := os.MkdirTemp("", "filmstrip-floor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	service, err := startService(ctx, binary, folder)
	if err != nil {
		return err
	}
	defer service.Stop()
	video, err := anyVideo(service)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "request\tbytes\tfloor, CPU/request\tservice, CPU/request\tshare of the floor's rate (min, median, max)")
	for _, target := range targets {
		if !strings.Contains(target.name, only) {
			continue
		}
		row, err := measure(service, target, video, compress, rounds)
		if err != nil {
			return err
		}
		fmt.Fprintln(table, row)
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// measure loads floor and service in turn and compares them round by round, so that a machine that
// slows down slows both. It ignores the first round.
func measure(service *program.Server, target target, video string, compress bool, rounds int) (string, error) {
	path := strings.ReplaceAll(target.path, "{video}", video)
	answer, err := service.Get(path, compress)
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "filmstrip-floor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	floor, err := startFloor(folder, path, answer)
	if err != nil {
		return "", err
	}
	defer floor.Stop()
	var shares []float64
	var ours, floors []time.Duration
	for round := range rounds + 1 {
		least, err := load(floor, path, target.requests, compress)
		if err != nil {
			return "", err
		}
		actual, err := load(service, path, target.requests, compress)
		if err != nil {
			return "", err
		}
		if round > 0 {
			shares, ours, floors = append(shares, float64(least)/float64(actual)), append(ours, actual), append(floors, least)
		}
	}
	return fmt.Sprintf("%s\t%d\t%.1f µs\t%.1f µs\t%.2f %.2f %.2f", target.name, len(answer.Body),
		microseconds(program.Median(floors)), microseconds(program.Median(ours)), slices.Min(shares), program.Median(shares), slices.Max(shares)), nil
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
