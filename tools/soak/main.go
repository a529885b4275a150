// Soak loads a server with everything that clients do, for an hour, and checks that it stays within its memory and answers every
// request.
//
//	soak --filmstrip bin/filmstrip                       an hour within 512 MiB
//	soak --filmstrip bin/filmstrip --memory 1024 --minutes 10 --load 2
//
// The server runs on SQLite with the embedded index over a generated catalogue. Clients read single videos, search with and
// without caches, walk the feed in pages of 1,000, read lists, ask what dashboards ask, edit videos, report plays alone and in
// batches, request tokens and watch events. Each kind of request has a fixed rate. In every tenth minute, from the second on,
// more clients walk the feed.
//
// Soak prints a row for every minute, with the resident memory of the server, the memory that Go and others hold of it, and the
// median and the 99th percentile of each kind of request in milliseconds. The exit status is 1 if the resident memory has
// exceeded the limit at any time, or if an answer was an error. It requires Linux.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// settings configure a run.
type settings struct {
	binary  string
	folder  string
	videos  int
	memory  int
	minutes int
	load    float64
	metrics string
	seed    uint64
}

func main() {
	var s settings
	flag.StringVar(&s.binary, "filmstrip", "bin/filmstrip", "the program to load")
	flag.StringVar(&s.folder, "folder", "", "the folder for the data; a folder in it is created and removed")
	flag.IntVar(&s.videos, "videos", 100_000, "the size of the catalogue")
	flag.IntVar(&s.memory, "memory", 512, "the MiB that the server may take, its --memory")
	flag.IntVar(&s.minutes, "minutes", 60, "how long to load the server")
	flag.Float64Var(&s.load, "load", 1, "the rate of all requests, as a share of the usual one")
	flag.StringVar(&s.metrics, "metrics-addr", "127.0.0.1:18429", "a free address for the metrics of the server")
	flag.Uint64Var(&s.seed, "seed", 1, "the seed of the catalogue and of the random choices")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	begun := time.Now()
	problem, err := soak(ctx, s, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	case problem != "":
		fmt.Println("failed:", problem)
		os.Exit(1)
	}
	fmt.Printf("passed, in %s\n", time.Since(begun).Round(time.Second))
}
