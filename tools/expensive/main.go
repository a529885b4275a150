// Command expensive searches randomly for the most expensive request of a server: it mutates requests from the OpenAPI
// document and the GraphQL schema, keeps those that cost the most processor time, and reports them.
//
// Costs are the processor time of the server's process, user and system, including garbage collection. Expensive
// requests are repeated with other words and ids of the same kinds, so that no cache answers them, and the cost is the
// median. The exit status is 1 if a request exceeds its limit.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// settings configure a search.
type settings struct {
	filmstrip  string
	data       string
	videos     int
	time       time.Duration
	requests   int
	seed       uint64
	top        int
	most       time.Duration
	mostPublic time.Duration
}

func main() {
	var s settings
	flag.StringVar(&s.filmstrip, "filmstrip", "bin/filmstrip", "the program")
	flag.StringVar(&s.data, "data", "", "a data directory with a catalogue; none: one is generated")
	flag.IntVar(&s.videos, "videos", 100_000, "how many videos are generated")
	flag.DurationVar(&s.time, "time", 5*time.Minute, "how long to search")
	flag.IntVar(&s.requests, "requests", 0, "how many requests to try at most; 0: any number")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "chooses the requests")
	flag.IntVar(&s.top, "top", 20, "how many requests to report")
	flag.DurationVar(&s.most, "most", 50*time.Millisecond, "the processor time that a request may cost")
	flag.DurationVar(&s.mostPublic, "most-public", 10*time.Millisecond, "the processor time that a request without a token may cost")
	flag.Parse()
	found, err := search(s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "expensive:", err)
		os.Exit(2)
	}
	fmt.Print(found)
	if len(found.beyond) > 0 {
		os.Exit(1)
	}
}
