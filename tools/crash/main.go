// Crash reports events while it kills servers, and determines whether every event was stored correctly.
//
//	crash --filmstrip bin/filmstrip                        on SQLite
//	crash --filmstrip bin/filmstrip --store URL            on an empty PostgreSQL, with three processes
//	crash --filmstrip bin/filmstrip --strain               how events and other work affect one another
//
// Clients send single events and batches, with and without Idempotency-Key. A request without a clear response is
// repeated if it has a key, and otherwise never. Meanwhile, one process after the other is killed with SIGKILL at a
// random moment and started again. At the end, crash compares the log in the store with what was acknowledged. The exit
// status is 1 if an event is lost, duplicated or altered, if a batch is stored in part, or if positions have gaps.
//
// Servers listen on 127.0.0.1 only, have the accounts of the demo, and end with this program.
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
	binary    string
	store     string // "": SQLite
	processes int
	kills     int
	clients   int
	// pause is the longest time between the start of a process and its end.
	pause time.Duration
	seed  uint64
	// apart runs servers and callers on different processors, as if callers were remote.
	apart bool
	// others are killed and started in turn with the processes.
	others []victim
}

// victim is a server that is killed and started again.
type victim interface {
	kill()
	start(ctx context.Context) error
}

func main() {
	var s settings
	flag.StringVar(&s.binary, "filmstrip", "bin/filmstrip", "the program to kill")
	flag.StringVar(&s.store, "store", "", "the address of an empty PostgreSQL database; SQLite without")
	flag.IntVar(&s.processes, "processes", 3, "how many serve, on PostgreSQL")
	flag.IntVar(&s.kills, "kills", 50, "how often a process is killed")
	flag.IntVar(&s.clients, "clients", 16, "how many send at once")
	flag.DurationVar(&s.pause, "pause", 1500*time.Millisecond, "the longest that a process serves before it is killed")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "what chance begins with")
	strained := flag.Bool("strain", false, "kill nothing: measure how events and everything else bear one another")
	flag.BoolVar(&s.apart, "apart", false, "with --strain: serve on one half of the processors, call on the other (Linux)")
	offers := flag.Bool(offerFlag, false, "be one of the processes that --strain offers requests by")
	flag.Parse()
	if *offers {
		exitAfter(takeOffer(os.Stdin, os.Stdout))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *strained {
		exitAfter(strain(ctx, s))
		return
	}
	result, err := crash(ctx, s)
	exitAfter(err)
	fmt.Print(result)
	if !result.sound() {
		os.Exit(1)
	}
}

// exitAfter ends the program after an error.
func exitAfter(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}
