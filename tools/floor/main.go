// Floor compares what the service costs with the least that it could cost. The floor is a
// gorilla/mux handler that checks the same kind of token in the same way and writes the same bytes
// from memory, behind no other middleware; the service runs with all that production uses. Both are
// processes of their own, loaded in turn by this one; what counts is the CPU time of the server per
// request, from /proc.
//
//	floor --filmstrip bin/filmstrip            print the table
//	floor --filmstrip bin/filmstrip --gzip     the same with compressed answers
//
// It sends to 127.0.0.1 only, a bounded number of requests, and stops by itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"text/tabwriter"
)

// target is one kind of request that is compared.
type target struct {
	name string
	// path is relative to the base address; {video} is replaced by an ID.
	path string
	// requests is how many are sent in a round.
	requests int
}

var targets = []target{
	{"GET /v1/videos/{id}", "/v1/videos/{video}", 20_000},
	{"search page of 100, answer cached", "/v1/videos?size=100&include_channel_facets=true", 1500},
	{"feed page of 1,000", "/v1/feed/videos", 300},
}

func main() {
	binary := flag.String("filmstrip", "bin/filmstrip", "the program to measure")
	compress := flag.Bool("gzip", false, "ask for compressed answers")
	rounds := flag.Int("rounds", 7, "rounds of each side, in turn")
	only := flag.String("only", "", "measure the targets whose name holds this")
	floor := flag.String("serve-floor", "", "internal: serve the floor from this directory")
	flag.Parse()
	var err error
	if *floor != "" {
		err = serveFloor(context.Background(), *floor)
	} else {
		err = compare(*binary, *only, *compress, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func compare(binary, only string, compress bool, rounds int) error {
	service, err := startService(binary)
	if err != nil {
		return err
	}
	defer service.stop()
	video, err := service.anyVideo()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "request\tbytes\tfloor, CPU/request\tservice, CPU/request\tshare of the floor's rate (min, median, max)")
	for _, target := range matching(only) {
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

// measure loads floor and service in turn and compares round by round, so that a machine that slows
// down slows both.
func measure(service *server, target target, video string, compress bool, rounds int) (string, error) {
	path := replaceVideo(target.path, video)
	body, header, err := service.get(path, compress)
	if err != nil {
		return "", err
	}
	floor, err := startFloor(path, body, header)
	if err != nil {
		return "", err
	}
	defer floor.stop()
	var shares, ours, theirs []float64
	for round := range rounds + 1 {
		least, err := floor.load(path, target.requests, compress)
		if err != nil {
			return "", err
		}
		actual, err := service.load(path, target.requests, compress)
		if err != nil {
			return "", err
		}
		if round > 0 { // the first warms up
			shares, ours, theirs = append(shares, least/actual), append(ours, actual), append(theirs, least)
		}
	}
	slices.Sort(shares)
	return fmt.Sprintf("%s\t%d\t%.1f µs\t%.1f µs\t%.2f %.2f %.2f", target.name, len(body),
		median(theirs), median(ours), shares[0], median(shares), shares[len(shares)-1]), nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// discard reads a body to its end without keeping it.
func discard(response *http.Response) error {
	_, err := io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Request.URL, response.Status)
	}
	return err
}
